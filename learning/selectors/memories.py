"""What is known, seen by one actor: lists, counts, one memory with its past."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor
from learning.choices import MemoryKind, MemoryScope, MemoryStatus
from learning.models import Memory
from learning.policies import may_read_sensitive, visible_memories

PAGE_SIZE = 50
HISTORY_MOST = 30
COUNTED_MOST = 10_000


@dataclass(frozen=True, slots=True)
class MemoryFilters:
    """What one address of a memory list shows. Empty means all; `query` gives the address back."""

    status: str = MemoryStatus.ACTIVE
    scope: str = ""
    kind: str = ""
    search: str = ""
    person: str = ""
    sort: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "MemoryFilters":
        def known(name: str, values: list[str], otherwise: str = "") -> str:
            value = query.get(name, "")
            return value if value in values else otherwise

        return cls(
            status=known("status", MemoryStatus.values, MemoryStatus.ACTIVE),
            scope=known("scope", MemoryScope.values),
            kind=known("kind", MemoryKind.values),
            search=query.get("q", "").strip()[:200],
            person=str(_uuid(query.get("person", "")) or ""),
            sort=known("sort", ["used"]),
        )

    @property
    def query(self) -> str:
        words = {
            "status": "" if self.status == MemoryStatus.ACTIVE else str(self.status),
            "scope": self.scope,
            "kind": self.kind,
            "q": self.search,
            "person": self.person,
            "sort": self.sort,
        }
        return urlencode({name: word for name, word in words.items() if word})

    @property
    def narrowed(self) -> bool:
        return bool(self.scope or self.kind or self.search or self.person)

    @property
    def order(self) -> tuple[str, ...]:
        return ("-use_count", "-id") if self.sort == "used" else ("-id",)

    def but(self, **changes) -> "MemoryFilters":
        return replace(self, **changes)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def memories_of(actor: Actor, agent: RoleAgent | None) -> QuerySet[Memory]:
    """All an agent may draw on, its people's and the organisation's included; for None the organisation's alone.

    The caller has found that the actor sees this agent, or for None any agent.
    """
    own = Memory.objects.filter(organization_id=actor.organization_id).defer("tsv")
    if agent is None:
        return own.filter(scope=MemoryScope.ORGANIZATION)
    return own.filter(Q(role_agent=agent) | Q(scope=MemoryScope.ORGANIZATION))


def filtered(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters) -> QuerySet[Memory]:
    memories = memories_of(actor, agent).filter(status=filters.status)
    if filters.scope:
        memories = memories.filter(scope=filters.scope)
    if filters.kind:
        memories = memories.filter(kind=filters.kind)
    if filters.person:
        memories = memories.filter(person_id=filters.person)
    if filters.search:
        asked = SearchQuery(filters.search, search_type="websearch", config="english")
        words = Q(content__icontains=filters.search) | Q(key__icontains=filters.search)
        memories = memories.filter(Q(tsv=asked) | words)
    if not may_read_sensitive(actor) and (filters.search or filters.kind):
        memories = memories.filter(sensitive=False)  # a hit would tell what a hidden one says
    return memories


def memories_page(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters, cursor: str = "") -> Page[Memory]:
    memories = filtered(actor, agent, filters).select_related("person", "role_agent")
    return page(memories, cursor, order=filters.order, size=PAGE_SIZE)


@dataclass(frozen=True, slots=True)
class Facets:
    """How many memories each filter would show, from one grouped query over scope, kind and sensitivity."""

    cells: list[tuple[str, str, int]] = field(default_factory=list)

    def count(self, *, scope: str = "", kind: str = "") -> int:
        return sum(n for s, k, n in self.cells if (not scope or s == scope) and (not kind or k == kind))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind in MemoryKind.values if any(k == kind for _, k, _ in self.cells)]

    @property
    def scopes(self) -> list[str]:
        return [scope for scope in MemoryScope.values if any(s == scope for s, _, _ in self.cells)]


def facets(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters) -> Facets:
    """Within the status, the person and the search of `filters`."""
    rows = filtered(actor, agent, filters.but(scope="", kind="")).order_by().values_list("scope", "kind", "sensitive")
    reads_all = may_read_sensitive(actor)
    cells = [
        (scope, kind if reads_all or not sensitive else "", number)
        for scope, kind, sensitive, number in rows.annotate(number=Count("pk"))
    ]
    return Facets(cells)


def live_count(actor: Actor, agent: RoleAgent) -> int | str:
    """For a tab: exact up to COUNTED_MOST."""
    number = memories_of(actor, agent).filter(status=MemoryStatus.ACTIVE)[: COUNTED_MOST + 1].count()
    return f"{COUNTED_MOST:,}+" if number > COUNTED_MOST else number


def most_used(actor: Actor, agent: RoleAgent, most: int = 5) -> list[Memory]:
    memories = memories_of(actor, agent).filter(status=MemoryStatus.ACTIVE, use_count__gt=0)
    if not may_read_sensitive(actor):
        memories = memories.filter(sensitive=False)
    return list(memories.select_related("person", "role_agent").order_by("-use_count", "-id")[:most])


def find_memory(actor: Actor, memory_id: UUID) -> Memory:
    memories = visible_memories(actor).select_related("role_agent", "person", "organization", "item", "superseded_by")
    memory = memories.defer("tsv", "superseded_by__tsv").filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("There is no such memory.")
    return memory


@dataclass(frozen=True, slots=True)
class Wording:
    """One step in the life of a memory. `before` is the older wording where this step changed the words."""

    at: datetime
    what: str
    content: str
    before: str | None = None


def wordings(memory: Memory) -> list[Wording]:
    """The newest steps first, from the history rows. One query."""
    rows = list(memory.history.order_by("-history_date", "-history_id")[: HISTORY_MOST + 1])
    steps = []
    for row, older in zip(rows, [*rows[1:], None], strict=True):
        changed = older is not None and older.content != row.content
        steps.append(
            Wording(
                row.history_date,
                row.history_change_reason or "changed",
                row.content,
                older.content if changed else None,
            )
        )
    return steps[:HISTORY_MOST]


def replaced_by_it(memory: Memory) -> list[Memory]:
    """What this memory took the place of."""
    return list(Memory.objects.filter(superseded_by=memory).defer("tsv").order_by("-id")[:5])
