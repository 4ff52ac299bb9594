"""What waits in the Learning Inbox, seen by one actor: filters, counts, pages, neighbours."""

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import BooleanField, Case, Count, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.http import QueryDict
from django.utils import timezone

from digitalworker.agents.choices import Role
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import ADMINS, visible_agents
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor
from learning.choices import ItemStatus, MemoryKind, MemoryScope
from learning.models import LearningItem
from learning.policies import may_read_sensitive, visible_items

AGEING = timedelta(days=1)
PAGE_SIZE = 50
COUNTED_MOST = 1000  # decided items are counted up to here, then it says "1,000+"
DECIDED = (ItemStatus.APPROVED, ItemStatus.REJECTED)


@dataclass(frozen=True, slots=True)
class Filters:
    """What one address of the inbox shows. Empty means all; `query` gives the address back."""

    status: str = ItemStatus.PENDING
    agent: str = ""
    kind: str = ""
    sensitive: bool = False
    mine: bool = False
    older: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> "Filters":
        """From an address; a word that means nothing here is passed over, a bookmark must not break."""
        status, kind = query.get("status", ""), query.get("kind", "")
        pending = status not in DECIDED
        return cls(
            status=status if not pending else ItemStatus.PENDING,
            agent=query.get("agent", "")[:40],
            kind=kind if kind in MemoryKind.values else "",
            sensitive=query.get("sensitive") == "1",
            mine=query.get("mine") == "1",
            older=pending and query.get("older") == "1",
        )

    @property
    def query(self) -> str:
        words = {
            "status": "" if self.status == ItemStatus.PENDING else str(self.status),
            "agent": self.agent,
            "kind": self.kind,
            **{name: "1" for name in ("sensitive", "mine", "older") if getattr(self, name)},
        }
        return urlencode({name: word for name, word in words.items() if word})

    @property
    def narrowed(self) -> bool:
        return bool(self.kind or self.sensitive or self.mine or self.older or self.agent)

    def but(self, **changes) -> "Filters":
        return replace(self, **changes)

    @property
    def order(self) -> tuple[str, ...]:
        return ("-id",) if self.status == ItemStatus.PENDING else ("-decided_at", "-id")


@dataclass(frozen=True, slots=True)
class Cell:
    """So many pending items are alike in everything a filter asks about."""

    agent_id: UUID
    kind: str
    sensitive: bool
    organization_wide: bool
    mine: bool
    older: bool
    count: int


class Waiting:
    """All pending items this actor sees, counted in one statement; badges and filter chips are sums of its cells."""

    def __init__(self, actor: Actor, cells: list[Cell]):
        self.actor, self.cells = actor, cells

    def _decidable(self, cell: Cell) -> bool:
        guarded = cell.sensitive or cell.organization_wide
        return self.actor.role in ADMINS or (self.actor.role == Role.MEMBER and not guarded)

    @cached_property
    def for_me(self) -> int:
        """Pending items this actor may decide: what a badge says."""
        return sum(cell.count for cell in self.cells if self._decidable(cell))

    def for_me_of(self, agent_id: UUID) -> int:
        return sum(cell.count for cell in self.cells if cell.agent_id == agent_id and self._decidable(cell))

    def of_agent(self, agent_id: UUID) -> int:
        return sum(cell.count for cell in self.cells if cell.agent_id == agent_id)

    def count(self, filters: Filters, agents: dict[str, RoleAgent]) -> int:
        """How many rows the list with these filters holds. `agents` are those the actor sees, by code."""
        agent = agents.get(filters.agent)
        return sum(
            cell.count
            for cell in self.cells
            if (not filters.agent or (agent is not None and cell.agent_id == agent.pk))
            and (not filters.kind or cell.kind == filters.kind)
            and (not filters.sensitive or cell.sensitive)
            and (not filters.mine or cell.mine)
            and (not filters.older or cell.older)
        )

    @property
    def kinds(self) -> list[str]:
        found = {cell.kind for cell in self.cells}
        return [kind for kind in MemoryKind.values if kind in found]


def waiting(actor: Actor) -> Waiting:
    """One query, whatever the number of items, agents and chips."""

    def flag(condition: Q) -> Case:
        return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())

    rows = (
        visible_items(actor)
        .filter(status=ItemStatus.PENDING)
        .annotate(
            payload_kind=Cast(KT("proposed_payload__kind"), TextField()),
            wide=flag(Q(proposed_payload__scope=MemoryScope.ORGANIZATION)),
            mine=flag(Q(assigned_to_id=actor.user_id)),
            older=flag(Q(created_at__lt=timezone.now() - AGEING)),
        )
        .values_list("role_agent_id", "payload_kind", "sensitive", "wide", "mine", "older")
        .annotate(number=Count("pk"))
    )
    reads_all = may_read_sensitive(actor)
    cells = [
        Cell(agent, kind if reads_all or not sensitive else "", sensitive, wide, mine, older, number)
        for agent, kind, sensitive, wide, mine, older, number in rows
    ]
    return Waiting(actor, cells)


