"""From one role-agent to all of them, and back."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict
from digitalworker.common.ids import uuid7
from digitalworker.common.types import Actor
from learning.choices import MemoryScope, MemoryStatus
from learning.models import Memory
from learning.payload import checked
from learning.policies import require_decision, require_second_look
from learning.queue import embed_soon

from ._audited import audited_reason, because
from ._owner import live_memories, lock_owner, require_room
from ._screening import screen, unlooked
from ._withdraw import screen_replaced, withdraw
from .remember import agent_of, find, lock_live, mark_superseded

ORGANIZATION = MemoryScope.ORGANIZATION


def promote_memory(*, actor: Actor, memory_id: UUID, revision: int | None, reason: str = "") -> Memory:
    """What one role-agent knows becomes what everyone knows: the same words, moved. The agent's own row is superseded by the
    organisation's, which is answered. Owners and admins only.

    Where it was heard stays with the agent's row, for those who may read that agent's conversations.
    """
    memory = find(actor, memory_id)
    agent = agent_of(memory)
    require_decision(actor, role_agent=agent, scope=ORGANIZATION, sensitive=memory.sensitive)
    _require_of_agent(memory)
    payload = checked(scope=ORGANIZATION, kind=memory.kind, key=memory.key, content=memory.content)
    findings = screen(actor=actor, role_agent=memory.role_agent, payload=payload)
    with transaction.atomic():
        lock_owner(ORGANIZATION, agent, None)  # always before the agent
        require_decision(actor, role_agent=agent, scope=ORGANIZATION, sensitive=memory.sensitive)
        memory = lock_live(actor, memory, memory.revision if revision is None else revision)  # the words just screened
        require_second_look(actor, memory)
        _require_place(agent, payload.key, payload.digest)
        require_room(ORGANIZATION, agent, None)
        wide = Memory(
            id=uuid7(),
            organization_id=memory.organization_id,
            **payload.as_json(),
            digest=payload.digest,
            risk=memory.risk,
            sensitive=memory.sensitive or bool(unlooked(findings, memory)),
            pii_entities=memory.pii_entities,
            confidence=memory.confidence,
            source=memory.source,
            created_by_label=memory.created_by_label,
            detector=memory.detector,
            evidence_count=memory.evidence_count,
            reviewer_id=actor.user_id,
            reviewer_label=actor.label,
            reviewed_at=timezone.now(),
        )
        mark_superseded(memory, by=wide, actor=actor)
        history.save(wide, actor, because("promoted", reason), force_insert=True)
        record(
            verb=Verb.MEMORY_PROMOTED,
            actor=actor,
            obj=wide,
            role_agent=agent,  # it is the agent's audit that tells where its memory went
            label=memory.audit_label(),
            reason=audited_reason(wide, reason),
            details={"superseded": memory.pk},
        )
        transaction.on_commit(embed_soon)
    return wide


def demote_memory(*, actor: Actor, memory_id: UUID, revision: int | None) -> Memory:
    """Undo a promotion: what everyone knew is deleted, and the role-agent knows it again. Answers the agent's memory."""
    wide = find(actor, memory_id)
    require_decision(actor, role_agent=agent_of(wide), scope=ORGANIZATION, sensitive=wide.sensitive)
    before = _promoted_from(wide)
    screened = screen_replaced(wide, actor=actor)
    with transaction.atomic():
        lock_owner(ORGANIZATION, agent_of(wide), None)
        lock_owner(MemoryScope.ROLE_AGENT, agent_of(before), None)
        wide = lock_live(actor, wide, revision)
        before = _promoted_from(wide)
        agent = agent_of(before)
        if before.key:
            holder = live_memories(MemoryScope.ROLE_AGENT, agent, None).filter(key=before.key).first()
            if holder:
                raise Conflict(
                    f"{agent.name} knows something else under “{before.key}” by now. Delete that one first, then take this "
                    "back.",
                    code="key_taken",
                    holder=str(holder.pk),
                )
        require_room(MemoryScope.ROLE_AGENT, agent, None)
        withdraw(wide, actor=actor, what="promotion", screened=screened)
        record(
            verb=Verb.MEMORY_DEMOTED,
            actor=actor,
            obj=wide,
            role_agent=agent,
            details={"restored": [before.pk]},
        )
        transaction.on_commit(embed_soon)
    return find(actor, before.pk)


def _require_of_agent(memory: Memory) -> None:
    if memory.scope == ORGANIZATION:
        raise Conflict("Everyone knows this already.", code="not_promotable")
    if memory.scope == MemoryScope.PERSON:
        raise Conflict(
            "What is known about a person stays with that person. Only what a role-agent knows can be promoted.",
            code="not_promotable",
        )


def _require_place(agent: RoleAgent, key: str | None, digest: str) -> None:
    """Nothing that everyone knows is replaced by a promotion: who wants that says so, on that memory."""
    everyones = live_memories(ORGANIZATION, agent, None)
    holder = everyones.filter(key=key).first() if key else everyones.filter(key=None, digest=digest).first()
    if holder is None:
        return
    what = f"Everyone knows something under “{key}” already" if key else "Everyone knows this already"
    raise Conflict(f"{what}. Nothing was changed.", code="key_taken" if key else "known_already", holder=str(holder.pk))


def _promoted_from(wide: Memory) -> Memory:
    rows = Memory.objects.filter(superseded_by=wide, scope=MemoryScope.ROLE_AGENT, status=MemoryStatus.SUPERSEDED)
    before = rows.select_related("role_agent", "person").defer("tsv").first() if wide.scope == ORGANIZATION else None
    if before is None:
        raise Conflict(
            "This was not promoted from a role-agent, so there is nothing to take it back to.", code="not_promoted"
        )
    return before
