"""What a role-agent knew at a moment of the past, from the histories that every change writes."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Q, QuerySet, Subquery

from digitalworker.agents.models import RoleAgent
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor
from learning.choices import MemoryStatus
from learning.models import Memory
from learning.policies import may_read_sensitive, visible_memories
from learning.sections import HIDDEN, line_of
from skills import policies as skills
from skills.choices import SkillStatus
from skills.models import Skill, SkillVersion
from skills.policies import visible_skills
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
    hidden: bool
    now: str


@dataclass(frozen=True, slots=True)
class SkillKnown:
    """A version that was in use; `hidden`: the reader may not know which skill it was."""

    version: SkillVersion
    hidden: bool
    now: str


@dataclass(frozen=True, slots=True)
class SoulKnown:
    """`version` is None where it was paused, or where there was none."""

    version: SoulVersion | None
    hidden: bool = False
    paused: bool = False


def memories_then(actor: Actor, agent: RoleAgent, at: datetime, cursor: str = "") -> Page[Known]:
    """What was live then of the agent, of the people it talks to and of the organisation, newest first. Two queries.

    What was erased since is gone here as well: that is what erasing means.
    """
    history = Memory.history.filter(id=OuterRef("pk"), history_date__lte=at).order_by("-history_date", "-history_id")
    own = Q(role_agent=agent) | Q(role_agent=None)
    rows = (
        visible_memories(actor)
        .filter(own, created_at__lte=at)
        .annotate(then=Subquery(history.values("history_id")[:1]), status_then=Subquery(history.values("status")[:1]))
    )
    found: Page[Memory] = page(rows.filter(status_then=MemoryStatus.ACTIVE), cursor, size=A_PAGE)
    steps = {row.pk: vars(row)["then"] for row in found.rows}
    then = Memory.history.in_bulk(steps.values(), field_name="history_id")
    return Page([_known(actor, row, then[steps[row.pk]]) for row in found.rows], found.next, found.previous)


def _known(actor: Actor, row: Memory, then) -> Known:
    hidden = (row.sensitive or then.sensitive) and not may_read_sensitive(actor)
    now = "" if row.is_live else row.get_status_display().lower()
    if row.is_live and row.digest != then.digest:
        now = "other words"
    return Known(row, HIDDEN if hidden else line_of(then.key, then.content), hidden, now)


def skills_then(actor: Actor, agent: RoleAgent, at: datetime) -> list[SkillKnown]:
    """The versions in use then, of the agent and of the organisation, by name. Two queries."""
    usable = visible_skills(actor).filter(Q(role_agent=agent) | Q(role_agent=None), created_at__lte=at)
    rows = _as_of(usable, Skill.history, at, "status", "active_version_id")
    used = {row.active_version_id_then: row for row in rows[:SKILLS_MOST] if row.status_then == SkillStatus.ACTIVE}
    versions = SkillVersion.objects.filter(pk__in=used).select_related("skill").order_by("skill__name")
    return [
        SkillKnown(version, not skills.may_read(actor, version), _skill_now(used[version.pk], version))
        for version in versions
    ]


def _skill_now(skill: Skill, version: SkillVersion) -> str:
    if not skill.is_active:
        return skill.get_status_display().lower()
    return "" if skill.active_version_id == version.pk else "another version"


def soul_then(actor: Actor, agent: RoleAgent, at: datetime) -> SoulKnown:
    """Three or four queries."""
    then = _latest(RoleAgent.history.filter(id=agent.pk), at)
    if then is not None and then.soul_paused:
        return SoulKnown(None, paused=True)
    assigned = _latest(SoulAssignment.history.filter(role_agent=agent.pk), at)
    of_organization = Soul.history.filter(organization=agent.organization_id)
    soul = _latest(
        of_organization.filter(id=assigned.soul_id) if assigned else of_organization.filter(code=DEFAULT), at
    )
    version = SoulVersion.objects.filter(pk=soul.active_version_id).select_related("soul").first() if soul else None
    return SoulKnown(version, version is not None and not souls.may_read(actor, version))


def persona_then(agent: RoleAgent, at: datetime) -> str:
    then = _latest(RoleAgent.history.filter(id=agent.pk), at)
    return then.persona if then else ""


def _latest(history: QuerySet, at: datetime):
    return history.filter(history_date__lte=at).order_by("-history_date", "-history_id").first()


def _as_of(rows: QuerySet, history, at: datetime, *fields: str) -> QuerySet:
    """`rows` with these fields as they were, each named `<field>_then`."""
    then = history.filter(id=OuterRef("pk"), history_date__lte=at).order_by("-history_date", "-history_id")
    return rows.annotate(**{f"{field}_then": Subquery(then.values(field)[:1]) for field in fields})