def inbox_agents(actor: Actor) -> dict[str, RoleAgent]:
    """The agents whose proposals this actor reads, by code. NotFound for whom there is no inbox."""
    agents = {agent.code: agent for agent in visible_agents(actor).only("id", "code", "name", "organization_id")}
    if not agents and actor.role not in {*ADMINS, Role.AUDITOR}:
        raise NotFound("There is no inbox.")
    return agents


def reviewable(actor: Actor, agents: dict[str, RoleAgent]) -> frozenset[UUID]:
    """The agents of `agents` whose learning the actor decides: all that a manager, admin or owner sees, none of an auditor's."""
    return frozenset() if actor.role == Role.AUDITOR else frozenset(agent.pk for agent in agents.values())


def with_relations(items: QuerySet[LearningItem]) -> QuerySet[LearningItem]:
    related = items.select_related("role_agent", "person", "replaces", "assigned_to", "memory")
    return related.defer("replaces__tsv", "memory__tsv")


def filtered(actor: Actor, filters: Filters) -> QuerySet[LearningItem]:
    items = visible_items(actor).filter(status=filters.status)
    if filters.agent:
        items = items.filter(role_agent__code=filters.agent)
    if filters.kind:
        items = items.filter(proposed_payload__kind=filters.kind)
        if not may_read_sensitive(actor):
            items = items.filter(sensitive=False)  # what kind a hidden one is, is hidden too
    if filters.sensitive:
        items = items.filter(sensitive=True)
    if filters.mine:
        items = items.filter(assigned_to_id=actor.user_id)
    if filters.older:
        items = items.filter(created_at__lt=timezone.now() - AGEING)
    return items


def inbox_page(actor: Actor, filters: Filters, cursor: str = "", size: int = PAGE_SIZE) -> Page[LearningItem]:
    return page(with_relations(filtered(actor, filters)), cursor, order=filters.order, size=size)


def decided_count(actor: Actor, filters: Filters) -> int:
    """Up to one more than COUNTED_MOST: an archive of a million must not make its page slow."""
    return filtered(actor, filters)[: COUNTED_MOST + 1].count()


def anything_decided(actor: Actor) -> bool:
    return visible_items(actor).filter(status__in=DECIDED).exists()


def find_item(actor: Actor, item_id: UUID) -> LearningItem:
    item = with_relations(visible_items(actor)).filter(pk=item_id).first()
    if item is None:
        raise NotFound("There is no such learning item.")
    return item


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands in a list: ids of its neighbours, and its number from the top where that is known."""

    newer: UUID | None = None
    older: UUID | None = None
    number: int | None = None


def place_in_rows(rows: list[LearningItem], item: LearningItem, *, first_page: bool) -> Place:
    """Without a query, from the rows that are shown anyway."""
    ids = [row.pk for row in rows]
    if item.pk not in ids:
        return Place(older=ids[0] if ids else None)
    at = ids.index(item.pk)
    return Place(
        newer=ids[at - 1] if at else None,
        older=ids[at + 1] if at + 1 < len(ids) else None,
        number=at + 1 if first_page else None,
    )


def _beyond(items: QuerySet[LearningItem], filters: Filters, item: LearningItem, way: str) -> QuerySet[LearningItem]:
    reach = Q(**{f"pk__{way}": item.pk})
    if filters.status != ItemStatus.PENDING and item.decided_at:
        reach = Q(**{f"decided_at__{way}": item.decided_at}) | Q(decided_at=item.decided_at) & reach
    order = filters.order if way == "lt" else [name.removeprefix("-") for name in filters.order]
    return items.filter(reach).order_by(*order)


def place_of(actor: Actor, filters: Filters, item: LearningItem) -> Place:
    """Three small queries, for a pane that comes without its list."""
    items = filtered(actor, filters)
    newer = _beyond(items, filters, item, "gt").values_list("pk", flat=True)
    older = _beyond(items, filters, item, "lt").values_list("pk", flat=True)
    counted = newer[: COUNTED_MOST + 1].count()
    return Place(newer.first(), older.first(), counted + 1 if counted <= COUNTED_MOST else None)


def next_pending(actor: Actor, filters: Filters, after: LearningItem) -> LearningItem | None:
    """What to decide next: the one below, else the newest; never one the actor may not decide."""
    items = with_relations(filtered(actor, filters.but(status=ItemStatus.PENDING))).exclude(pk=after.pk)
    if actor.role not in ADMINS:
        items = items.filter(sensitive=False).exclude(proposed_payload__scope=MemoryScope.ORGANIZATION)
    below = items.filter(pk__lt=after.pk).order_by("-id").first()
    return below or items.order_by("-id").first()
