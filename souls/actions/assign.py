"""Which soul an agent has, and whether it talks by any."""

from uuid import UUID

from django.db import transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import require_review, visible_agents
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, Denied
from digitalworker.common.locking import check_revision, lock
from digitalworker.common.text import reason_within
from digitalworker.common.types import Actor
from souls.models import SoulAssignment
from souls.policies import SENSITIVE, may_read, visible_souls


@transaction.atomic
def assign(*, actor: Actor, agent_id: UUID, code: str, revision: int | None) -> SoulAssignment:
    """From the next answer on the agent talks by this soul. `revision` is that of the assignment as it was seen, 0 for none.

    The soul is locked as well: whoever approves a change of it for one agent alone counts who has it.
    """
    agent = lock(visible_agents(actor), pk=agent_id)
    require_review(actor, agent)
    soul = lock(visible_souls(actor), code=code)
    held = SoulAssignment.objects.filter(role_agent=agent).select_for_update().first()
    held = held or SoulAssignment(role_agent=agent, organization_id=agent.organization_id, revision=0)
    check_revision(held, revision)
    if held.soul_id == soul.pk:
        raise Conflict(f"{agent.name} has this soul already.", code="nothing_to_do")
    if soul.active_version is None:
        raise Conflict("No version of this soul is in use, so no agent can talk by it.", code="not_in_use")
    if not may_read(actor, soul.active_version):
        raise Denied(SENSITIVE)
    before, held.soul = held.soul_id, soul
    held.revision += 1
    history.save(held, actor, "assigned", force_insert=held.revision == 1)
    record(
        verb=Verb.SOUL_ASSIGNED,
        actor=actor,
        obj=soul,
        role_agent=agent,
        details={"soul": soul.pk, "soul_version": soul.active_version_id, "instead_of": before},
    )
    return held


def pause_soul(*, actor: Actor, agent_id: UUID, reason: str = "") -> RoleAgent:
    """It goes on answering by what it is responsible for and what it knows, without a tone of its own."""
    return _switch(actor, agent_id, True, reason)


def resume_soul(*, actor: Actor, agent_id: UUID, reason: str = "") -> RoleAgent:
    return _switch(actor, agent_id, False, reason)


@transaction.atomic
def _switch(actor: Actor, agent_id: UUID, paused: bool, reason: str) -> RoleAgent:
    agent = lock(visible_agents(actor), pk=agent_id)
    require_review(actor, agent)
    if agent.soul_paused == paused:
        raise Conflict(f"The soul of {agent.name} is {'paused' if paused else 'in use'} already.", code="nothing_to_do")
    reason = reason_within(reason)
    agent.soul_paused = paused
    agent.revision += 1
    history.save(agent, actor, "soul paused" if paused else "soul resumed")
    verb = Verb.SOUL_PAUSED if paused else Verb.SOUL_RESUMED
    record(verb=verb, actor=actor, obj=agent, role_agent=agent, reason=reason)
    return agent
