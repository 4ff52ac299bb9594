"""What policy let in without asking, for who answers for it: week by week, and what became of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from urllib.parse import urlencode

from django.db.models import Case, CharField, Count, Prefetch, Q, QuerySet, Value, When
from django.utils import timezone

from digitalworker.agents.policies import visible_agents
from digitalworker.common.paging import IsOneOf, Page, page
from digitalworker.common.types import Actor
from learning.choices import MemoryStatus
from learning.models import Memory

PAGE_SIZE = 30
COUNTED_MOST = 1_000  # so many that nobody looked at are counted, and so many of the newest others

NEW, KEPT, UNDONE, REPLACED = "new", "kept", "undone", "replaced"
LABELS = {NEW: "Not looked at", KEPT: "Kept", UNDONE: "Undone", REPLACED: "Replaced"}
_STATES = {
    NEW: Q(status=MemoryStatus.ACTIVE, reviewed_at=None),
    KEPT: Q(status=MemoryStatus.ACTIVE, reviewed_at__isnull=False),
    UNDONE: Q(status=MemoryStatus.DELETED),
    REPLACED: Q(status=MemoryStatus.SUPERSEDED),
}


@dataclass(frozen=True, slots=True)
class Saved:
    """A memory with what became of it (one of LABELS), and what it took the place of."""

    memory: Memory
    state: str
    replaced: list[Memory]


@dataclass(frozen=True, slots=True)
class SavedFilters:
    """What one address shows: `state` is one of LABELS, `agent` a code or empty for all."""

    state: str = NEW
    agent: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "SavedFilters":
        state = query.get("state", "")
        return cls(state if state in LABELS else NEW, query.get("agent", "")[:40])

    @property
    def query(self) -> str:
        words = {"state": "" if self.state == NEW else self.state, "agent": self.agent}
        return urlencode({name: word for name, word in words.items() if word})

    def but(self, **changes) -> "SavedFilters":
        return replace(self, **changes)


def autosaved(actor: Actor) -> QuerySet[Memory]:
    """Everything ever saved without asking for the agents this actor sees, whatever became of it."""
    return Memory.objects.filter(
        organization_id=actor.organization_id, role_agent__in=visible_agents(actor).values("pk"), autosaved=True
    ).defer("tsv")


def saved_page(actor: Actor, filters: SavedFilters, cursor: str = "") -> Page[Memory]:
    """Two queries: the page, and what its memories took the place of. Ids are in order of time."""
    before = Prefetch("supersedes", queryset=Memory.objects.defer("tsv").order_by("-id"), to_attr="replaced")
    rows = autosaved(actor).filter(_STATES[filters.state]).annotate(state=Value(filters.state))
    if filters.agent:
        rows = rows.filter(role_agent__code=filters.agent)
    related = rows.select_related(
        "role_agent", "person", "event__thread__channel", "event__person", "event__role_agent"
    )
    related = related.defer("tsv", "event__tsv").prefetch_related(before)
    return page(related, cursor, order=("-id",), size=PAGE_SIZE)


def counts(actor: Actor) -> dict[tuple[str, str], int]:
    """By code of the agent and state: of those nobody looked at, and of the newest others, up to one more than COUNTED_MOST.
    One query."""
    state = Case(*(When(fits, then=Value(name)) for name, fits in _STATES.items()), output_field=CharField())
    parts = (autosaved(actor).filter(_STATES[NEW]), autosaved(actor).exclude(_STATES[NEW]))
    new, others = (part.order_by("-id").values("pk")[: COUNTED_MOST + 1] for part in parts)
    rows = Memory.objects.filter(IsOneOf("pk", new.union(others, all=True))).annotate(state=state)
    numbers = rows.values_list("role_agent__code", "state").annotate(number=Count("pk"))
    return {(code, state): number for code, state, number in numbers}


def not_looked_at(actor: Actor) -> int:
    """Up to one more than COUNTED_MOST."""
    return autosaved(actor).filter(_STATES[NEW])[: COUNTED_MOST + 1].count()


def by_week(memories: list[Memory]) -> Iterator[tuple[date, list[Saved]]]:
    """The Monday of each week, and its memories of a `saved_page` in their order."""

    def monday(memory: Memory) -> date:
        day = timezone.localtime(memory.created_at).date()
        return day - timedelta(days=day.weekday())

    def saved(memory: Memory) -> Saved:
        worked_out = vars(memory)
        return Saved(memory, worked_out["state"], worked_out["replaced"])

    return ((week, [saved(row) for row in rows]) for week, rows in groupby(memories, key=monday))
