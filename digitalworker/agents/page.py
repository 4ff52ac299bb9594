"""The frame of a role-agent's pages: apps above call `agent_page` and extend `agents/agent_base.html`."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from digitalworker.console.registry import tabs_for

from . import policies
from .choices import AgentStatus
from .models import RoleAgent


def agent_page(request: HttpRequest, code: str, current_tab: str) -> dict[str, Any]:
    """Context for a tab: agent, tabs, chips, may_set_up, may_review, playground_href.

    NotFound for who does not see this role-agent. Two queries, and those of the tabs' counts.
    """
    agent = policies.get_agent(request.actor, code)
    request.current_agent = agent  # the sidebar marks it
    may_set_up = request.actor.is_admin
    return {
        "agent": agent,
        "current_tab": current_tab,
        "tabs": tabs_for(request, agent, current_tab),
        "chips": chips(agent),
        "may_set_up": may_set_up,
        # Whoever sees an agent and is no auditor is an admin or manages it.
        "may_review": may_set_up or request.actor.role == "member",
        "playground_href": playground_href(agent),
    }


def chips(agent: RoleAgent) -> list[dict[str, str]]:
    """The states worth a word: whether it answers, whether it learns."""
    if agent.status == AgentStatus.DISABLED:
        return [{"label": "Disabled", "tone": "bad"}]
    learning = (
        {"label": "Learning on", "tone": "ok"}
        if agent.learning_enabled
        else {"label": "Learning paused", "tone": "warn"}
    )
    return [{"label": "Active", "tone": "ok"}, learning]


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A role-agent in a list."""

    agent: RoleAgent
    channels: int = 0
    waiting: int = 0

    @property
    def state(self) -> dict[str, str]:
        return state(self.agent)


def state(agent: RoleAgent) -> dict[str, str]:
    """The one word that matters most, for lists."""
    return chips(agent)[-1] if agent.is_active and not agent.learning_enabled else chips(agent)[0]


def playground_href(agent: RoleAgent) -> str:
    if agent.status == AgentStatus.DISABLED:
        return ""
    try:
        return reverse("runtime:playground", args=[agent.code])
    except NoReverseMatch:  # an installation without the runtime has no playground
        return ""
