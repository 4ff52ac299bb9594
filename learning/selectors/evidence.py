"""What a reviewer weighs beside one proposal: where it comes from, what it would change, what is known already."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Case, Count, QuerySet, Sum, When, Window
from django.db.models.functions import Coalesce, Length

from digitalworker.agents.models import ChatEvent
from digitalworker.common.types import Actor
from learning import recall
from learning.choices import MemoryKind, MemoryScope
from learning.models import LearningItem, Memory
from learning.policies import may_read_sensitive
from learning.sections import HIDDEN, line_of, title_of

EVIDENCE_SHOWN = 5
LINES_OF_PERSON = 200  # a person's profile and rules are in every answer
LINES_SHOWN = 20  # of an agent's thousands: as many as one answer holds, the most used
SIMILAR_MOST = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """One message a proposal rests on, with the character ranges that were taken from it."""

    event: ChatEvent
    spans: list[tuple[int, int]] = field(default_factory=list)


def evidence_of(item: LearningItem) -> list[Evidence]:
    """The first messages named by `source_refs`, in their order; a message erased meanwhile is left out. One query."""
    refs = [ref for ref in item.source_refs if ref.get("type") == "event"][:EVIDENCE_SHOWN]
    if not refs and item.event_id:
        refs = [{"id": str(item.event_id)}]
    if not refs:
        return []
    events = {
        str(event.pk): event
        for event in ChatEvent.objects.filter(role_agent=item.role_agent_id, pk__in=[ref["id"] for ref in refs])
        .select_related("thread__channel", "person")
        .without_vector()
    }
    return [
        Evidence(events[ref["id"]], [(ref["start"], ref["end"])] if "start" in ref and "end" in ref else [])
        for ref in refs
        if ref["id"] in events
    ]


def evidence_of_memory(memory: Memory) -> list[Evidence]:
    """The message a memory was learned from, if it is still there. One query, or none."""
    if not memory.event_id:
        return []
    events = ChatEvent.objects.filter(organization_id=memory.organization_id, pk=memory.event_id)
    refs = memory.item.source_refs if memory.item else []
    spans = [
        (r["start"], r["end"]) for r in refs if r.get("id") == str(memory.event_id) and "start" in r and "end" in r
    ]
    return [Evidence(event, spans) for event in events.select_related("thread__channel", "person").without_vector()]


@dataclass(frozen=True, slots=True)
class Known:
    """The memories of a proposal's owner: the lines of its context section, and how much room they take.

    `used` counts characters of all of them, `more` those this proposal would add (less what it replaces); `held` is the
    live memory it would replace.
    """

    lines: Sequence[Memory] = field(default_factory=list)
    total: int = 0
    used: int = 0
    more: int = 0
    held: Memory | None = None
    before: str = ""
    after: str = ""


def owner_memories(item: LearningItem) -> QuerySet[Memory]:
    """Live memories of exactly the owner and scope this proposal is for."""
    return Memory.objects.live_of(
        item.proposed_payload.get("scope", ""),
        organization_id=item.organization_id,
        role_agent_id=item.role_agent_id,
        person_id=item.person_id,
    )


def known_beside(actor: Actor, item: LearningItem, organization: str) -> Known:
    """What is known of the same owner now, and after an approval. One query."""
    payload = item.proposed_payload
    key, content = payload.get("key"), payload.get("content", "")
    length = Length("content") + Coalesce(Length("key") + 2, 0)
    most = LINES_OF_PERSON if item.person_id else LINES_SHOWN
    rows = list(
        owner_memories(item)
        .annotate(characters=length, all_characters=Window(Sum(length)), all_rows=Window(Count("pk")))
        .order_by(Case(When(key=key or "", then=0), default=1), "-use_count", "id")[:most]
    )
    held = rows[0] if rows and key and rows[0].key == key else None
    rows.sort(key=lambda row: (-row.use_count, row.pk))
    reads_all = may_read_sensitive(actor)
    shown = lambda row: HIDDEN if row.sensitive and not reads_all else line_of(row.key, row.content)  # noqa: E731
    is_rule = payload.get("kind") == MemoryKind.RULE
    if payload.get("scope") == MemoryScope.PERSON:
        rows_of_section = [row for row in rows if (row.kind == MemoryKind.RULE) == is_rule]
    else:
        rows_of_section = rows
    title = title_of(
        payload.get("scope", ""), payload.get("kind", ""), organization=organization, agent=item.role_agent.name
    )
    heading = f"## {title}"
    fresh = line_of(key, content)
    before = [heading, *(f"- {shown(row)}" for row in rows_of_section)]
    after = [heading, *(f"- {fresh if row is held else shown(row)}" for row in rows_of_section)]
    if held is None or held not in rows_of_section:
        after.append(f"- {fresh}")
    return Known(
        lines=rows,
        total=rows[0].all_rows if rows else 0,
        used=rows[0].all_characters if rows else 0,
        more=max(0, len(fresh) - (held.characters if held else 0)),
        held=held,
        before="\n".join(before if rows_of_section else []),
        after="\n".join(after),
    )


def similar_memories(actor: Actor, item: LearningItem, known: Known | None = None) -> list[Memory]:
    """Live memories within the proposal's reach that say something alike, most alike first. Two queries.

    By words alone: to ask an embedding engine would make the page wait. Recall weighs words by how rare they are, which
    says little while an owner has few memories, so among those of `known` half the words in common are enough.
    """
    found = recall.similar(
        organization_id=item.organization_id,
        role_agent_id=item.role_agent_id,
        person_id=item.person_id,
        text=item.title,
        most=SIMILAR_MOST + 1,
    )
    skip = {item.memory_id, known.held.pk if known and known.held else None}
    alike = [candidate.id for candidate in found]
    alike += [row.pk for row in known.lines if _overlaps(item, row)] if known else []
    wanted = list(dict.fromkeys(pk for pk in alike if pk not in skip))[:SIMILAR_MOST]
    # Whoever sees the item sees these: they are of its own agent, person and organisation.
    memories = Memory.objects.filter(organization_id=item.organization_id, pk__in=wanted).defer("tsv")
    memories = memories.select_related("person", "role_agent")
    by_id = {memory.pk: memory for memory in memories if not memory.sensitive or may_read_sensitive(actor)}
    return [by_id[pk] for pk in wanted if pk in by_id]


def _overlaps(item: LearningItem, memory: Memory) -> bool:
    mine, theirs = _words(item.title), _words(str(memory))
    return len(mine & theirs) * 2 >= max(len(mine), len(theirs), 2)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 2}


def cheapest_to_forget(item: LearningItem, most: int = 3) -> list[Memory]:
    """What to look at first when there is no room: the owner's least used memories, oldest first."""
    return list(owner_memories(item).order_by("use_count", "id")[:most])
