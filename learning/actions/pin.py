"""What stands first in every answer by a person's wish. Few: what is always said leaves less room for what fits the question."""

from uuid import UUID

from django.db import transaction

from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, Full
from digitalworker.common.types import Actor
from learning.choices import MemoryScope
from learning.models import Memory

from ._owner import live_memories
from .remember import agent_of, find, lock_live

PINS_MOST = 5  # of one owner


@transaction.atomic
def pin_memory(*, actor: Actor, memory_id: UUID, revision: int | None) -> Memory:
    """First among the memories of its scope, whatever is asked. At most PINS_MOST of one owner; one more is refused."""
    memory = lock_live(actor, find(actor, memory_id), revision)
    if memory.pinned:
        raise Conflict("This is pinned already.", code="nothing_to_do")
    of_owner = live_memories(memory.scope, agent_of(memory), memory.person)
    if of_owner.filter(pinned=True).count() >= PINS_MOST:
        raise Full(
            f"{_whose(memory)} {PINS_MOST} pinned memories already, which is the most. Unpin one of them first.",
            limit=PINS_MOST,
        )
    return _set(memory, True, actor)


@transaction.atomic
def unpin_memory(*, actor: Actor, memory_id: UUID, revision: int | None) -> Memory:
    """It takes its place by what is asked, as all others do."""
    memory = lock_live(actor, find(actor, memory_id), revision)
    if not memory.pinned:
        raise Conflict("This is not pinned.", code="nothing_to_do")
    return _set(memory, False, actor)


def _set(memory: Memory, pinned: bool, actor: Actor) -> Memory:
    memory.pinned = pinned
    memory.revision += 1
    history.save(memory, actor, "pinned" if pinned else "unpinned")
    verb = Verb.MEMORY_PINNED if pinned else Verb.MEMORY_UNPINNED
    record(verb=verb, actor=actor, obj=memory, role_agent=memory.role_agent)
    return memory


def _whose(memory: Memory) -> str:
    if memory.scope == MemoryScope.PERSON:
        return "This person has"
    return f"{agent_of(memory).name} has"
