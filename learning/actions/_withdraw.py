"""Taking a memory back as if it had never been let in."""

from collections.abc import Iterable
from uuid import UUID

from django.utils import timezone

from digitalworker.common import history
from digitalworker.common.errors import Conflict, Refused
from digitalworker.common.types import Actor
from learning.choices import MemoryStatus
from learning.models import Memory
from learning.payload import checked
from learning.policies import require_decision

from ._screening import screen
from .remember import agent_of


def screen_replaced(memory: Memory | None, *, actor: Actor) -> set[UUID]:
    """Which memories a withdrawal of this one may bring back: their words pass what is looked for today. Called before the
    action's own transaction, like `screen`, which refuses; and only who may take it back is told so.
    """
    if memory is None or memory.superseded_by_id:  # a newer one stands in its place, so nothing comes back
        return set()
    require_decision(actor, role_agent=agent_of(memory), scope=memory.scope, sensitive=memory.sensitive)
    screened = set()
    for before in _replaced_by(memory):
        payload = checked(scope=before.scope, kind=before.kind, key=before.key, content=before.content)
        try:
            screen(actor=actor, role_agent=before.role_agent, payload=payload)
        except Refused as refusal:
            raise Refused(
                f"What this had replaced would be known again, and can not be: {refusal.detail} Delete the memory itself "
                "instead; then nothing comes back. Nothing was changed.",
                code=refusal.code,
                **refusal.extra,
            ) from None
        screened.add(before.pk)
    return screened


def withdraw(memory: Memory, *, actor: Actor, what: str, screened: Iterable[UUID]) -> list[Memory]:
    """Out of every prompt; its place goes back to what it had superseded, which is answered. `what` was undone, for the
    histories; `screened` is what `screen_replaced` answered. The caller has locked the owner.

    Where a newer one stands in its place by now, this one leaves the line between them: else undoing the newer one as well
    would bring back words that were taken back themselves.
    """
    newer, pinned = memory.superseded_by_id, memory.pinned
    replaced = list(_replaced_by(memory))
    if newer is None and not {before.pk for before in replaced} <= set(screened):
        raise Conflict(
            "What this had replaced changed meanwhile. Try again. Nothing was changed.", code="stale_revision"
        )
    memory.status, memory.deleted_at, memory.superseded_by_id = MemoryStatus.DELETED, timezone.now(), None
    memory.pinned = False
    memory.revision += 1
    history.save(memory, actor, f"{what} undone")
    for before in replaced:
        before.superseded_by_id = newer
        if newer is None:
            before.status, before.pinned, pinned = MemoryStatus.ACTIVE, pinned, False
        before.revision += 1
        history.save(before, actor, f"the {what} that replaced it was undone")
    return replaced


def _replaced_by(memory: Memory):
    rows = Memory.objects.filter(superseded_by=memory, status=MemoryStatus.SUPERSEDED)
    return rows.select_related("role_agent").defer("tsv")
