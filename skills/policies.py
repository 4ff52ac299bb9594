"""Who may read and change which skills, and what can be done to one in which state.

| | manager of the agent | owner, admin | auditor | member |
|---|---|---|---|---|
| skill of the agent | read, change | read, change | read | nothing |
| a sensitive version | sees that it exists | read, change | read | nothing |
| skill of the whole organisation | read | read, change | read | nothing |
"""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from digitalworker.agents.choices import Role, Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import (
    ADMINS,
    is_live_admin,
    key_may,
    managed_agents,
    may_read_sensitive,
    visible_agents,
)
from digitalworker.common.errors import Conflict, Denied
from digitalworker.common.types import Actor, ActorKind

from .choices import SkillStatus
from .models import Skill, SkillVersion


def visible_skills(actor: Actor) -> QuerySet[Skill]:
    """Skills of the agents this actor sees, and, once they see any agent, the organisation's own."""
    agents = visible_agents(actor)
    skills = Skill.objects.filter(organization_id=actor.organization_id)
    own = Q(role_agent__in=agents.values("pk"))
    if actor.agent_ids is not None or not agents.exists():
        return skills.filter(own)
    return skills.filter(own | Q(role_agent=None))


def may_read(actor: Actor, version: SkillVersion) -> bool:
    """The words of a version of a skill that the actor sees."""
    return not version.sensitive or may_read_sensitive(actor)


def may_change(actor: Actor, skill: Skill) -> bool:
    """For buttons on a skill the actor sees, without a query where its version in use is loaded; the actions ask again, of
    the database."""
    if skill.organization_id != actor.organization_id:
        return False
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.REVIEW) and (skill.role_agent_id is not None or actor.agent_ids is None)
    if actor.role in ADMINS:
        return True
    version = skill.active_version
    guarded = skill.role_agent_id is None or (version is not None and version.sensitive)
    return actor.is_person and actor.role == Role.MEMBER and not guarded


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


@dataclass(frozen=True, slots=True)
class Transition:
    """One thing that can be done to a skill: the source of buttons, API `allowed_actions` and tests.

    `then` is what happens, said before it does.
    """

    name: str
    label: str
    tone: str
    sources: frozenset[str]
    target: str
    past: str
    then: str


IN_USE = frozenset({SkillStatus.ACTIVE})
KEPT = frozenset({SkillStatus.ACTIVE, SkillStatus.PAUSED})
TRANSITIONS = {
    t.name: t
    for t in (
        Transition(
            "pause",
            "Pause",
            "",
            IN_USE,
            SkillStatus.PAUSED,
            "paused",
            "No answer is given it until somebody resumes it.",
        ),
        Transition(
            "resume",
            "Resume",
            "primary",
            frozenset({SkillStatus.PAUSED, SkillStatus.ARCHIVED}),
            SkillStatus.ACTIVE,
            "resumed",
            "What it says is screened again, and then answers can be given it.",
        ),
        Transition(
            "revert",
            "Revert",
            "",
            KEPT,
            SkillStatus.ACTIVE,
            "reverted",
            "What that version says is screened again, and then answers are given it and not the present one.",
        ),
        Transition(
            "archive",
            "Archive",
            "danger",
            KEPT,
            SkillStatus.ARCHIVED,
            "archived",
            "No answer is given it any more. It stays readable, and can be resumed.",
        ),
    )
}
_PAST: dict[str, str] = {SkillStatus.ACTIVE: "in use", SkillStatus.PAUSED: "paused", SkillStatus.ARCHIVED: "archived"}


def allowed_actions(actor: Actor, skill: Skill) -> list[Transition]:
    """What this actor can do to this skill now, in button order; there may be no other version to revert to."""
    if not may_change(actor, skill):
        return []
    return [transition for transition in TRANSITIONS.values() if skill.status in transition.sources]


def require_transition(skill: Skill, name: str, who: str = "") -> Transition:
    """`who` brought it into the state it is in."""
    transition = TRANSITIONS[name]
    if skill.status not in transition.sources:
        state = _PAST[skill.status]
        by = f", by {who}" if who else ""
        raise Conflict(f"This skill is {state} already{by}. Nothing was changed.", code=f"is_{skill.status}")
    return transition
