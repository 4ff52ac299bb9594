"""Who may read, decide and write what is learned; and what can be done to an item in which state.

| | manager of the agent | owner, admin | auditor | member |
|---|---|---|---|---|
| memory or item of the agent or of a person | read, decide | read, decide | read | nothing |
| anything sensitive | sees that it exists | read, decide | read | nothing |
| organisation-wide | read | read, decide | read | nothing |
"""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from digitalworker.agents.choices import Role, Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import ADMINS, is_live_admin, key_may, managed_agents, may_review, visible_agents
from digitalworker.common.errors import Conflict, Denied
from digitalworker.common.types import Actor, ActorKind

from .choices import ItemStatus, MemoryScope
from .models import LearningItem, Memory


def visible_items(actor: Actor) -> QuerySet[LearningItem]:
    return LearningItem.objects.filter(
        organization_id=actor.organization_id, role_agent__in=visible_agents(actor).values("pk")
    )


def visible_memories(actor: Actor) -> QuerySet[Memory]:
    """Memories of the agents this actor sees, and, once they see any agent, the organisation's own."""
    agents = visible_agents(actor)
    memories = Memory.objects.filter(organization_id=actor.organization_id).defer("tsv")
    own = Q(role_agent__in=agents.values("pk"))
    if actor.agent_ids is not None or not agents.exists():
        return memories.filter(own)
    return memories.filter(own | Q(scope=MemoryScope.ORGANIZATION))


def may_read_sensitive(actor: Actor) -> bool:
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.REVIEW)
    return actor.role in {*ADMINS, Role.AUDITOR}


def may_decide(actor: Actor, *, role_agent: RoleAgent, scope: str, sensitive: bool) -> bool:
    if scope == MemoryScope.ORGANIZATION or sensitive:
        rank = key_may(actor, Scope.REVIEW) if actor.kind == ActorKind.KEY else is_live_admin(actor)
        return rank and role_agent.organization_id == actor.organization_id and _reaches(actor, scope)
    return may_review(actor, role_agent)


def _reaches(actor: Actor, scope: str) -> bool:
    """A key limited to some role-agents decides nothing for the whole organisation, whoever issued it."""
    return actor.agent_ids is None or scope != MemoryScope.ORGANIZATION


def may_change(actor: Actor, memory: Memory) -> bool:
    """For buttons on a memory the actor sees, without a query; the action asks again, of the database."""
    if memory.organization_id != actor.organization_id:
        return False
    if actor.role in ADMINS:
        return True
    guarded = memory.scope == MemoryScope.ORGANIZATION or memory.sensitive
    return actor.is_person and actor.role == Role.MEMBER and not guarded


def require_decision(actor: Actor, *, role_agent: RoleAgent, scope: str, sensitive: bool) -> None:
    if may_decide(actor, role_agent=role_agent, scope=scope, sensitive=sensitive):
        return
    if scope == MemoryScope.ORGANIZATION:
        raise Denied("What the whole organisation will know is decided by an owner or an admin.")
    if sensitive:
        raise Denied("This is sensitive; an owner or an admin decides it.")
    raise Denied(f"Only a manager of {role_agent.name}, an admin or an owner may decide this.")


@dataclass(frozen=True, slots=True)
class Transition:
    """One thing that can be done to an item: the source of buttons, API `allowed_actions`, key hints and tests."""

    name: str
    label: str
    key: str
    tone: str
    sources: frozenset[str]
    target: str
    past: str


TRANSITIONS = {
    t.name: t
    for t in (
        Transition(
            "approve", "Approve", "a", "primary", frozenset({ItemStatus.PENDING}), ItemStatus.APPROVED, "approved"
        ),
        Transition("edit", "Edit", "e", "", frozenset({ItemStatus.PENDING}), ItemStatus.PENDING, "edited"),
        Transition("reject", "Reject", "r", "danger", frozenset({ItemStatus.PENDING}), ItemStatus.REJECTED, "rejected"),
        Transition(
            "reopen",
            "Reopen",
            "z",
            "",
            frozenset({ItemStatus.APPROVED, ItemStatus.REJECTED}),
            ItemStatus.PENDING,
            "reopened",
        ),
    )
}


def allowed_actions(actor: Actor, item: LearningItem, *, reviewable: frozenset | None = None) -> list[Transition]:
    """What this actor can do to this item now, in button order. `reviewable` saves a query a row on lists: agent ids."""
    scope = item.proposed_payload.get("scope", MemoryScope.ROLE_AGENT)
    if scope == MemoryScope.ORGANIZATION or item.sensitive:
        allowed = key_may(actor, Scope.REVIEW) if actor.kind == ActorKind.KEY else actor.role in ADMINS
        allowed = allowed and _reaches(actor, scope)
    elif reviewable is not None:
        allowed = item.role_agent_id in reviewable
    else:
        allowed = managed_agents(actor).filter(pk=item.role_agent_id).exists()
    allowed = allowed and item.organization_id == actor.organization_id
    return [t for t in TRANSITIONS.values() if allowed and item.status in t.sources]


_DID: dict[str, str] = {
    ItemStatus.APPROVED: "approved",
    ItemStatus.REJECTED: "rejected",
    ItemStatus.SUPERSEDED: "replaced",
}


def require_transition(item: LearningItem, name: str) -> Transition:
    """The transition, or a Conflict that says who did what meanwhile."""
    transition = TRANSITIONS[name]
    if item.status not in transition.sources:
        who = item.decided_by_label or "Somebody"
        did = _DID.get(item.status, "reopened")
        raise Conflict(
            f"{who} {did} this already. Nothing was changed.",
            code="already_decided",
            decided_by=who,
            decision=did,
            decided_at=item.decided_at.isoformat() if item.decided_at else None,
            revision=item.revision,
        )
    return transition
