"""Skills as those see them who propose other words for them."""

from uuid import UUID

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import visible_agents
from digitalworker.common.errors import NotFound
from digitalworker.common.types import Actor
from learning.choices import MemoryScope
from learning.policies import require_decision
from skills.models import Skill
from skills.policies import visible_skills


def visible_skill(actor: Actor, skill_id: UUID) -> Skill:
    """Raises NotFound for a skill the actor does not see, and Denied for one they may not read."""
    skills = visible_skills(actor).select_related("active_version", "role_agent__organization")
    skill = skills.filter(pk=skill_id).first()
    if skill is None or skill.active_version is None:
        raise NotFound("There is no such skill.")
    scope = MemoryScope.ROLE_AGENT if skill.role_agent else MemoryScope.ORGANIZATION
    require_decision(actor, role_agent=host_of(actor, skill), scope=scope, sensitive=skill.active_version.sensitive)
    return skill


def host_of(actor: Actor, skill: Skill) -> RoleAgent:
    """In whose inbox a proposal for it waits: of what is everyone's, in that of the first role-agent."""
    if skill.role_agent is not None:
        return skill.role_agent
    agent = visible_agents(actor).select_related("organization").order_by("id").first()
    if agent is None:
        raise NotFound("There is no such skill.")
    return agent
