"""What this app shows in the shell and on the pages below it."""

from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from digitalworker.agents.choices import Role
from digitalworker.agents.dashboard import register_dashboard_card, register_overview_card
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import visible_agents
from digitalworker.agents.tabs import is_member, sees_agents
from digitalworker.audit.links import register_link
from digitalworker.console.registry import NavItem, PaletteEntry, register_nav, register_palette
from learning.models import Memory
from learning.slots import memory_cards, register_preview
from skills.models import Skill
from skills.slots import skill_cards
from souls.models import Soul
from souls.slots import soul_cards

from .policies import may_talk_here, visible_events, visible_runs, visible_threads
from .preview import preview_of
from .selectors.runs import used_in, uses_by_version, week


def may_play(request: HttpRequest) -> bool:
    return sees_agents(request) and request.actor.role != Role.AUDITOR


def week_of_all(request: HttpRequest):
    if not sees_agents(request):
        return None
    return _week(visible_runs(request.actor), reverse("runtime:runs"))


def week_of_agent(request: HttpRequest, agent: RoleAgent):
    runs = visible_runs(request.actor).filter(role_agent=agent)
    return _week(runs, f"{reverse('runtime:runs')}?agent={agent.code}")


def answers_that_used(request: HttpRequest, memory: Memory):
    """On a memory's page: where it went."""
    return _used(request, "memory", memory.pk)


def answers_that_loaded(request: HttpRequest, skill: Skill):
    """On a skill's page: which answers loaded any version of it."""
    return _used(request, "skill", skill.pk)


def answers_that_talked_so(request: HttpRequest, soul: Soul):
    """On a soul's page: which answers were to sound like it."""
    return _used(request, "soul", soul.pk)


def _used(request: HttpRequest, name: str, pk: UUID):
    used = used_in(request.actor, name, pk)
    if not used.latest:
        return None
    versions = uses_by_version(request.actor, name, pk) if name != "memory" else []
    return "runtime/_used_in.html", {"used": used, "name": name, "id": pk, "versions": versions}


def _week(runs, href: str):
    return "runtime/_week.html", {"week": week(runs), "href": href}


def playgrounds_in_palette(request: HttpRequest, query: str) -> list[PaletteEntry]:
    """Where one can go with an agent. Words that name a place, not an agent, must not hide the agents."""
    if not is_member(request) or not query.strip():
        return []
    entries: list[PaletteEntry] = []
    for agent in visible_agents(request.actor).order_by("name", "id")[:50]:
        of_agent = f"?agent={agent.code}"
        entries += [_entry(f"Conversations of {agent.name}", reverse("runtime:conversations") + of_agent, agent)]
        entries += [_entry(f"Answers of {agent.name}", reverse("runtime:runs") + of_agent, agent)]
        if may_talk_here(request.actor) and agent.is_active:
            entries += [_entry(f"Playground of {agent.name}", reverse("runtime:playground", args=[agent.code]), agent)]
    return entries


def _entry(label: str, href: str, agent: RoleAgent) -> PaletteEntry:
    return PaletteEntry(label, href, kind="Role-agent", keywords=agent.code)


register_nav(NavItem("Conversations", "runtime:conversations", "chat-bubble-left-right", 40, sees_agents, go="c"))
register_nav(NavItem("Playground", "runtime:playgrounds", "beaker", 60, may_play, go="p"))
register_palette(playgrounds_in_palette)
register_dashboard_card(30, week_of_all, slot="stat")
register_overview_card(30, week_of_agent, slot="stat")
memory_cards.register(20, answers_that_used)
skill_cards.register(20, answers_that_loaded)
soul_cards.register(20, answers_that_talked_so)
register_preview(preview_of)

for name in ("agentrun", "run"):
    register_link(name, lambda pk: reverse("runtime:run", args=[pk]), visible_runs)
for name in ("chatevent", "event"):
    register_link(name, lambda pk: reverse("runtime:message", args=[pk]), visible_events)
register_link("thread", lambda pk: reverse("runtime:conversation", args=[pk]), visible_threads)
