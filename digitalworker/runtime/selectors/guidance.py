"""The soul and the skills of an earlier answer. Versions never change, so what they say is what they said."""

from dataclasses import dataclass
from typing import Any

from digitalworker.common.types import Actor
from learning.sections import HIDDEN
from skills import policies as skills
from skills.document import parse
from skills.models import SkillVersion
from souls import policies as souls
from souls.models import SoulVersion

from ..models import AgentRun


@dataclass(frozen=True, slots=True)
class SkillThen:
    """A skill that was loaded, listed or passed over. `version` is None where it was erased since; `hidden`: the reader may
    not know what it says. `why` is why it was loaded, or why not."""

    version: SkillVersion | None
    number: int
    why: str = ""
    score: float | None = None
    hidden: bool = False

    @property
    def name(self) -> str:
        return HIDDEN if self.hidden else self.version.skill.name if self.version else "(erased since)"

    @property
    def description(self) -> str:
        return self.version.description if self.version and not self.hidden else ""

    @property
    def body(self) -> str:
        return parse(self.version.document).body.strip() if self.version and not self.hidden else HIDDEN

    @property
    def in_use(self) -> bool:
        return self.version is not None and self.version.skill.active_version_id == self.version.pk


@dataclass(frozen=True, slots=True)
class SoulThen:
    version: SoulVersion | None
    number: int
    hidden: bool = False

    @property
    def name(self) -> str:
        return self.version.soul.name if self.version else "(erased since)"

    @property
    def tone_rules_md(self) -> str:
        return self.version.tone_rules_md if self.version and not self.hidden else HIDDEN

    @property
    def do_not_do_md(self) -> str:
        return self.version.do_not_do_md if self.version and not self.hidden else ""

    @property
    def in_use(self) -> bool:
        return self.version is not None and self.version.soul.active_version_id == self.version.pk


def guidance_of(actor: Actor, run: AgentRun) -> dict[str, Any]:
    """By the fields of `Story`. One query at most, where the run came with its soul."""
    manifest = run.manifest
    named = {name: _entries(manifest.get(name)) for name in ("skills", "skills_listed", "skills_left_out")}
    ids = {entry["version"] for entries in named.values() for entry in entries}
    rows = SkillVersion.objects.filter(organization_id=run.organization_id, pk__in=ids).select_related("skill")
    versions = {str(row.pk): row for row in rows} if ids else {}

    def then(entry: dict) -> SkillThen:
        version = versions.get(entry["version"])
        hidden = version is not None and not skills.may_read(actor, version)
        why = entry.get("why") or entry.get("reason", "")
        return SkillThen(version, entry["number"], why, entry.get("score"), hidden)

    found: dict[str, Any] = {name: [then(entry) for entry in entries] for name, entries in named.items()}
    soul = manifest.get("soul")
    if isinstance(soul, dict):
        row = run.soul_version
        found["soul"] = SoulThen(row, soul["number"], row is not None and not souls.may_read(actor, row))
    return found


def _entries(held: Any) -> list[dict]:
    """Answers from before there were skills hold an empty list."""
    return [entry for entry in held or () if isinstance(entry, dict)]
