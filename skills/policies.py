"""Who may read and change which skills.

| | manager of the agent | owner, admin | auditor | member |
|---|---|---|---|---|
| skill of the agent | read, change | read, change | read | nothing |
| a sensitive version | sees that it exists | read, change | read | nothing |
| skill of the whole organisation | read | read, change | read | nothing |
"""

from django.db.models import Q, QuerySet

from digitalworker.agents.choices import Role, Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import ADMINS, is_live_admin, key_may, managed_agents, visible_agents
from digitalworker.common.errors import Denied
from digitalworker.common.types import Actor, ActorKind

from .models import Skill, SkillVersion


def visible_skills(actor: Actor) -> QuerySet[Skill]:
    """Skills of the agents this actor sees, and, once they see any agent, the organisation's own."""
    agents = visible_agents(actor)
    skills = Skill.objects.filter(organization_id=actor.organization_id)
    own = Q(role_agent__in=agents.values("pk"))
    if actor.agent_ids is not None or not agents.exists():
        return skills.filter(own)
    return skills.filter(own | Q(role_agent=None))


def may_read_sensitive(actor: Actor) -> bool:
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.REVIEW)
    return actor.role in {*ADMINS, Role.AUDITOR}


def may_read(actor: Actor, version: SkillVersion) -> bool:
    """The words of a version of a skill that the actor sees."""
    return not version.sensitive or may_read_sensitive(actor)


def may_change(actor: Actor, skill: Skill) -> bool:
    """For buttons on a skill the actor sees, without a query; the actions ask again, of the database."""
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.REVIEW)
    return actor.role in ADMINS or (actor.is_person and actor.role == Role.MEMBER and skill.role_agent_id is not None)


def require_change(actor: Actor, *, role_agent: RoleAgent | None, sensitive: bool) -> None:
    """Whether the actor decides what this agent, or with None the whole organisation, is given as a skill."""
    if role_agent is not None and not sensitive:
        if managed_agents(actor).filter(pk=role_agent.pk).exists():
            return
        raise Denied(f"Only a manager of {role_agent.name}, an admin or an owner may decide this.")
    rank = key_may(actor, Scope.REVIEW) if actor.kind == ActorKind.KEY else is_live_admin(actor)
    reaches = role_agent is not None or actor.agent_ids is None
    if not (rank and reaches):
        raise Denied(
            "This is sensitive; an owner or an admin decides it."
            if sensitive
            else "What the whole organisation is given is decided by an owner or an admin."
        )
