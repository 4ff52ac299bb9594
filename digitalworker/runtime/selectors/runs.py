"""How answers came about: the runs an actor may read, and the whole story of one of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from digitalworker.agents.models import RoleAgent
from digitalworker.common.counting import NumberOf
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor
from learning.choices import MemoryKind, MemoryScope
from learning.models import Memory
from learning.policies import may_read_sensitive
from learning.sections import HIDDEN, line_of, title_of

from ..models import AgentRun, RunMemory, RunStatus
from ..policies import visible_runs
from .guidance import SkillThen, SoulThen, guidance_of

ERASED = "(erased since)"
NEAREST_FIRST = [MemoryScope.PERSON, MemoryScope.ROLE_AGENT, MemoryScope.ORGANIZATION]


@dataclass(frozen=True, slots=True)
class Then:
    """The words of a memory as one answer was given them. `state` is "same", "changed" (since), "hidden" or "erased"."""

    id: str
    scope: str
    kind: str
    key: str | None
    content: str
    state: str

    @property
    def line(self) -> str:
        return line_of(self.key, self.content)

    @property
    def is_readable(self) -> bool:
        return self.state in {"same", "changed"}


@dataclass(frozen=True, slots=True)
class Given:
    """One memory that went into an answer. `row` is the memory as it is now, None once it is erased."""

    memory: Then
    row: Memory | None
    why: str
    score: float

    @property
    def line(self) -> str:
        return self.memory.line


@dataclass(frozen=True, slots=True)
class LeftOut:
    memory: Then
    row: Memory | None
    reason: str
    score: float
    by: Then | None  # what was given instead, where something was


@dataclass(frozen=True, slots=True)
class Section:
    scope: str
    title: str
    given: list[Given]

    @property
    def characters(self) -> int:
        return sum(len(each.line) for each in self.given)


@dataclass(slots=True)
class Story:
    """Everything a run's manifest names, with the words behind its ids."""

    run: AgentRun
    soul: SoulThen | None = None
    skills: list[SkillThen] = field(default_factory=list)
    skills_listed: list[SkillThen] = field(default_factory=list)
    skills_left_out: list[SkillThen] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def sections(self) -> list[Section]:
        """By scope, what it knows about the person first: that is what a reader looks for."""
        agent, person = self.run.role_agent, self.run.person
        titles = {
            scope: title_of(scope, MemoryKind.FACT, organization=str(self.run.organization), agent=str(agent))
            for scope in NEAREST_FIRST
        }
        titles[MemoryScope.PERSON] = f"What it knows about {person or 'the person'}"
        found = [Section(s, titles[s], [g for g in self.given if g.memory.scope == s]) for s in NEAREST_FIRST]
        return [section for section in found if section.given]

    @property
    def budget(self) -> dict:
        return self.run.manifest.get("budget", {})

    @property
    def not_ranked(self) -> int:
        """Live memories that were less relevant than everything that was looked at."""
        return sum(self.run.manifest.get("not_ranked", {}).values())

    @property
    def left_out_more(self) -> int:
        return max(0, self.run.manifest.get("dropped_total", 0) - len(self.left_out))


def get_run(actor: Actor, run_id: UUID) -> AgentRun:
    runs = visible_runs(actor).filter(pk=run_id)
    runs = runs.select_related(
        "organization", "role_agent", "person", "thread__channel", "question", "reply", "soul_version__soul"
    )
    run = runs.defer("question__tsv", "reply__tsv").first()
    if run is None:
        raise NotFound("There is no such run.")
    return run


def latest_run(actor: Actor, thread_id: UUID) -> AgentRun | None:
    runs = visible_runs(actor).filter(thread_id=thread_id)
    runs = runs.select_related(
        "organization", "role_agent", "person", "question__detection", "reply", "soul_version__soul"
    )
    return runs.defer("question__tsv", "reply__tsv").order_by("-id").first()


def runs_page(
    actor: Actor,
    *,
    agent: RoleAgent | None = None,
    status: str = "",
    used: dict[str, UUID] | None = None,
    cursor: str = "",
) -> Page[AgentRun]:
    """`used`: only those that were given this, see USED."""
    runs = _using(visible_runs(actor), used or {})
    if agent is not None:
        runs = runs.filter(role_agent=agent)
    if status in RunStatus.values:
        runs = runs.filter(status=status)
    runs = runs.select_related("role_agent", "person", "question").defer("question__tsv", "question__payload")
    return page(runs, cursor, size=50)


USED = {
    "memory": "memories__memory",
    "skill": "skills__version__skill",
    "skill_version": "skills__version",
    "soul": "soul_version__soul",
    "soul_version": "soul_version",
}  # what an answer may have been given, and how it is asked for
USED_WORDS = {
    "memory": "that were given one memory",
    "skill": "that loaded one skill",
    "skill_version": "that loaded one version of a skill",
    "soul": "in the posture of one soul",
    "soul_version": "in the posture of one version of a soul",
}
COUNTED_MOST = 10_000
VERSIONS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Used:
    """Answers that were given one thing: the latest, and how many in all, counted up to COUNTED_MOST and one more."""

    latest: Sequence[AgentRun]
    number: int

    @property
    def is_counted(self) -> bool:
        return self.number <= COUNTED_MOST


