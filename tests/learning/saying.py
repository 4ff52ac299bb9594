"""Telling an agent something and looking at what became of it, for tests of detection."""

from datetime import timedelta
from unittest import mock

from django.utils import timezone

from digitalworker.agents.actions.conversations import EventDraft
from digitalworker.common.types import system_actor
from learning import queue
from learning.actions.intake import take_in
from learning.models import Detection


def say(agent, text, **fields):
    """The event of one message by ABC, its sender checked, and still to be looked at."""
    fields = {"kind": "message", "author_kind": "person", "external_user_id": "ABC", "verified": True, **fields}
    with mock.patch.object(queue, "async_task"):
        actor = system_actor(agent.organization_id)
        [one] = take_in(actor=actor, role_agent=agent, drafts=[EventDraft(text=text, **fields)])
    return one.event


def detection_of(event):
    return Detection.objects.get(event=event)


def outcome(event):
    row = detection_of(event)
    return row.state, row.outcome


def due_again():
    Detection.objects.filter(state="pending").update(due_at=timezone.now() - timedelta(seconds=1))
