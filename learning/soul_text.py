"""A soul's parts as one text: screened, compared and shown as a whole."""

from typing import Any

PARTS = {"tone_rules_md": "Tone", "do_not_do_md": "Do not do", "critique_rules_md": "Critique"}


def soul_text(parts: dict[str, Any]) -> str:
    """The parts of a soul, each under its heading; empty ones are left out."""
    return "\n\n".join(f"## {title}\n\n{parts[name]}" for name, title in PARTS.items() if parts.get(name))
