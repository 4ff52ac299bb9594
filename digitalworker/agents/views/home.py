from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from digitalworker.audit import presentation

from .. import selectors, tabs
from ..choices import Role, StorageMode
from ..dashboard import agent_badges, dashboard_cards
from ..middleware import CHOSEN
from ..page import chips
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
    agents = tabs.sidebar_agents(request)
    context = {
        "agents": [(agent, chips(agent)) for agent in agents[: tabs.AGENTS_IN_SIDEBAR]],
        "more_agents": len(agents) > tabs.AGENTS_IN_SIDEBAR,
        "waiting": {} if request.actor.role == Role.AUDITOR else agent_badges(request),
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
    agents, settings = reverse("agents:list"), reverse("agents:organization")
    steps = [
        (
            not missing["agents"],
            "Create your first role-agent",
            "It answers, and learns what you let it.",
            reverse("agents:create"),
        ),
        (
            missing["without_manager"],
            _of(missing["without_manager"], "has no manager", "have no manager"),
            "Until then only owners and admins can review what it learns.",
            agents,
        ),
        (
            missing["without_channel"],
            _of(missing["without_channel"], "has no channel", "have no channel"),
            "It answers only through the API and the playground.",
            agents,
        ),
        (missing["paused"], _of(missing["paused"], "learns nothing", "learn nothing"), "Learning is paused.", agents),
        (
            not counted["keys"],
            "No program has a key",
            "Your own bots and apps need one to reach the API.",
            reverse("agents:create_key"),
        ),
        (
            request.organization.storage_mode == StorageMode.METADATA_ONLY,
            "Only metadata is kept",
            "No text is stored, so nothing can be learned.",
            settings,
        ),
    ]
    return {"missing": missing, "counted": counted, "steps": [step[1:] for step in steps if step[0]]}


def _of(number: int, one: str, many: str) -> str:
    return f"1 role-agent {one}" if number == 1 else f"{number} role-agents {many}"


@require_POST
@member_required
def switch_organization(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("organization", "")
    if any(str(membership.organization_id) == wanted for membership in request.memberships):
        request.session[CHOSEN] = wanted
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return redirect(target if safe else "agents:home")
