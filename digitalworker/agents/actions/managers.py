from uuid import UUID

from django.db import transaction

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Invalid, NotFound
from digitalworker.common.locking import lock
from digitalworker.common.types import Actor

from .. import policies
from ..choices import Role
from ..leaving import may_decide_less
from ..models import AgentManager, Membership
from ..models.role_agents import MANAGE


@transaction.atomic
def add_manager(*, actor: Actor, agent_id: UUID, user_id: int) -> AgentManager:
    """The member decides from now on what this role-agent learns, unless it is sensitive or organisation-wide."""
    agent = lock(policies.visible_agents(actor), pk=agent_id)
    policies.require_admin(actor)
    # The membership stays locked, so that somebody who is being removed does not become a manager meanwhile.
    membership = lock(_members(actor), user_id=user_id)
    if membership.role == Role.AUDITOR:
        message = f"{membership.user} is an auditor and only reads. Change their role to member first."
        raise Invalid(message, code="auditor", errors={"user": [message]})
    if _managers(agent).filter(user_id=user_id).exists():
        raise Conflict(f"{membership.user} manages {agent.name} already.", code="manager_exists")
    manager = policies.grant_manager(membership.user, agent)
    audit.record(
        verb=Verb.MANAGER_ADDED,
        actor=actor,
        obj=manager,
        role_agent=agent,
        label=str(membership.user),
        details={"user_id": user_id},
    )
    return manager


@transaction.atomic
def remove_manager(*, actor: Actor, agent_id: UUID, user_id: int, reason: str = "") -> None:
    agent = lock(policies.visible_agents(actor), pk=agent_id)
    policies.require_admin(actor)
    manager = _managers(agent).select_related("user").filter(user_id=user_id).first()
    if manager is None:
        raise NotFound(f"This person does not manage {agent.name}.")
    audit.record(
        verb=Verb.MANAGER_REMOVED,
        actor=actor,
        obj=manager,
        role_agent=agent,
        label=str(manager.user),
        reason=reason,
        details={"user_id": user_id},
    )
    policies.revoke_manager(manager.user, agent)
    may_decide_less(actor=actor, user_id=user_id)


def _members(actor: Actor):
    return Membership.objects.select_related("user").filter(organization_id=actor.organization_id, user__is_active=True)


def _managers(agent):
    return AgentManager.objects.filter(content_object=agent, permission__codename=MANAGE)
