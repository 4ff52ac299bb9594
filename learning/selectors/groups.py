"""Pending items that are about the same thing, to be decided together. What counts as alike is worked out by the database
as an item is written (`LearningItem.alike`)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import CharField, Count, Max, Min, QuerySet
from django.db.models.functions import Cast

from digitalworker.common.types import Actor
from learning.choices import ItemStatus
from learning.models import LearningItem
from learning.policies import decidable

from .filters import Filters
from .inbox import filtered, with_relations

MOST = 50  # groups in a list, the largest first: deciding them lets the next ones up


@dataclass(frozen=True, slots=True)
class Group:
    newest: LearningItem
    count: int
    oldest_at: datetime


def _within_reach(actor: Actor, filters: Filters) -> QuerySet[LearningItem]:
    """What the actor may decide and the filters leave, in no order."""
    return decidable(actor, filtered(actor, filters.but(status=ItemStatus.PENDING, sort="")))


def groups(actor: Actor, filters: Filters) -> list[Group]:
    """Two queries, whatever there is."""
    found = (
        _within_reach(actor, filters)
        .order_by()
        .values("role_agent_id", "alike")
        .annotate(number=Count("pk"), newest=Max(Cast("pk", CharField())), oldest_at=Min("created_at"))
        .filter(number__gt=1)
        .order_by("-number", "-newest")[:MOST]
    )
    rows = list(found)
    items = with_relations(_within_reach(actor, filters)).in_bulk([UUID(row["newest"]) for row in rows])
    return [Group(items[UUID(row["newest"])], row["number"], row["oldest_at"]) for row in rows]
