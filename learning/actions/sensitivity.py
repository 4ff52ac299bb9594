"""Who may read a proposal: marking it as sensitive takes its words from everybody but owners, admins and auditors."""

from uuid import UUID

from django.db import transaction

from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.text import within
from digitalworker.common.types import Actor
from learning.models import LearningItem, Memory
from learning.models.item import REASON_MOST
from learning.policies import possible_reviewers

from ._audited import audited_reason, because
from ._item import find, take


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
    reason = within(reason, field="reason", most=REASON_MOST)
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
