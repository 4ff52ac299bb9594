"""Proposing by hand: where nobody approves their own words, what would have been written by hand waits for somebody else."""

from uuid import UUID

from digitalworker.agents.models import Person, RoleAgent
from digitalworker.common.errors import Conflict, Invalid
from digitalworker.common.locking import check_revision
from digitalworker.common.types import Actor
from learning.choices import MemoryKind, MemoryScope, Outcome, Risk, Source
from learning.payload import checked
from learning.policies import may_read_sensitive, require_decision

from .propose import Proposal, Proposed, propose
from .remember import find


def suggest(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    content: str,
    key: str | None = None,
    kind: str = MemoryKind.FACT,
    scope: str = MemoryScope.ROLE_AGENT,
    person: Person | None = None,
    risk: str = Risk.LOW,
    sensitive: bool = False,
    source: Source = Source.MANUAL,
) -> Proposed:
    """Hand in what the actor could decide if it were not their own word. It answers the item that waits, or the memory that
    says it already; neither where the actor may not know of the one there is."""
    require_decision(actor, role_agent=role_agent, scope=scope, sensitive=sensitive)
    proposal = Proposal(scope=scope, kind=kind, key=key, content=content, risk=risk, sensitive=sensitive)
    return _told(
        actor, role_agent, propose(actor=actor, role_agent=role_agent, proposal=proposal, person=person, source=source)
    )


def suggest_instead(
    *, actor: Actor, memory_id: UUID, content: str, revision: int | None, source: Source = Source.MANUAL
) -> Proposed:
    """Hand in other words for what is known, as it was seen. An approval replaces it."""
    memory = find(actor, memory_id)
    agent = memory.role_agent
    if agent is None:
        raise Conflict(
            "What everyone knows comes from a role-agent here: propose it there, and promote it once somebody else approved it.",
            code="second_person_needed",
        )
    require_decision(actor, role_agent=agent, scope=memory.scope, sensitive=memory.sensitive)
    if not memory.is_live:
        raise Conflict(f"This memory is {memory.get_status_display().lower()} already.", code="not_live")
    check_revision(memory, revision)
    payload = checked(scope=memory.scope, kind=memory.kind, key=memory.key, content=content)
    if payload.digest == memory.digest:
        raise Invalid("content: this is what it says already.", errors={"content": ["This is what it says already."]})
    proposal = Proposal(**payload.as_json(), risk=memory.risk, sensitive=memory.sensitive)
    return _told(
        actor,
        agent,
        propose(
            actor=actor, role_agent=agent, proposal=proposal, person=memory.person, source=source, instead_of=memory
        ),
    )


def _told(actor: Actor, role_agent: RoleAgent, proposed: Proposed) -> Proposed:
    known = proposed.item or proposed.memory
    if known is not None:
        return Proposed(None, None, proposed.outcome) if known.sensitive and not may_read_sensitive(actor) else proposed
    if proposed.outcome == Outcome.NOT_LEARNING:
        raise Conflict(
            f"{role_agent.name} learns nothing of this kind now, so nothing can be proposed to it.", code="not_learning"
        )
    raise Conflict(
        "These words were turned down within the last month. Undo that decision instead.", code="turned_down"
    )
