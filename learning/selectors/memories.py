"""What is known, seen by one actor: one memory with its past. Lists are in `library`."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import NotFound
from digitalworker.common.types import Actor
from learning.models import Memory
from learning.policies import may_read_sensitive, visible_memories
from learning.story import Step, steps

from .library import MemoryFilters, parts_of

HISTORY_MOST = 30
CHAIN_MOST = 20


def most_used(actor: Actor, agent: RoleAgent, most: int = 5) -> list[Memory]:
    """One query: the most used of each part, and of those the most used."""
    parts = [part.filter(use_count__gt=0) for part in parts_of(actor, agent, MemoryFilters())]
    if not may_read_sensitive(actor):
        parts = [part.filter(sensitive=False) for part in parts]
    first, *also = [part.order_by("-use_count", "-id").values("pk")[:most] for part in parts]
    found = Memory.objects.filter(pk__in=first.union(*also, all=True)).defer("tsv")
    return list(found.select_related("person", "role_agent").order_by("-use_count", "-id")[:most])


def find_memory(actor: Actor, memory_id: UUID) -> Memory:
    related = ("role_agent", "person", "organization", "item", "superseded_by", "event__person")
    memories = visible_memories(actor).select_related(*related).defer("tsv", "superseded_by__tsv", "event__tsv")
    memory = memories.filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("There is no such memory.")
    return memory


def life_of(actor: Actor, memory: Memory) -> list[Step]:
    """What happened to it, newest first, from the history rows. One query."""
    rows = list(memory.history.order_by("-history_date", "-history_id")[: HISTORY_MOST + 1])
    return steps(rows, str(memory.role_agent or ""), reads_all=may_read_sensitive(actor))[:HISTORY_MOST]


@dataclass(frozen=True, slots=True)
class Link:
    """One memory of a line in which each took the place of the one before. `older`: what it says otherwise than."""

    memory: Memory
    older: Memory | None


def line_of(actor: Actor, memory: Memory) -> list[Link]:
    """What this memory took the place of and what took its place, itself among them, newest first; nothing where it stands
    alone. Two queries. Of a line that leads into what the actor does not see, the part they see."""
    with connection.cursor() as cursor:
        cursor.execute(_LINE, {"memory": memory.pk, "most": CHAIN_MOST})
        places = dict(cursor.fetchall())
    if not places:
        return []
    seen = visible_memories(actor).select_related("role_agent", "person").filter(pk__in=places)
    line = sorted([memory, *seen], key=lambda each: -places.get(each.pk, 0))
    return [Link(each, older) for each, older in zip(line, [*line[1:], None], strict=True)]


# Steps from the memory: older ones below zero, newer ones above.
_LINE = """
WITH RECURSIVE
older AS (
    SELECT id, -1 AS place FROM learning_memory WHERE superseded_by_id = %(memory)s
    UNION ALL
    SELECT m.id, o.place - 1 FROM learning_memory m JOIN older o ON m.superseded_by_id = o.id WHERE o.place > -%(most)s
),
newer AS (
    SELECT superseded_by_id AS id, 1 AS place FROM learning_memory WHERE id = %(memory)s
    UNION ALL
    SELECT m.superseded_by_id, n.place + 1 FROM learning_memory m JOIN newer n ON m.id = n.id WHERE n.place < %(most)s
)
SELECT id, place FROM older UNION ALL SELECT id, place FROM newer WHERE id IS NOT NULL
"""
