"""Who may talk to a role-agent through us, and who may read how it answered."""

from django.db.models import QuerySet

from digitalworker.agents.choices import Role, Scope
from digitalworker.agents.models import ChatEvent, RoleAgent, Thread
from digitalworker.agents.policies import key_may, may_review, visible_agents
from digitalworker.common.types import Actor, ActorKind

from .models import AgentRun


def may_ask(actor: Actor, role_agent: RoleAgent) -> bool:
    """A key with the runtime scope, or a person who decides what the agent learns (the playground)."""
    if actor.kind == ActorKind.KEY:
        return key_may(actor, Scope.RUNTIME) and visible_agents(actor).filter(pk=role_agent.pk).exists()
    return may_review(actor, role_agent)


def visible_runs(actor: Actor) -> QuerySet[AgentRun]:
    return AgentRun.objects.filter(
        organization_id=actor.organization_id, role_agent__in=visible_agents(actor).values("pk")
    )


def visible_threads(actor: Actor) -> QuerySet[Thread]:
    return Thread.objects.filter(
        organization_id=actor.organization_id, role_agent__in=visible_agents(actor).values("pk")
    )


def visible_events(actor: Actor) -> QuerySet[ChatEvent]:
    return ChatEvent.objects.filter(
        organization_id=actor.organization_id, role_agent__in=visible_agents(actor).values("pk")
    )


def may_talk_here(actor: Actor) -> bool:
    """Whether somebody who sees an agent may also talk to it in its playground: all but auditors, who only read.

    For showing a form or not. `may_ask` decides, and asks the database.
    """
    return actor.is_person and actor.role != Role.AUDITOR