def used_in(actor: Actor, name: str, pk: UUID, *, most: int = 8) -> Used:
    """`name` is one of USED. One query."""
    runs = _using(visible_runs(actor), {name: pk})
    counted = NumberOf(runs.order_by().values("pk")[: COUNTED_MOST + 1])
    latest = runs.select_related("role_agent", "person", "question").defer("question__tsv", "question__payload")
    rows = list(latest.annotate(in_all=counted).order_by("-id")[:most])
    return Used(rows, rows[0].in_all if rows else 0)


def uses_by_version(actor: Actor, name: str, pk: UUID) -> list[tuple[int, UUID, int]]:
    """How many answers were given each version of a skill or a soul: (number, id, answers), the newest first. One query."""
    version = USED[f"{name}_version"]
    runs = visible_runs(actor).filter(**{USED[name]: pk}).order_by()
    counted = runs.values_list(f"{version}__number", version).annotate(answers=Count("pk"))
    return list(counted.order_by(f"-{version}__number")[:VERSIONS_SHOWN])


def _using(runs: QuerySet[AgentRun], what: dict[str, UUID]) -> QuerySet[AgentRun]:
    found = runs.filter(**{USED[name]: pk for name, pk in what.items()})
    # An answer may have loaded two versions of one skill, where it changed meanwhile.
    return runs.filter(pk__in=found.order_by().values("pk")) if "skill" in what else found


def story_of(actor: Actor, run: AgentRun) -> Story:
    """Four queries at most: the memories as they are now, their history where their words changed since, and the versions
    of skills and of the soul."""
    given, dropped = run.manifest.get("memories", []), run.manifest.get("dropped", [])
    ids = {each["id"] for each in (*given, *dropped)} | {each["by"] for each in dropped if each.get("by")}
    rows = _memories(run, ids)
    older = _older_words(given, rows)
    reads_sensitive = may_read_sensitive(actor)

    def then(entry: dict, digest: str | None) -> Then:
        return _then(entry, digest, rows.get(entry["id"]), older, reads_sensitive)

    story = Story(run, **guidance_of(actor, run))
    for entry in given:
        row = rows.get(entry["id"])
        story.given.append(Given(then(entry, entry["digest"]), row, entry["why"], entry["score"]))
    words = {each.memory.id: each.memory for each in story.given}
    for entry in dropped:
        row = rows.get(entry["id"])
        by = words.get(entry.get("by") or "")
        story.left_out.append(LeftOut(then(entry, None), row, entry["reason"], entry["score"], by))
    return story


def _memories(run: AgentRun, ids: Iterable[str]) -> dict[str, Memory]:
    """Whoever may see the run may see these: they are the run's agent's, its person's or the organisation's."""
    if not ids:
        return {}
    rows = Memory.objects.filter(organization_id=run.organization_id, pk__in=ids).defer("tsv", "event__tsv")
    return {str(row.pk): row for row in rows.select_related("item", "event", "person")}


def _older_words(given: list[dict], rows: dict[str, Memory]) -> dict[tuple[str, str], object]:
    """History rows by (id, digest), for what does not say any more what it said then."""
    changed = [each for each in given if each["id"] in rows and rows[each["id"]].digest != each["digest"]]
    if not changed:
        return {}
    wanted = {(each["id"], each["digest"]) for each in changed}
    history = Memory.history.filter(id__in=[i for i, _ in wanted], digest__in=[d for _, d in wanted])
    return {(str(old.id), old.digest): old for old in history}


def _then(entry: dict, digest: str | None, row: Memory | None, older: dict, reads_sensitive: bool) -> Then:
    scope, kind = entry["scope"], entry.get("kind", MemoryKind.FACT)
    words = row if row is None or digest in (None, row.digest) else older.get((entry["id"], digest))
    if row is None or words is None:
        return Then(entry["id"], scope, kind, None, ERASED, "erased")
    if (row.sensitive or words.sensitive) and not reads_sensitive:
        return Then(entry["id"], scope, kind, None, HIDDEN, "hidden")
    return Then(entry["id"], scope, words.kind, words.key, words.content, "same" if words is row else "changed")


@dataclass(frozen=True, slots=True)
class Week:
    """Answers of the last seven days: how many each day (oldest first), in all, and with at least one memory of
    the agent or about the person."""

    days: list[int]
    answers: int
    with_memory: int

    @property
    def share(self) -> int:
        return round(100 * self.with_memory / self.answers) if self.answers else 0


def week(runs: QuerySet[AgentRun], now: datetime | None = None) -> Week:
    today = timezone.localdate(now)
    first = today - timedelta(days=6)
    start = timezone.make_aware(datetime.combine(first, datetime.min.time()))
    # What the whole organisation knows goes into nearly every answer, and says nothing about what an agent learned.
    own = RunMemory.objects.filter(run=OuterRef("pk")).exclude(memory__scope=MemoryScope.ORGANIZATION)
    rows = (
        runs.filter(created_at__gte=start)
        .order_by()
        .values(day=TruncDate("created_at"))
        .annotate(number=Count("id"), used=Count("id", filter=Exists(own)))
    )
    by_day = {row["day"]: row for row in rows}
    days = [by_day.get(first + timedelta(days=n), {"number": 0, "used": 0}) for n in range(7)]
    return Week([day["number"] for day in days], sum(d["number"] for d in days), sum(d["used"] for d in days))
