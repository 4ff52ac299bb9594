"""From a memory to a skill and back, while it is still only proposed."""

from uuid import UUID

from django.db import transaction

from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.types import Actor
from learning.choices import ItemKind
from learning.drafts import Draft, payload_of
from learning.models import LearningItem
from learning.payload import Payload
from learning.policies import require_transition
from learning.skill_draft import SkillDraft, draft_of, memory_of

from ._item import find_to, note_editor, save_pending, take
from ._screening import screen

TAKEN = "Another pending item says exactly this already. Decide that one instead."


def convert(*, actor: Actor, item_id: UUID, revision: int | None) -> LearningItem:
    """A memory becomes the draft of a skill, a skill proposal a memory. It stays pending, for the same scope; a draft that
    nobody changed gives back the very memory it was written from."""
    item = find_to(actor, item_id, "convert", revision)
    require_transition(item, "convert")  # what is about a person can not even be written as a skill
    payload, is_restored = _other_way(item)
    findings = screen(actor=actor, role_agent=item.role_agent, payload=payload)
    with transaction.atomic():
        item, transition = take(actor, item, "convert", revision, item.digest, findings, payload.content)
        before = item.kind
        item.kind = ItemKind.MEMORY if isinstance(payload, Payload) else ItemKind.SKILL
        item.proposed_payload, item.digest = payload.as_json(), payload.digest
        item.dedupe_key = payload.dedupe_key(item.person_id)
        if not is_restored:
            item.replaces = None  # other words than those that were found to say otherwise
        note_editor(item, actor)
        item.revision += 1
        save_pending(item, actor, transition.past, TAKEN)
        record(
            verb=Verb.ITEM_CONVERTED,
            actor=actor,
            obj=item,
            role_agent=item.role_agent,
            details={"changed": {"kind": [before, item.kind]}},
        )
    return item


def _other_way(item: LearningItem) -> tuple[Draft, bool]:
    """What it becomes, and whether that is what it was proposed as or still stands for it."""
    payload = payload_of(item)
    if isinstance(payload, SkillDraft):
        return memory_of(payload), payload.is_as_written
    assert isinstance(payload, Payload)  # noqa: S101 - the table lets nothing else be converted
    return draft_of(payload, agent=item.role_agent.code, risk=item.risk), True
