"""How souls are put into words for the person who looks at one."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from digitalworker.agents.web import whole
from digitalworker.common.types import Actor
from digitalworker.console.templatetags.console import ago

from .library import PARTS
from .models import Soul, SoulVersion
from .policies import may_name, may_read
from .selectors import Had, versions_of

TITLES = {
    "tone_rules_md": "How it talks",
    "do_not_do_md": "What it does not do",
    "critique_rules_md": "How it looks at a draft",
}


@dataclass(slots=True)
class Row:
    """A version in a list of them."""

    version: SoulVersion
    hidden: bool
    in_use: bool
    may_revert: bool


def called(actor: Actor, soul: Soul) -> tuple[str, str]:
    """Its name and what it is for, for who may read them."""
    return (soul.name, soul.summary) if may_name(actor, soul) else ("Sensitive soul", "")


def said(version: SoulVersion | None) -> list[tuple[str, str]]:
    """The parts that say something, each under its title."""
    return [(TITLES[name], text) for name in PARTS if (text := getattr(version, name, ""))]


def document(version: SoulVersion) -> str:
    """As versions are compared: every part under its title."""
    return "\n\n".join(f"{title}\n{text}" for title, text in said(version))


def versions(request: HttpRequest, soul: Soul, *, may_change: bool) -> dict[str, Any]:
    """The versions of a soul and, where two were chosen, what changed between them. May not be read, may not be compared."""
    held = versions_of(soul)
    rows = [
        Row(
            version,
            hidden=not may_read(request.actor, version),
            in_use=version.pk == soul.active_version_id,
            may_revert=may_change and version.pk != soul.active_version_id and may_read(request.actor, version),
        )
        for version in held
    ]
    readable = {row.version.number: row.version for row in rows if not row.hidden}
    old, new = (readable.get(whole(request.GET.get(name, "")) or 0) for name in ("from", "to"))
    difference = {"old": old, "new": new, "before": document(old), "after": document(new)} if old and new else None
    return {"rows": rows, "compared": list(readable), "difference": difference}


def facts(actor: Actor, version: SoulVersion) -> list[tuple[str, object]]:
    you = " (you)" if version.approved_by_user_id and version.approved_by_user_id == actor.user_id else ""
    facts: list[tuple[str, object]] = [("Version", str(version.number))]
    facts.append(("Let in by", f"{version.approved_by_label}{you}"))
    if version.proposed_by_label != version.approved_by_label:
        facts.append(("Proposed by", version.proposed_by_label))
    facts.append(("Since", ago(version.created_at, "long")))
    return facts


def whose(had: Had, most: int = 3) -> str:
    """Who talks by it: "IT Agent, HR Agent and 4 more"; empty for nobody."""
    names = [agent.name for agent in had.seen[:most]]
    more = len(had) - len(names)
    if not names:
        return f"{more} role-agent{'' if more == 1 else 's'}" if more else ""
    return ", ".join(names) + (f" and {more} more" if more else "")
