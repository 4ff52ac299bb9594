"""What this app shows in the shell and on the pages below it."""

from django.http import HttpRequest
from django.urls import reverse

from digitalworker.agents.choices import Role
from digitalworker.agents.dashboard import register_dashboard_card, register_overview_card
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import visible_agents
from digitalworker.agents.tabs import is_member, sees_agents
from digitalworker.audit.links import register_link
from digitalworker.console.registry import NavItem, PaletteEntry, register_nav, register_palette

from .policies import may_talk_here, visible_runs
from .selectors.runs import week


def may_play(request: HttpRequest) -> bool:
    return sees_agents(request) and request.actor.role != Role.AUDITOR


def week_of_all(request: HttpRequest):
    if not sees_agents(request):
        return None
    return _week(visible_runs(request.actor), reverse("runtime:runs"))


def week_of_agent(request: HttpRequest, agent: RoleAgent):
    runs = visible_runs(request.actor).filter(role_agent=agent)
    return _week(runs, f"{reverse('runtime:runs')}?agent={agent.code}")


def _week(runs, href: str):
    return "runtime/_week.html", {"week": week(runs), "href": href}


def playgrounds_in_palette(request: HttpRequest, query: str) -> list[PaletteEntry]:
    """Where one can go with an agent. Words that name a place, not an agent, must not hide the agents."""
    if not is_member(request) or not query.strip():
        return []
    agents = visible_agents(request.actor).order_by("name", "id")[:50]
    entries = []
    for agent in agents:
        conversations = f"{reverse('runtime:conversations')}?agent={agent.code}"
        entries.append(PaletteEntry(f"Conversations of {agent.name}", conversations, kind="Role-agent", keywords=agent.code))
        entries.append(
            PaletteEntry(f"Answers of {agent.name}", f"{reverse('runtime:runs')}?agent={agent.code}", kind="Role-agent", keywords=agent.code)
        )
        if may_talk_here(request.actor) and agent.is_active:
            playground = reverse("runtime:playground", args=[agent.code])
            entries.append(PaletteEntry(f"Playground of {agent.name}", playground, kind="Role-agent", keywords=agent.code))
    return entries


register_nav(NavItem("Conversations", "runtime:conversations", "chat-bubble-left-right", 40, sees_agents, go="c"))
register_nav(NavItem("Playground", "runtime:playgrounds", "beaker", 60, may_play, go="p"))
register_palette(playgrounds_in_palette)
register_dashboard_card(30, week_of_all, slot="stat")
register_overview_card(30, week_of_agent, slot="stat")

for name in ("agentrun", "run"):
    register_link(name, lambda pk: reverse("runtime:run", args=[pk]))
for name in ("chatevent", "event"):
    register_link(name, lambda pk: reverse("runtime:message", args=[pk]))
register_link("thread", lambda pk: reverse("runtime:conversation", args=[pk]))
