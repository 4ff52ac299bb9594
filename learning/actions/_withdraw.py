"""Taking a memory back as if it had never been let in."""

from django.utils import timezone

from digitalworker.common import history
from digitalworker.common.types import Actor
from learning.choices import MemoryStatus
from learning.models import Memory


def withdraw(memory: Memory, *, actor: Actor, what: str) -> list[Memory]:
    """Out of every prompt; its place goes back to what it had superseded, which is answered. `what` was undone, for the
    histories. The caller has locked the owner.

    Where a newer one stands in its place by now, this one leaves the line between them: else undoing the newer one as well
    would bring back words that were taken back themselves.
    """
    newer, pinned = memory.superseded_by_id, memory.pinned
    memory.status, memory.deleted_at, memory.superseded_by_id = MemoryStatus.DELETED, timezone.now(), None
    memory.pinned = False
    memory.revision += 1
    history.save(memory, actor, f"{what} undone")
    replaced = list(Memory.objects.filter(superseded_by=memory, status=MemoryStatus.SUPERSEDED).defer("tsv"))
    for before in replaced:
        before.superseded_by_id = newer
        if newer is None:
            before.status, before.pinned, pinned = MemoryStatus.ACTIVE, pinned, False
        before.revision += 1
        history.save(before, actor, f"the {what} that replaced it was undone")
    return replaced
