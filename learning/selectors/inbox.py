"""What waits in the Learning Inbox, seen by one actor: counts, pages, neighbours. What a list holds is in filters.py."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db.models import (
    BooleanField,
    Case,
    Count,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils import timezone

from digitalworker.agents.choices import Role
from digitalworker.agents.models import RoleAgent, User
from digitalworker.agents.policies import ADMINS, reviewers_of, visible_agents
from digitalworker.common.counting import NumberOf
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, beyond, ordering, page
from digitalworker.common.types import Actor
from learning.choices import ItemKind, ItemStatus, MemoryScope
from learning.models import LearningItem
from learning.policies import decidable, may_read_sensitive, visible_items

from .filters import AGEING, DECIDED, KINDS, ME, NOBODY, UPDATES, Filters, apply

PAGE_SIZE = 50
COUNTED_MOST = 1000  # what is not counted in one go for all filters is counted up to here, then it says "1,000+"
ALIKE_COUNTED = 99  # what is alike is counted up to here: a row says no more than that there are many
_AGE = str(AGEING.days)


@dataclass(frozen=True, slots=True)
class Cell:
    """So many pending items are alike in everything that is counted."""

    agent_id: UUID
    kind: str
    scope: str
    risk: str
    sensitive: bool
    assignee: str
    aged: bool
    update: bool
    count: int


class Waiting:
    """All pending items this actor sees, counted in one statement; badges and numbers beside filters are sums of its cells."""

    def __init__(self, actor: Actor, cells: list[Cell]):
        self.actor, self.cells = actor, cells
        self._reads_all = may_read_sensitive(actor)

    def _decidable(self, cell: Cell) -> bool:
        guarded = cell.sensitive or cell.scope == MemoryScope.ORGANIZATION
        return self.actor.role in ADMINS or (self.actor.role == Role.MEMBER and not guarded)

    @cached_property
    def for_me(self) -> int:
        """Pending items this actor may decide: what a badge says."""
        return sum(cell.count for cell in self.cells if self._decidable(cell))

    @cached_property
    def all(self) -> int:
        return sum(cell.count for cell in self.cells)

    @cached_property
    def assigned(self) -> int:
        """What somebody gave this actor to decide."""
        return sum(cell.count for cell in self.cells if cell.assignee == ME)

    def for_me_of(self, agent_id: UUID) -> int:
        return sum(cell.count for cell in self.cells if cell.agent_id == agent_id and self._decidable(cell))

    def of_agent(self, agent_id: UUID) -> int:
        return sum(cell.count for cell in self.cells if cell.agent_id == agent_id)

    def count(self, filters: Filters, agents: dict[str, RoleAgent]) -> int | None:
        """How many rows the list with these filters holds; None where the cells do not tell. `agents` are those seen, by code."""
        uncounted = filters.finding or filters.source or filters.channel or filters.alike or filters.q
        other = filters.assignee not in {"", ME, NOBODY} or filters.age not in {"", _AGE}
        if uncounted or other or filters.status != ItemStatus.PENDING:
            return None
        agent = agents.get(filters.agent)
        return sum(
            cell.count
            for cell in self.cells
            if (not filters.agent or (agent is not None and cell.agent_id == agent.pk)) and self._fits(cell, filters)
        )

    def _fits(self, cell: Cell, filters: Filters) -> bool:
        wanted = {name: getattr(filters, name) for name in ("kind", "scope", "risk", "assignee", "sensitive")}
        return (
            all(not word or getattr(cell, name) == word for name, word in wanted.items())
            and (cell.aged or not filters.age)
            and (cell.update or not filters.updates)
            and (not filters.yours or self._decidable(cell))
            and (self._reads_all or not (cell.sensitive and filters.looks_inside))
        )

    @property
    def kinds(self) -> list[str]:
        """Those that wait, as far as the actor may know."""
        found = {cell.kind for cell in self.cells if self._reads_all or not cell.sensitive}
        return [kind for kind in KINDS if kind in found]


def waiting(actor: Actor) -> Waiting:
    """One query, whatever the number of items, agents and filters."""

    rows = (
        visible_items(actor)
        .filter(status=ItemStatus.PENDING)
        .annotate(
            what=Case(
                When(kind=ItemKind.MEMORY, then=Cast(KT("proposed_payload__kind"), TextField())),
                default=F("kind"),
                output_field=TextField(),
            ),
            scope=Cast(KT("proposed_payload__scope"), TextField()),
            assignee=Case(
                When(assigned_to__isnull=True, then=Value(NOBODY)),
                When(assigned_to_id=actor.user_id, then=Value(ME)),
                default=Value(""),
                output_field=TextField(),
            ),
            aged=_flag(Q(created_at__lt=timezone.now() - AGEING)),
            update=_flag(UPDATES),
        )
        .values_list("role_agent_id", "what", "scope", "risk", "sensitive", "assignee", "aged", "update")
        .annotate(number=Count("pk"))
    )
    return Waiting(actor, [Cell(*row) for row in rows])


def _flag(condition: Q) -> Case:
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())


def inbox_agents(actor: Actor, seen: Iterable[RoleAgent] | None = None) -> dict[str, RoleAgent]:
    """The agents whose proposals this actor reads, by code; `seen` where they were asked for already. NotFound for whom
    there is no inbox."""
    agents = {agent.code: agent for agent in (visible_agents(actor) if seen is None else seen)}
    if not agents and actor.role not in {*ADMINS, Role.AUDITOR}:
        raise NotFound("There is no inbox.")
    return agents


def reviewable(actor: Actor, agents: dict[str, RoleAgent]) -> frozenset[UUID]:
    """The agents of `agents` whose learning the actor decides: all that a manager, admin or owner sees, none of an auditor's."""
    return frozenset() if actor.role == Role.AUDITOR else frozenset(agent.pk for agent in agents.values())


