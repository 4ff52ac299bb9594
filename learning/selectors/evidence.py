"""What a reviewer weighs beside one proposal: where it comes from, what it would replace, and what is like it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, When

from digitalworker.agents.models import ChatEvent
from digitalworker.common.types import Actor
from learning.choices import ItemStatus
from learning.models import LearningItem, Memory
from learning.models.item import WORDS
from learning.payload import text_of
from learning.policies import TRANSITIONS, may_read_sensitive, visible_items
from learning.sameness import overlap, telling

EVIDENCE_SHOWN = 5
LINES_LOOKED_AT = (
    50  # of an owner's memories, the most used, are compared word by word; where there are more, recall tells
)
ITEMS_LOOKED_AT = 200  # pending ones that share a word, the newest
SIMILAR_MOST = 5
HISTORY_MOST = 30


# --- where it comes from ------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Evidence:
    """One message a proposal rests on, with the character ranges that were taken from it and what was said around it."""

    event: ChatEvent
    spans: list[tuple[int, int]] = field(default_factory=list)
    before: ChatEvent | None = None
    after: ChatEvent | None = None


def evidence_of(item: LearningItem) -> list[Evidence]:
    """The first messages named by `source_refs`, in their order; a message erased meanwhile is left out. One query."""
    refs = [ref for ref in item.source_refs if ref.get("type") == "event"]
    if not refs and item.event_id:
        refs = [{"id": str(item.event_id)}]
    spans: dict[str, list[tuple[int, int]]] = {}
    for ref in refs:
        found = spans.setdefault(ref["id"], [])
        if "start" in ref and "end" in ref:
            found.append((ref["start"], ref["end"]))
    shown = list(spans)[:EVIDENCE_SHOWN]
    if not shown:
        return []
    events = {event.pk: event for event in _told(item.role_agent_id, shown)}
    return [
        Evidence(event, spans[pk], events.get(event.before_id), events.get(event.after_id))
        for pk in shown
        if (event := events.get(UUID(pk)))
    ]


def _told(agent_id: UUID, ids: list[str]) -> Iterable[Any]:
    """These events and their neighbours in the conversation, each with the ids of its own neighbours."""
    there = ChatEvent.objects.filter(thread=OuterRef("thread"))
    at, pk = OuterRef("occurred_at"), OuterRef("id")
    earlier = there.filter(Q(occurred_at__lt=at) | Q(occurred_at=at, id__lt=pk)).order_by("-occurred_at", "-id")
    later = there.filter(Q(occurred_at__gt=at) | Q(occurred_at=at, id__gt=pk)).order_by("occurred_at", "id")
    events = ChatEvent.objects.filter(role_agent=agent_id)
    events = events.annotate(before_id=Subquery(earlier.values("pk")[:1]), after_id=Subquery(later.values("pk")[:1]))
    named = events.filter(pk__in=ids)
    # A union, for an index is entered by each of its ids; by an OR it is not.
    all_ids = named.values("pk").union(named.values("before_id"), named.values("after_id"))
    return events.filter(pk__in=all_ids).select_related("thread__channel", "person", "role_agent").without_vector()


def evidence_of_memory(memory: Memory) -> list[Evidence]:
    """The message a memory was learned from, if it is still there. One query, or none."""
    if not memory.event_id:
        return []
    events = ChatEvent.objects.filter(organization_id=memory.organization_id, pk=memory.event_id)
    refs = memory.source_refs or (memory.item.source_refs if memory.item else [])
    spans = [
        (r["start"], r["end"]) for r in refs if r.get("id") == str(memory.event_id) and "start" in r and "end" in r
    ]
    return [
        Evidence(event, spans)
        for event in events.select_related("thread__channel", "person", "role_agent").without_vector()
    ]


# --- what is known already ----------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Known:
    """The most used memories of a proposal's owner, and `held`, the live one that an approval would replace."""

    lines: list[Memory] = field(default_factory=list)
    held: Memory | None = None


def owner_memories(item: LearningItem) -> QuerySet[Memory]:
    """Live memories of exactly the owner and scope this proposal is for."""
    return Memory.objects.live_of(
        item.proposed_payload.get("scope", ""),
        organization_id=item.organization_id,
        role_agent_id=item.role_agent_id,
        person_id=item.person_id,
    )


def known_beside(item: LearningItem) -> Known:
    """One query."""
    key = item.proposed_payload.get("key")
    replaced = Q(key=key) if key else Q(pk=item.replaces_id)
    lines = list(
        owner_memories(item).order_by(Case(When(replaced, then=0), default=1), "-use_count", "id")[:LINES_LOOKED_AT]
    )
    first = lines[0] if lines else None
    held = first if first and (first.key == key if key else first.pk == item.replaces_id) else None
    return Known(lines, held)


