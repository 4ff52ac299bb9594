"""Conversations as people read them, restricted to the role-agents the actor sees."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left

from digitalworker.agents.history import Filters
from digitalworker.agents.models import Channel, ChatEvent, RoleAgent, Thread
from digitalworker.agents.policies import visible_agents
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor
from learning.choices import ItemStatus, MemoryStatus
from learning.models import LearningItem, Memory
from learning.policies import visible_items, visible_memories

from ..models import AgentRun
from ..policies import visible_threads

EVENTS_A_PAGE = 50
AFTER_TARGET = 15  # messages from one that a link points at to the end of its page
OPENING_MOST = 140
NEWEST_FIRST = ("-occurred_at", "-id")
OLDEST_FIRST = ("occurred_at", "id")


@dataclass(slots=True)
class Line:
    """One event with what came of it. `run` is the answer it asked for or gave; `memories` are those that rest on it and
    on no proposal that is here as well."""

    event: ChatEvent
    run: AgentRun | None = None
    items: list[LearningItem] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)


class ThreadRow(NamedTuple):
    """A conversation in a list; `opening` is the beginning of the first text in it."""

    thread: Thread
    events: int
    opening: str


def get_thread(actor: Actor, thread_id: UUID) -> Thread:
    threads = visible_threads(actor).select_related("role_agent", "channel", "person", "organization")
    thread = threads.filter(pk=thread_id).first()
    if thread is None:
        raise NotFound("There is no such conversation.")
    return thread


def thread_of_event(actor: Actor, event_id: UUID) -> UUID:
    event = ChatEvent.objects.filter(pk=event_id, role_agent__in=visible_agents(actor).values("pk"))
    thread_id = event.values_list("thread_id", flat=True).first()
    if thread_id is None:
        raise NotFound("There is no such message.")
    return thread_id


def threads_page(
    actor: Actor, *, agent: RoleAgent | None = None, filters: Filters | None = None, cursor: str = ""
) -> Page[ThreadRow]:
    """Latest first. Two queries. Of the filters, who said something means nothing for a whole conversation."""
    threads = visible_threads(actor).filter(last_event_at__isnull=False)
    narrow = filters or Filters()
    asked = {
        "role_agent": agent,
        "channel": narrow.channel,
        "person": narrow.person,
        "last_event_at__gte": narrow.since,
        "last_event_at__lt": narrow.until,
    }
    threads = threads.filter(**{field: value for field, value in asked.items() if value is not None})
    threads = threads.select_related("role_agent", "channel", "person")
    found: Page[Thread] = page(threads, cursor, order=("-last_event_at", "-id"), size=40)
    details = _details([thread.pk for thread in found.rows])
    rows = [ThreadRow(thread, *details.get(thread.pk, (0, ""))) for thread in found.rows]
    return Page(rows, found.next, found.previous)


def _details(ids: list[UUID]) -> dict[UUID, tuple[int, str]]:
    events = ChatEvent.objects.filter(thread=OuterRef("pk")).order_by()
    number = events.values("thread").annotate(number=Count("pk")).values("number")
    opening = events.exclude(text="").order_by(*OLDEST_FIRST).values(start=Left("text", OPENING_MOST))[:1]
    rows = Thread.objects.filter(pk__in=ids).annotate(number=Coalesce(Subquery(number), 0), opening=Subquery(opening))
    return {pk: (count, text or "") for pk, count, text in rows.values_list("pk", "number", "opening")}


def channels_of(agent: RoleAgent) -> list[Channel]:
    return list(Channel.objects.filter(role_agent=agent)[:50])


def events_page(thread: Thread, *, cursor: str = "", event_id: UUID | None = None) -> Page[ChatEvent]:
    """One page of a conversation, its rows oldest first. Without a cursor it is the latest page, or the one with
    `event_id` on it. `next` leads to earlier messages, `previous` to later ones."""
    events = ChatEvent.objects.filter(thread=thread).defer("tsv", "payload")
    if event_id and not cursor:
        cursor = _cursor_above(events, event_id)
    found: Page[ChatEvent] = page(events, cursor, order=NEWEST_FIRST, size=EVENTS_A_PAGE)
    return Page(found.rows[::-1], found.next, found.previous)


def _cursor_above(events: QuerySet[ChatEvent], event_id: UUID) -> str:
    """Where a page must begin for the event to be on it with some of what came after; "" for the latest page."""
    target = events.filter(pk=event_id).values_list("occurred_at", "id").first()
    if target is None:
        raise NotFound("There is no such message.")
    at, pk = target
    after = events.filter(Q(occurred_at__gt=at) | Q(occurred_at=at, id__gt=pk))
    # A cursor names the row it stands at, whichever way the list is read: the end of a short page of what came after,
    # read upwards, is the beginning of our page, read downwards.
    return page(after, order=OLDEST_FIRST, size=AFTER_TARGET).next or ""


def lines_of(actor: Actor, events: Iterable[ChatEvent]) -> list[Line]:
    """The events with their runs, proposals and memories: three queries, however many events."""
    lines = {event.pk: Line(event) for event in events}
    if not lines:
        return []
    runs = AgentRun.objects.filter(Q(question__in=lines) | Q(reply__in=lines))
    for run in runs.only("question", "reply", "status", "error_code", "asked_by_label", "memory_proposed"):
        for event_id in (run.question_id, run.reply_id):
            if event_id in lines:
                lines[event_id].run = run
    told = set()
    for item in _items(actor, lines):
        told.add(item.memory_id)
        for event_id in _rests_on(item, lines):
            lines[event_id].items.append(item)
    for memory in _memories(actor, lines):
        for event_id in _rests_on(memory, lines) if memory.pk not in told else ():
            lines[event_id].memories.append(memory)
    return list(lines.values())


def _rests_on(learned: LearningItem | Memory, lines: dict[UUID, Line]) -> list[UUID]:
    named = {str(learned.event_id), *(ref.get("id") for ref in learned.source_refs)}
    return [event_id for event_id in lines if str(event_id) in named]


def _items(actor: Actor, lines: dict[UUID, Line]) -> QuerySet[LearningItem]:
    """What was proposed because of these events, and what waits about the same people: a message that says what is
    pending already is more evidence for that item."""
    people = {line.event.person_id for line in lines.values() if line.event.person_id}
    named = Q(event__in=lines) | Q(status=ItemStatus.PENDING, person__in=people)
    return visible_items(actor).filter(named).order_by("id")


def _memories(actor: Actor, lines: dict[UUID, Line]) -> QuerySet[Memory]:
    """What is known because of these events, and of the same people what may rest on them as well."""
    people = {line.event.person_id for line in lines.values() if line.event.person_id}
    known = visible_memories(actor).filter(status=MemoryStatus.ACTIVE)
    return known.filter(Q(event__in=lines) | Q(person__in=people)).select_related("role_agent", "person").order_by("id")


def spans_of(learned: LearningItem | Memory, event_id: UUID) -> list[tuple[int, int]]:
    """The character ranges of this message that a proposal or a memory rests on."""
    return [
        (ref["start"], ref["end"])
        for ref in learned.source_refs
        if ref.get("id") == str(event_id) and "start" in ref and "end" in ref
    ]


def latest_turns(thread: Thread, most: int = 40) -> list[ChatEvent]:
    events = ChatEvent.objects.filter(thread=thread).defer("tsv")
    return list(events.order_by(*NEWEST_FIRST)[:most])[::-1]
