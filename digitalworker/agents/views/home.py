from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from digitalworker.audit import presentation
from digitalworker.console.addresses import local

from .. import selectors, tabs
from ..choices import StorageMode
from ..dashboard import dashboard_cards
from ..middleware import CHOSEN
from ..page import AgentRow
from ..web import member_required


@require_GET
@member_required
def home(request: HttpRequest) -> HttpResponse:
    """What waits and what happened, by who looks."""
    if not tabs.sees_agents(request):
        return render(
            request,
            "agents/home_member.html",
            {"agents": selectors.who_manages_what(request.actor), "cards": dashboard_cards(request)},
        )
    agents, waiting = tabs.sidebar_agents(request), tabs.waiting(request)
    shown = agents[: tabs.AGENTS_IN_SIDEBAR]
    context = {
        "rows": [AgentRow(agent, waiting=waiting.get(agent.pk, 0)) for agent in shown],
        "more_agents": len(agents) > tabs.AGENTS_IN_SIDEBAR,
        "cards": dashboard_cards(request),
        "lately": presentation.lines(selectors.recent_events(request.actor, most=8)),
        "role": request.actor.role,
    }
    if request.actor.is_admin:
        context |= set_up(request)
    return render(request, "agents/home.html", context)


def set_up(request: HttpRequest) -> dict:
    """Numbers of the organisation, and what still keeps it from working, each with the page that settles it."""
    missing, counted = selectors.needs_set_up(request.actor), selectors.counts(request.actor)
    only_metadata = request.organization.storage_mode == StorageMode.METADATA_ONLY
    steps = [
        _step(missing["no_manager"], "has no manager", "have no manager", NO_MANAGER, "agents:agent_settings"),
        _step(missing["no_channel"], "has no channel", "have no channel", NO_CHANNEL, "agents:channels"),
        _step(missing["paused"], "learns nothing", "learn nothing", "Learning is paused.", "agents:agent_settings"),
    ]
    if not missing["agents"]:
        steps.insert(
            0, ("Create your first role-agent", "It answers, and learns what you let it.", reverse("agents:create"))
        )
    if not counted["keys"]:
        steps.append(
            ("No program has a key", "Your own bots and apps need one to reach the API.", reverse("agents:create_key"))
        )
    if only_metadata:
        steps.append(
            ("Only metadata is kept", "No text is stored, so nothing can be learned.", reverse("agents:organization"))
        )
    return {"missing": missing, "counted": counted, "steps": [step for step in steps if step]}


NO_MANAGER = "Until then only owners and admins can review what it learns."
NO_CHANNEL = "It answers only through the API and in the playground."


def _step(found: dict, one: str, many: str, text: str, url_name: str) -> tuple[str, str, str] | None:
    """A line of the list: by name and to its page if it is about one role-agent, else by number and to the list."""
    if not found["number"]:
        return None
    if found["number"] == 1:
        return f"{found['name']} {one}", text, reverse(url_name, args=[found["code"]])
    return f"{found['number']} role-agents {many}", text, reverse("agents:list")


@require_POST
@member_required
def switch_organization(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("organization", "")
    if any(str(membership.organization_id) == wanted for membership in request.memberships):
        request.session[CHOSEN] = wanted
    return redirect(local(request, request.POST.get("next", ""), reverse("agents:home")))
