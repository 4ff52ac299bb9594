"""What one message led to: whether it has been looked at, and what is proposed or was saved because of it."""

from dataclasses import dataclass, field

from django.db.models import Q

from digitalworker.agents.models import ChatEvent
from digitalworker.common.types import Actor
from learning.choices import DetectionState, ItemStatus, Outcome, Setback
from learning.models import Detection, LearningItem, Memory
from learning.policies import visible_items, visible_memories
from learning.words import hidden_from

SAYS = {
    Outcome.NOT_LEARNING: "Learning is off here, so nothing is learned from this.",
    Outcome.TRIAGED: "Nothing to learn from this.",
    Outcome.SKIPPED: "Nothing to learn from this.",
    Outcome.SAVED: "What was saved from this is not known any more.",
    Outcome.PROPOSED: "What was proposed from this is not waiting any more.",
    Outcome.SENSITIVE: "What was proposed from this is not waiting any more.",
    Outcome.SKILL: "It is noted, and may become a skill.",
    Outcome.KNOWN: "It is known already, or was decided before.",
    Outcome.REFUSED: "It holds something that is never stored, so it was refused.",
}


# A message that was saved from may have been proposed from as well, and then ended as that.
CAME_OF_IT = {Outcome.SAVED, Outcome.PROPOSED, Outcome.SENSITIVE}


@dataclass(slots=True)
class Learned:
    """`looking`: the answer is not in yet. `items` are (item, hidden) pairs; hidden ones may be counted, not read.
    `saved` is what policy let in at once, likewise."""

    looking: bool
    says: str = ""
    items: list[tuple[LearningItem, bool]] = field(default_factory=list)
    saved: list[tuple[Memory, bool]] = field(default_factory=list)

    @property
    def waiting(self) -> int:
        return sum(item.is_pending for item, _ in self.items)


def learned_from(actor: Actor, event: ChatEvent) -> Learned:
    """One query where the event's detection is loaded already and nothing came of it; two where something did."""
    # A message that says what is pending already became more evidence for that item.
    named = Q(event=event) | Q(status=ItemStatus.PENDING, source_refs__contains=[{"id": str(event.pk)}])
    items = visible_items(actor).filter(named, role_agent_id=event.role_agent_id)
    found = [(item, hidden_from(actor, item)) for item in items.select_related("person").order_by("id")]
    detection = _detection(event)
    saved = _saved_from(actor, event) if detection and detection.outcome in CAME_OF_IT else []
    if detection is None or detection.state == DetectionState.DONE:
        says = SAYS[Outcome(detection.outcome)] if detection and detection.outcome else SAYS[Outcome.SKIPPED]
        return Learned(False, says, found, saved)
    if detection.state == DetectionState.FAILED:
        return Learned(False, "Looking for something to learn failed. The answer is not affected.", found, saved)
    if detection.setback:
        why = Setback(detection.setback).label
        return Learned(
            False, f"It is looked at for something to learn later on: {why[0].lower()}{why[1:]}.", found, saved
        )
    return Learned(True, "Looking whether there is anything to learn", found, saved)


def _saved_from(actor: Actor, event: ChatEvent) -> list[tuple[Memory, bool]]:
    memories = visible_memories(actor).filter(event=event, role_agent_id=event.role_agent_id, autosaved=True)
    return [(memory, hidden_from(actor, memory)) for memory in memories.order_by("id")]


def _detection(event: ChatEvent) -> Detection | None:
    try:
        return event.detection
    except Detection.DoesNotExist:
        return None