def with_relations(items: QuerySet[LearningItem]) -> QuerySet[LearningItem]:
    related = items.select_related(
        "organization", "role_agent", "person", "replaces", "near", "assigned_to", "memory", "skill", "soul"
    )
    return related.defer("replaces__tsv", "near__tsv", "memory__tsv")


def filtered(actor: Actor, filters: Filters) -> QuerySet[LearningItem]:
    return apply(actor, visible_items(actor), filters)


def inbox_page(actor: Actor, filters: Filters, cursor: str = "", size: int = PAGE_SIZE) -> Page[LearningItem]:
    """One query. `alike_count` of a row: how many pending items it is about the same as, itself included, that the actor
    may decide, up to one more than ALIKE_COUNTED; of a list of one such group it is not asked for."""

    def whole(items: QuerySet[LearningItem]) -> QuerySet[LearningItem]:
        pending = filters.status == ItemStatus.PENDING and not filters.alike
        return with_relations(items).annotate(alike_count=_alike(actor) if pending else Value(0))

    return page(filtered(actor, filters), cursor, order=filters.order, size=size, whole=whole)


def _alike(actor: Actor) -> Subquery:
    same = LearningItem.objects.filter(role_agent=OuterRef("role_agent"), alike=OuterRef("alike"))
    same = decidable(actor, same.filter(status=ItemStatus.PENDING))
    return NumberOf(same.order_by().values("pk")[: ALIKE_COUNTED + 1])


def capped_count(actor: Actor, filters: Filters) -> int:
    """Up to one more than COUNTED_MOST: an archive of a million must not make its page slow."""
    return filtered(actor, filters)[: COUNTED_MOST + 1].count()


def anything_decided(actor: Actor) -> bool:
    return visible_items(actor).filter(status__in=DECIDED).exists()


def find_item(actor: Actor, item_id: UUID, *, with_event: bool = False) -> LearningItem:
    items = with_relations(visible_items(actor))
    if with_event:
        items = items.select_related("event").defer("event__tsv")
    item = items.filter(pk=item_id).first()
    if item is None:
        raise NotFound("There is no such learning item.")
    return item


def find_items(actor: Actor, ids: list[str]) -> list[LearningItem]:
    return list(with_relations(visible_items(actor)).filter(pk__in=ids).order_by("-pk"))


def reviewers_of_all(actor: Actor, ids: list[UUID]) -> list[User]:
    """Who may decide every one of these items, by name."""
    items = visible_items(actor).filter(pk__in=ids)
    guarded = Q(sensitive=True) | Q(proposed_payload__scope=MemoryScope.ORGANIZATION)
    kinds = items.order_by().annotate(guarded=_flag(guarded)).values_list("role_agent_id", "guarded").distinct()
    found: dict[User, int] = {}
    asked = list(kinds)
    for agent_id, is_guarded in asked:
        for user in reviewers_of(actor.organization_id, agent_id, guarded=is_guarded):
            found[user] = found.get(user, 0) + 1
    return [user for user, times in found.items() if times == len(asked)]


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


def place_of(actor: Actor, filters: Filters, item: LearningItem) -> Place:
    """One query, for a pane that comes without its list."""
    values = filters.place(actor, item)
    if values is None:
        return Place()
    items, order = filtered(actor, filters), filters.order
    above = items.filter(beyond(order, values, backwards=True)).order_by(*ordering(order, backwards=True))
    below = items.filter(beyond(order, values)).order_by(*order)
    found = (
        LearningItem.objects.filter(pk=item.pk)
        .annotate(
            newer=Subquery(above.values("pk")[:1]),
            older=Subquery(below.values("pk")[:1]),
            before=NumberOf(above.order_by().values("pk")[: COUNTED_MOST + 1]),
        )
        .values_list("newer", "older", "before")
    )
    newer, older, before = found.get()
    return Place(newer, older, before + 1 if before <= COUNTED_MOST else None)


def next_pending(actor: Actor, filters: Filters, after: LearningItem) -> LearningItem | None:
    """What to decide next: the one below, else the first of the list; never one the actor may not decide."""
    filters = filters.but(status=ItemStatus.PENDING)
    items = with_relations(decidable(actor, filtered(actor, filters))).exclude(pk=after.pk).order_by(*filters.order)
    values = filters.place(actor, after)
    below = items.filter(beyond(filters.order, values)).first() if values else None
    return below or items.first()
