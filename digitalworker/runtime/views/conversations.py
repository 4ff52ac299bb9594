"""Conversations, as they were."""

from itertools import groupby
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from digitalworker.agents.web import member_required
from learning.models import LearningItem, Memory
from learning.words import hidden_from

from .. import words
from ..forms import id_of
from ..selectors import conversations
from ..selectors.conversations import Line


@require_GET
@member_required
def conversation(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = conversations.get_thread(request.actor, thread_id)
    request.current_agent = thread.role_agent
    target = id_of(request, "event")
    page = conversations.events_page(thread, cursor=request.GET.get("cursor", ""), event_id=target)
    lines = [bubble(request, line, thread, target) for line in conversations.lines_of(request.actor, page.rows)]
    days = [(day, list(group)) for day, group in groupby(lines, key=lambda line: line["day"])]
    context = {
        "thread": thread,
        "agent": thread.role_agent,
        "person": words.nobody(thread.person),
        "page": page,
        "days": days,
        "stores_text": thread.organization.stores_text,
    }
    return render(request, "runtime/conversation.html", context)


def bubble(request: HttpRequest, line: Line, thread, target: UUID | None) -> dict:
    """What components/bubble.html needs for one event."""
    event = line.event
    found: list[LearningItem | Memory] = [*line.items, *line.memories]
    learned = [(each, hidden_from(request.actor, each)) for each in found]
    return {
        "event": event,
        "day": timezone.localdate(event.occurred_at),
        "anchor": f"e-{event.pk}",
        "author": words.author_of(event, thread.role_agent.name, thread.person),
        "target": event.pk == target,
        "spans": [span for each, hidden in learned if not hidden for span in conversations.spans_of(each, event.pk)],
        "note": words.notes(line, learned),
        # Replies are the agent's own words; only what somebody handed in can come from the wrong hands.
        "verified": event.verified if event.author_kind == "person" else None,
    }


@require_GET
@member_required
def message(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """The conversation, at one message of it."""
    thread_id = conversations.thread_of_event(request.actor, event_id)
    return redirect(f"{reverse('runtime:conversation', args=[thread_id])}?event={event_id}#e-{event_id}")
