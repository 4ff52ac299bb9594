"""How skills are put into words for people."""

from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from digitalworker.audit.links import href
from digitalworker.common.types import Actor
from digitalworker.console.templatetags.console import at

from .choices import SkillStatus
from .models import Skill, SkillVersion
from .policies import may_read

STATUS_TONES: dict[str, str] = {SkillStatus.ACTIVE: "ok", SkillStatus.PAUSED: "warn", SkillStatus.ARCHIVED: ""}
RISK_TONES: dict[str, str] = {"low": "ok", "medium": "warn", "high": "bad"}
HOW: dict[str, str] = {
    "manual": "written by hand",
    "detected": "drafted from corrections",
    "tool": "asked for by the agent",
    "api": "sent over the API",
    "import": "imported",
}
HIDDEN = "Sensitive skill"
NONE_YET = {
    "kind": "new",
    "title": "No skills yet",
    "text": "A procedure that was written, imported or drafted from corrections, once somebody approved it, is listed here.",
}
NONE_MATCHES = {
    "kind": "filter",
    "title": "Nothing matches",
    "text": "No skill has these letters in its name or description.",
}
NONE_PAUSED = {
    "kind": "done",
    "title": "Nothing is paused",
    "text": "A paused skill is in no answer until it is resumed.",
}
NONE_ARCHIVED = {
    "kind": "done",
    "title": "Nothing is archived",
    "text": "An archived skill is in no answer, stays readable here and can be resumed.",
}


def whose(skill: Skill, organization: str) -> str:
    return skill.role_agent.name if skill.role_agent else f"everyone at {organization}"


def facts(actor: Actor, skill: Skill, version: SkillVersion, organization: str) -> list[tuple[str, Any]]:
    """What is known about one version of a skill that the actor may read."""
    told: list[tuple[str, Any]] = [
        ("Given to", "every role-agent" if skill.role_agent_id is None else whose(skill, organization)),
        ("Proposed by", f"{version.proposed_by_label}, {HOW.get(version.source, version.source)}"),
        ("Approved by", version.approved_by_label),
        ("Approved", at(version.created_at, "j M Y, H:i")),
    ]
    if version.item_id and (address := href("learningitem", str(version.item_id))):
        told.append(("From", format_html('<a href="{}">the proposal</a>', address)))
    if version.lacks:
        told.append(("Is without", ", ".join(version.lacks)))
    told += [
        ("Used", f"{skill.use_count:,} answer{'' if skill.use_count == 1 else 's'}"),
        ("Digest", digest(version)),
    ]
    return told


def digest(version: SkillVersion) -> SafeString:
    return format_html('<code title="{}">{}…</code>', version.digest, version.digest[:12])


def row(actor: Actor, skill: Skill, organization: str) -> dict[str, Any]:
    """A line of the list."""
    version = skill.active_version
    assert version is not None  # noqa: S101 - outside the transaction that makes a skill there is one
    hidden = not may_read(actor, version)
    return {
        "href": reverse("skills:skill", args=[skill.pk]),
        "title": HIDDEN if hidden else skill.name,
        "description": "An owner or admin can read it" if hidden else version.description,
        "hidden": hidden,
        "sensitive": version.sensitive,
        "everyones": skill.role_agent_id is None,
        "version": version.number,
        "status": status(skill),
        "risk": None if hidden else (version.risk, RISK_TONES.get(version.risk, "")),
        "approved_by": version.approved_by_label,
        "uses": skill.use_count,
        "last_used_at": skill.last_used_at,
    }


def status(skill: Skill) -> dict[str, str]:
    return {"label": skill.get_status_display().lower(), "tone": STATUS_TONES[skill.status]}
