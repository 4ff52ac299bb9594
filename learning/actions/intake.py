"""The only way events come in: recorded, and noted as still to be looked at, in one transaction."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from digitalworker.agents.actions.conversations import EventDraft, Recorded, record_events
from digitalworker.agents.models import RoleAgent
from digitalworker.common.types import Actor
from learning.choices import DetectionState, Outcome
from learning.models import Detection
from learning.queue import detect_soon


def take_in(*, actor: Actor, role_agent: RoleAgent, drafts: Sequence[EventDraft]) -> list[Recorded]:
    """`record_events`, plus a Detection for each event that is new and one task that looks at them after the commit.

    What is said while learning is paused is never learned, also not after learning resumes, so those events are settled
    here and now.
    """
    with transaction.atomic():
        recorded = record_events(actor=actor, role_agent=role_agent, drafts=drafts)
        fresh = [one.event for one in recorded if one.created]
        if not fresh:
            return recorded
        agent = fresh[0].role_agent  # read a moment ago, unlike the caller's
        learns = agent.learning_enabled and agent.organization.stores_text
        now = timezone.now()
        Detection.objects.bulk_create(
            Detection(
                event=event,
                organization_id=event.organization_id,
                role_agent_id=event.role_agent_id,
                state=DetectionState.PENDING if learns else DetectionState.DONE,
                outcome="" if learns else Outcome.NOT_LEARNING,
                due_at=now,
                finished_at=None if learns else now,
            )
            for event in fresh
        )
        if learns:
            transaction.on_commit(detect_soon)
    return recorded