def similar_memories(actor: Actor, item: LearningItem, known: Known, found: list[UUID]) -> list[Memory]:
    """Live memories within the proposal's reach that say something alike, most alike first. One query.

    `found` is what recall takes for alike. It weighs words by how rare they are, which says little while an owner has few
    memories, so among those of `known` half the words in common are enough.
    """
    skip = {item.memory_id, known.held.pk if known.held else None}
    alike = [item.near_id] if item.near_id else []
    alike += found
    alike += [row.pk for row in known.lines if overlap(item.title, str(row))]
    wanted = list(dict.fromkeys(pk for pk in alike if pk not in skip))[:SIMILAR_MOST]
    # Whoever sees the item sees these: they are of its own agent, person and organisation.
    memories = Memory.objects.live().filter(organization_id=item.organization_id, pk__in=wanted).defer("tsv")
    memories = memories.select_related("person", "role_agent")
    by_id = {memory.pk: memory for memory in memories if not memory.sensitive or may_read_sensitive(actor)}
    return [by_id[pk] for pk in wanted if pk in by_id]


def similar_items(actor: Actor, item: LearningItem) -> list[LearningItem]:
    """What else waits for the same agent and shares half of the words, most alike first. One query.

    Sensitive ones only for who may read them: that something is like it tells what it says.
    """
    words = telling(item.title)
    if not words:
        return []
    asked = SearchQuery(" | ".join(f"'{word}'" for word in sorted(words)), config="english", search_type="raw")
    others = visible_items(actor).filter(role_agent=item.role_agent_id, status=ItemStatus.PENDING).exclude(pk=item.pk)
    if not may_read_sensitive(actor):
        others = others.filter(sensitive=False)
    others = others.annotate(words=WORDS).filter(words=asked).select_related("person").order_by("-id")
    rated = []
    for other in others.defer("source_refs", "findings")[:ITEMS_LOOKED_AT]:
        other.role_agent = item.role_agent
        if share := overlap(item.title, other.title):
            rated.append((share, other))
    return [other for _, other in sorted(rated, key=lambda pair: -pair[0])[:SIMILAR_MOST]]


def cheapest_to_forget(item: LearningItem, most: int = 3) -> list[Memory]:
    """What to look at first when there is no room: the owner's least used memories, oldest first."""
    return list(owner_memories(item).order_by("use_count", "id")[:most])


# --- what was done with it ----------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Step:
    """One history row of an item. `before` and `after` are its words where this step changed them, else None."""

    at: datetime
    what: str
    before: str | None = None
    after: str | None = None

    @property
    def is_document(self) -> bool:
        return "\n" in f"{self.before}{self.after}"


def history_of(actor: Actor, item: LearningItem) -> list[Step]:
    """The newest steps first. One query. What it said while it was sensitive stays with who may read that."""
    reads_all = may_read_sensitive(actor)
    rows = list(item.history.select_related("assigned_to").order_by("-history_id")[: HISTORY_MOST + 1])
    steps = []
    for row, older in zip(rows, [*rows, None][1:], strict=True):
        changed = older is not None and older.digest != row.digest
        changed = changed and (reads_all or not (row.sensitive or older.sensitive))
        texts = (text_of(older.proposed_payload), text_of(row.proposed_payload)) if changed else (None, None)
        steps.append(Step(row.history_date, _sentence(row, older, item), *texts))
    return steps[:HISTORY_MOST]


UNMARKED = TRANSITIONS["unmark_sensitive"].past
_DID = {
    "marked as sensitive": "marked it as sensitive",
    UNMARKED: "found it not to be sensitive",
    "given back": "took it from who may not decide it any more",
}


def _sentence(row, older, item: LearningItem) -> str:
    """ "Ada edited it", from what was signed. An agent's worker goes by the agent's name."""
    signed = (row.history_change_reason or "").partition(f": {UNMARKED}: ")  # with why, which is not shown here
    who, _, did = f"{signed[0]}: {UNMARKED}".rpartition(": ") if signed[1] else signed[0].rpartition(": ")
    who = item.role_agent.name if who.startswith("dw_worker:") else who or "Somebody"
    said = f"{who} {_DID.get(did) or f'{did or "changed"} it'}"
    if older is None or row.assigned_to_id in {older.assigned_to_id, None}:
        return said
    return f"{said}, to {row.assigned_to}"
