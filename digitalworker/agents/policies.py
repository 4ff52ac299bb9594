"""Who may do what with role-agents and what hangs on them. django-guardian is imported here and nowhere else.

| who | sees | decides what is learned | sets up |
|---|---|---|---|
| owner, admin | every agent | every agent | yes |
| auditor | every agent | nothing | no |
| manager of an agent | that agent | that agent, unless sensitive or organisation-wide | no |
| member | nothing of it | nothing | no |
| key | its agents | with `review`, while its issuer is an admin | with `admin`, likewise |
| worker, system | its organisation | nothing | no |

An object the actor may not see is NotFound; one they see but may not change is Denied.
"""

from uuid import UUID

from django.db.models import Q, QuerySet
from guardian.shortcuts import assign_perm, remove_perm

from digitalworker.api.permissions import held_scopes
from digitalworker.common.errors import Denied, NotFound
from digitalworker.common.types import Actor, ActorKind

from .actors import agents_of_key
from .choices import Role, Scope
from .models import AgentManager, Membership, RoleAgent, User
from .models.role_agents import MANAGE

ADMINS = {Role.OWNER, Role.ADMIN}
PERMISSION = f"agents.{MANAGE}"


def visible_agents(actor: Actor) -> QuerySet[RoleAgent]:
    """Every role-agent whose conversations, memories, items and runs this actor may read."""
    agents = RoleAgent.objects.filter(organization_id=actor.organization_id)
    if actor.kind == ActorKind.KEY:
        return agents_of_key(actor)
    if actor.kind in {ActorKind.WORKER, ActorKind.SYSTEM}:
        return agents if actor.role_agent_id is None else agents.filter(pk=actor.role_agent_id)
    if actor.role in {*ADMINS, Role.AUDITOR}:
        return agents
    return managed_agents(actor)


def managed_agents(actor: Actor) -> QuerySet[RoleAgent]:
    """The agents whose learning this actor may decide on (before sensitivity and scope are asked)."""
    agents = RoleAgent.objects.filter(organization_id=actor.organization_id)
    if actor.kind == ActorKind.KEY:
        return agents_of_key(actor) if key_may(actor, Scope.REVIEW) else agents.none()
    if not actor.is_person or actor.user_id is None:
        return agents.none()
    if actor.role in ADMINS:
        return agents
    # An auditor stays read-only whatever rows exist.
    if actor.role != Role.MEMBER:
        return agents.none()
    return agents.filter(
        pk__in=AgentManager.objects.filter(
            user_id=actor.user_id, organization_id=actor.organization_id, permission__codename=MANAGE
        ).values("content_object_id")
    )


def reviewers_of(organization_id: UUID, agent_id: UUID | None, *, guarded: bool) -> QuerySet[User]:
    """Everybody whom `managed_agents` gives this agent, by name; `guarded`: owners and admins alone."""
    members = Membership.objects.filter(organization_id=organization_id, user__is_active=True)
    deciding = Q(role__in=ADMINS)
    if not guarded:
        managers = AgentManager.objects.filter(content_object=agent_id, permission__codename=MANAGE).values("user_id")
        deciding |= Q(role=Role.MEMBER, user__in=managers)
    return User.objects.filter(pk__in=members.filter(deciding).values("user_id")).order_by("name", "email")


def key_may(actor: Actor, scope: Scope) -> bool:
    """A key's deciding scopes hold only while the person who issued it is an owner or admin."""
    return scope in held_scopes(actor)


def may_read_sensitive(actor: Actor) -> bool:
    """The words of what is sensitive, among what the actor sees."""
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.REVIEW)
    return actor.role in {*ADMINS, Role.AUDITOR}


def reads_whole_audit(actor: Actor) -> bool:
    """Everything that happened in the organisation, not only to some role-agents. A limited key reads its agents' part."""
    if actor.kind == ActorKind.KEY:
        return Scope.AUDIT in actor.scopes and actor.agent_ids is None
    return actor.is_person and actor.role in {*ADMINS, Role.AUDITOR}


def get_agent(actor: Actor, code: str) -> RoleAgent:
    agent = visible_agents(actor).filter(code=code).first()
    if agent is None:
        raise NotFound("There is no such role-agent.")
    return agent


def may_review(actor: Actor, agent: RoleAgent) -> bool:
    """Asked of the database at the moment of the decision: a manager removed a second ago decides nothing."""
    return agent.organization_id == actor.organization_id and managed_agents(actor).filter(pk=agent.pk).exists()


def is_live_admin(actor: Actor) -> bool:
    """Whether the person is an owner or admin now, not when the page was opened. A key is asked for its scope instead."""
    return (
        actor.is_person
        and actor.user_id is not None
        and Membership.objects.filter(
            organization_id=actor.organization_id, user_id=actor.user_id, user__is_active=True, role__in=ADMINS
        ).exists()
    )


def require_admin(actor: Actor) -> None:
    """Setting up: owners and admins, or a key with the admin scope whose issuer still is one."""
    allowed = key_may(actor, Scope.ADMIN) if actor.kind == ActorKind.KEY else is_live_admin(actor)
    if not allowed:
        raise Denied("Only an owner or an admin of the organisation may do this.")


def require_review(actor: Actor, agent: RoleAgent) -> None:
    if not may_review(actor, agent):
        raise Denied(f"Only a manager of {agent.name}, an admin or an owner may do this.")


def grant_manager(user: User, agent: RoleAgent) -> AgentManager:
    return assign_perm(PERMISSION, user, agent)  # type: ignore[return-value]  # it knows no direct foreign keys


def revoke_manager(user: User, agent: RoleAgent) -> None:
    remove_perm(PERMISSION, user, agent)
