"""What was saved without asking, looked at afterwards: kept, or undone with one click."""

from uuid import UUID

from django.db import transaction

from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict
from digitalworker.common.types import Actor
from learning.choices import MemoryStatus
from learning.models import Memory
from learning.policies import require_second_look
from learning.queue import embed_soon

from ._withdraw import screen_replaced, withdraw
from .remember import find, lock_live, lock_memory, mark_kept


def undo_autosave(*, actor: Actor, memory_id: UUID, revision: int | None) -> Memory:
    """Out of every prompt, and what it had replaced is known again, if it passes what is looked for today. The same words are
    not saved or asked about again for a month, like those of a rejected proposal (`_same.turned_down_lately`).

    It stays readable as deleted, and can be restored.
    """
    seen = find(actor, memory_id)
    with transaction.atomic():  # screening refuses, and that is audited: not where there is nothing to undo
        _lock_undoable(actor, seen, revision)
    screened = screen_replaced(seen, actor=actor)
    with transaction.atomic():
        memory = _lock_undoable(actor, seen, revision)
        restored = [old.pk for old in withdraw(memory, actor=actor, what="saving", screened=screened) if old.is_live]
        record(
            verb=Verb.AUTOSAVE_UNDONE,
            actor=actor,
            obj=memory,
            role_agent=memory.role_agent,
            details={"restored": restored} if restored else {},
        )
        transaction.on_commit(embed_soon)
    return memory


@transaction.atomic
def keep_autosave(*, actor: Actor, memory_id: UUID, revision: int | None) -> Memory:
    """A person has looked and agrees. From now on it counts as approved: nothing replaces it without asking."""
    memory = lock_live(actor, find(actor, memory_id), revision)
    _require_autosaved(memory)
    if memory.reviewed_at:
        raise Conflict(f"{memory.reviewer_label} looked at this already. Nothing was changed.", code="nothing_to_do")
    require_second_look(actor, memory)
    mark_kept(memory, actor=actor)
    return memory


def _lock_undoable(actor: Actor, seen: Memory, revision: int | None) -> Memory:
    memory = lock_memory(actor, seen, revision)
    _require_autosaved(memory)
    if memory.status == MemoryStatus.DELETED:
        raise Conflict("This is undone or deleted already. Nothing was changed.", code="not_live")
    return memory


def _require_autosaved(memory: Memory) -> None:
    if not memory.autosaved:
        raise Conflict("A person let this in, so there is nothing to undo. Delete it instead.", code="not_autosaved")
