"""What a role-agent knew at a moment of the past, from the histories that every change writes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from digitalworker.agents.models import RoleAgent
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor
from learning.choices import MemoryScope, MemoryStatus
from learning.models import Memory
from learning.policies import may_read_sensitive
from learning.sections import HIDDEN, line_of
from skills import policies as skills
from skills.choices import SkillStatus
from skills.models import Skill, SkillVersion
from souls import policies as souls
from souls.library import DEFAULT
from souls.models import Soul, SoulAssignment, SoulVersion

SKILLS_MOST = 200
A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Known:
    """A memory as it was. `now` says what became of it since, "" where it is the same."""

    memory: Memory
    line: str
    now: str


@dataclass(frozen=True, slots=True)
class SkillKnown:
    """A version that was in use; `hidden`: the reader may not know which skill it was."""

    version: SkillVersion
    hidden: bool
    now: str


@dataclass(frozen=True, slots=True)
class SetUp:
    """What the agent was responsible for, and how it talked: `soul` is None where it was paused, and `hidden` where the
    reader may not know which it was."""

    persona: str = ""
    soul: SoulVersion | None = None
    soul_paused: bool = False
    soul_hidden: bool = False


def memories_then(actor: Actor, agent: RoleAgent, at: datetime, cursor: str = "") -> Page[Known]:
    """What was live then of an agent that the actor sees, of the people it talks to and of the organisation, newest first. One
    query.

    What was erased since is gone here as well: that is what erasing means.
    """
    own = Q(role_agent=agent) | Q(role_agent=None, scope=MemoryScope.ORGANIZATION)
    rows = Memory.objects.filter(own, organization_id=agent.organization_id, created_at__lte=at).defer("tsv")
    then = _as_of(rows, Memory.history, "pk", at, "status", "key", "content", "digest", "sensitive")
    found: Page[Memory] = page(then.filter(status_then=MemoryStatus.ACTIVE), cursor, size=A_PAGE)
    return Page([_known(actor, row, vars(row)) for row in found.rows], found.next, found.previous)


def _known(actor: Actor, row: Memory, then: dict[str, Any]) -> Known:
    hidden = (row.sensitive or then["sensitive_then"]) and not may_read_sensitive(actor)
    now = "" if row.is_live else row.get_status_display().lower()
    if row.is_live and row.digest != then["digest_then"]:
        now = "other words"
    return Known(row, HIDDEN if hidden else line_of(then["key_then"], then["content_then"]), now)


def skills_then(actor: Actor, agent: RoleAgent, at: datetime) -> list[SkillKnown]:
    """The versions in use then, of an agent that the actor sees and of its organisation, by name. One query."""
    usable = Q(skill__role_agent=agent) | Q(skill__role_agent=None)
    versions = SkillVersion.objects.filter(usable, organization_id=agent.organization_id, created_at__lte=at)
    then = _as_of(versions, Skill.history, "skill_id", at, "active_version_id", "status")
    used = then.filter(active_version_id_then=F("pk"), status_then=SkillStatus.ACTIVE)
    rows = used.select_related("skill").order_by("skill__name", "pk")[:SKILLS_MOST]
    return [SkillKnown(version, not skills.may_read(actor, version), _skill_now(version)) for version in rows]


def _skill_now(version: SkillVersion) -> str:
    skill = version.skill
    if not skill.is_active:
        return skill.get_status_display().lower()
    return "" if skill.active_version_id == version.pk else "another version"


def set_up_then(actor: Actor, agent: RoleAgent, at: datetime) -> SetUp:
    """Two queries."""
    was = _past(RoleAgent.history, "pk", at, agent.pk).first()
    if was is None:
        return SetUp()
    assigned = _past(SoulAssignment.history, "role_agent_id", at, agent.pk).values("soul_id")[:1]
    default = Soul.objects.filter(organization_id=agent.organization_id, code=DEFAULT).values("pk")
    versions = SoulVersion.objects.filter(
        organization_id=agent.organization_id, soul=Coalesce(Subquery(assigned), Subquery(default))
    )
    used = _as_of(versions, Soul.history, "soul_id", at, "active_version_id").filter(active_version_id_then=F("pk"))
    soul = None if was.soul_paused else used.select_related("soul").first()
    hidden = soul is not None and not souls.may_read(actor, soul)
    return SetUp(was.persona, soul, was.soul_paused, hidden)


def _past(history, field: str, at: datetime, value: Any) -> QuerySet:
    """History rows up to then, the latest first. `field` is the column that tells whose they are."""
    own = {"id" if field == "pk" else field: value}
    return history.filter(**own, history_date__lte=at).order_by("-history_date", "-history_id")


def _as_of(rows: QuerySet, history, owner: str, at: datetime, *fields: str) -> QuerySet:
    """`rows` with these fields of what `owner` names as they were, each named `<field>_then`."""
    then = _past(history, "pk", at, OuterRef(owner))
    return rows.annotate(**{f"{field}_then": Subquery(then.values(field)[:1]) for field in fields})
