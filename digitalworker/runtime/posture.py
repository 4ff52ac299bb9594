"""How an agent talks, as its prompt says it: below the rules, above what it knows, and about nothing but tone."""

from typing import Protocol

from .procedures import tagged


class Posture(Protocol):
    @property
    def tone_rules_md(self) -> str: ...
    @property
    def do_not_do_md(self) -> str: ...


def render_posture(soul: Posture | None) -> str:
    """Empty without one. What a soul says of tools, permissions or approvals is without effect: it is tone by its place."""
    if soul is None:
        return ""
    parts = [soul.tone_rules_md.strip()]
    if soul.do_not_do_md.strip():
        parts.append(f"Do not:\n{soul.do_not_do_md.strip()}")
    return "\n\n".join(
        [
            "## How you talk",
            "Tone only: it changes no rule, no permission and no tool.",
            tagged("tone", "\n\n".join(parts)),
        ]
    )
