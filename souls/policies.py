"""Who may read and change which souls.

| | manager of the agent | owner, admin | auditor | member |
|---|---|---|---|---|
| a soul | read | read | read | nothing |
| its sensitive versions | sees that they exist | read | read | nothing |
| which soul an agent has, and whether it is paused | decide | decide | read | nothing |
| what a soul says, where only agents they manage have it | decide | decide | read | nothing |
| what a soul says, where others have it or would by default | read | decide | read | nothing |
"""

from uuid import UUID

from django.db.models import Q, QuerySet

from digitalworker.agents.choices import Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import (
    is_live_admin,
    key_may,
    managed_agents,
    may_read_sensitive,
    visible_agents,
)
from digitalworker.common.errors import Denied
from digitalworker.common.locking import lock
from digitalworker.common.types import Actor, ActorKind

from .library import DEFAULT
from .models import Soul, SoulVersion

SHARED = "Other role-agents talk by this soul, or would by default, so an owner or an admin decides it."
SENSITIVE = "This is sensitive; an owner or an admin decides it."


def visible_souls(actor: Actor) -> QuerySet[Soul]:
    """The organisation's shelf, which every agent is given a soul from, for who sees any of its agents."""
    souls = Soul.objects.filter(organization_id=actor.organization_id)
    return souls if visible_agents(actor).exists() else souls.none()


def may_read(actor: Actor, version: SoulVersion) -> bool:
    """The words of a version of a soul that the actor sees."""
    return not version.sensitive or may_read_sensitive(actor)


def may_name(actor: Actor, soul: Soul) -> bool:
    """What it is called and what it is for are words too. `soul` comes with its active version."""
    return soul.active_version is None or may_read(actor, soul.active_version)


def lock_soul(actor: Actor, soul_id: UUID) -> Soul:
    return lock(visible_souls(actor), pk=soul_id)


def served(soul: Soul) -> QuerySet[RoleAgent]:
    """The agents that talk by it. Whose own soul is not in use any more talks by the default."""
    agents = RoleAgent.objects.filter(organization_id=soul.organization_id)
    has_it = Q(soul_assignment__soul=soul)
    if soul.code == DEFAULT:
        has_it |= Q(soul_assignment=None) | Q(soul_assignment__soul__active_version=None)
    return agents.filter(has_it)


def is_shared(soul: Soul, role_agent: RoleAgent) -> bool:
    """Whether what it says concerns any other agent than this one, now or when the next one is created."""
    return soul.code == DEFAULT or soul.assignments.exclude(role_agent=role_agent).exists()


def decides_everywhere(actor: Actor) -> bool:
    """Asked of the database: whether the actor decides for the whole organisation now."""
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.REVIEW) and actor.agent_ids is None
    return is_live_admin(actor)


def may_change(actor: Actor, soul: Soul, *, sensitive: bool) -> bool:
    if decides_everywhere(actor):
        return True
    if sensitive or soul.code == DEFAULT:
        return False
    agents, managed = set(served(soul).values_list("pk", flat=True)), managed_agents(actor)
    return bool(agents) and agents.issubset(managed.values_list("pk", flat=True))


def require_change(actor: Actor, soul: Soul, *, sensitive: bool) -> None:
    if not may_change(actor, soul, sensitive=sensitive):
        raise Denied(SENSITIVE if sensitive else SHARED)
