"""Who may read a proposal or a memory: what is sensitive keeps its words from everybody but owners, admins and auditors."""

from uuid import UUID

from django.db import transaction

from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict
from digitalworker.common.text import reason_within
from digitalworker.common.types import Actor
from learning.models import LearningItem, Memory
from learning.policies import TRANSITIONS, possible_reviewers

from ._audited import audited_reason, because
from ._item import find, take
from ._owner import live_memories
from .remember import agent_of, lock_memory
from .remember import find as find_memory

UNMARKED = TRANSITIONS["unmark_sensitive"].past


@transaction.atomic
def mark_sensitive(*, actor: Actor, item_id: UUID, revision: int | None) -> LearningItem:
    """From now on only an owner or an admin decides it, and a manager sees that it exists. Whoever may decide it may do
    this, and a manager who does can not take it back. It asks for no reason: a reason would say what it says."""
    item, transition = take(actor, find(actor, item_id), "mark_sensitive", revision)
    guard(item, actor, transition.past)
    return item


def guard(item: LearningItem, actor: Actor, past: str) -> None:
    """From now on an owner's or an admin's, whoever had it before. The caller has locked the item."""
    item.sensitive = True
    before = item.assigned_to
    if before is not None and not possible_reviewers(item).filter(pk=before.pk).exists():
        item.assigned_to = None
    item.revision += 1
    history.save(item, actor, past)
    # What an approval that was undone had made says the same, and is read in the list of what is not known any more.
    for memory in Memory.objects.select_for_update().filter(item=item, sensitive=False).order_by("pk"):
        memory.sensitive = True
        memory.revision += 1
        history.save(memory, actor, past)
    gone = {"changed": {"reviewer": [str(before), None]}} if before is not None and item.assigned_to is None else {}
    record(verb=Verb.ITEM_MARKED_SENSITIVE, actor=actor, obj=item, role_agent=item.role_agent, details=gone)


@transaction.atomic
def unmark_sensitive(*, actor: Actor, item_id: UUID, revision: int | None, reason: str) -> LearningItem:
    """The agent's managers read and decide it again. An owner's or admin's act, who says why; what screening found stays
    beside it."""
    item, transition = take(actor, find(actor, item_id), "unmark_sensitive", revision)
    reason = reason_within(reason, least=1)
    item.sensitive = False
    item.revision += 1
    history.save(item, actor, because(transition.past, reason))
    record(
        verb=Verb.ITEM_UNMARKED_SENSITIVE,
        actor=actor,
        obj=item,
        role_agent=item.role_agent,
        reason=audited_reason(item, reason),
    )
    return item


@transaction.atomic
def unmark_memory(*, actor: Actor, memory_id: UUID, revision: int | None, reason: str) -> Memory:
    """What is known, in whatever state, is read and decided by the agent's managers again. An owner's or admin's act, who says
    why. What it said before stays with them: its older words may be the ones that were sensitive."""
    memory = lock_memory(actor, find_memory(actor, memory_id), revision)
    if not memory.sensitive:
        raise Conflict("This is not sensitive. Nothing was changed.", code="same_already")
    reason = reason_within(reason, least=1)
    if memory.is_live and not memory.key:  # two in the same words stand beside each other only while one is hidden
        same = live_memories(memory.scope, agent_of(memory), memory.person).filter(key=None, digest=memory.digest)
        if twin := same.filter(sensitive=False).first():
            raise Conflict(
                "Another memory that is not sensitive says exactly this already. Delete one of the two first.",
                code="known_already",
                holder=str(twin.pk),
            )
    memory.sensitive = False
    memory.revision += 1
    history.save(memory, actor, because(UNMARKED, reason))
    record(
        verb=Verb.MEMORY_UNMARKED_SENSITIVE,
        actor=actor,
        obj=memory,
        role_agent=memory.role_agent,
        reason=audited_reason(memory, reason),
    )
    return memory
