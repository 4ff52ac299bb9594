from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from digitalworker.audit import presentation
from digitalworker.audit.selectors import last_event_of
from digitalworker.common.errors import Conflict, Invalid, NotFound
from digitalworker.console.addresses import local
from digitalworker.console.toasts import toast

from .. import policies, selectors, tabs
from ..actions import channels as channel_actions
from ..actions import managers as manager_actions
from ..actions import role_agents as actions
from ..choices import AgentStatus
from ..dashboard import overview_cards
from ..forms import AgentSettingsForm, ChannelForm, ChannelNameForm, ManagerForm, NewAgentForm, refuse
from ..page import AgentRow, agent_page
from ..web import admin_required, get_or_post, member_required


@require_GET
@member_required
def agent_list(request: HttpRequest) -> HttpResponse:
    """Every role-agent one sees. A member who manages none has no such page."""
    if not tabs.sees_agents(request):
        raise NotFound
    search, status = request.GET.get("q", "").strip()[:80], request.GET.get("status", "")
    found = selectors.agents_page(request.actor, cursor=request.GET.get("cursor", ""), search=search, status=status)
    channels = selectors.count_channels(found.rows)
    rows = [AgentRow(agent, channels=channels.get(agent.pk, 0)) for agent in found.rows]
    context = {"page": found, "rows": rows, "search": search, "status": status, "statuses": AgentStatus.choices}
    return render(request, "agents/list.html", context)


@require_GET
@member_required
def to_list(request: HttpRequest) -> HttpResponse:
    return redirect("agents:list")


@require_GET
@member_required
def by_id(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """For the audit, which names things by id."""
    agent = policies.visible_agents(request.actor).filter(pk=agent_id).first()
    if agent is None:
        raise NotFound
    return redirect("agents:agent", agent.code)


@get_or_post
@admin_required
def create(request: HttpRequest) -> HttpResponse:
    form = NewAgentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            agent = actions.create_agent(actor=request.actor, **form.cleaned_data)
        except (Invalid, Conflict) as error:
            refuse(form, error)
        else:
            toast(request, f"{agent.name} is ready. Give it a manager and a channel.", tone="ok")
            return redirect("agents:agent_settings", agent.code)
    return render(request, "agents/create.html", {"form": form}, status=422 if form.errors else 200)


@require_GET
@member_required
def overview(request: HttpRequest, code: str) -> HttpResponse:
    context = agent_page(request, code, "overview")
    agent = context["agent"]
    context |= {
        "cards": overview_cards(request, agent),
        "managers": list(selectors.managers_of().filter(content_object=agent)[:20]),
        "lately": presentation.lines(selectors.recent_events(request.actor, agent)),
    }
    return render(request, "agents/overview.html", context)


@get_or_post
@member_required
def channels(request: HttpRequest, code: str) -> HttpResponse:
    context = agent_page(request, code, "channels")
    form = ChannelForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            channel = channel_actions.assign_channel(
                actor=request.actor, agent_id=context["agent"].pk, **form.cleaned_data
            )
        except (Invalid, Conflict) as error:
            refuse(form, error)
        else:
            toast(request, f"{context['agent'].name} now serves {channel.name}.", tone="ok")
            return redirect("agents:channels", code)
    page = selectors.channels_page(request.actor, context["agent"], request.GET.get("cursor", ""))
    return render(
        request, "agents/channels.html", context | {"form": form, "page": page}, status=422 if form.errors else 200
    )


@get_or_post
@admin_required
def channel(request: HttpRequest, code: str, channel_id: UUID) -> HttpResponse:
    context = agent_page(request, code, "channels")
    found = selectors.get_channel(request.actor, context["agent"], channel_id)
    form = ChannelNameForm(request.POST or None, initial={"name": found.name})
    if request.method == "POST" and form.is_valid():
        channel_actions.rename_channel(actor=request.actor, channel_id=channel_id, name=form.cleaned_data["name"])
        toast(request, "The channel has a new name.", tone="ok")
        return redirect("agents:channels", code)
    return render(
        request, "agents/channel.html", context | {"channel": found, "form": form}, status=422 if form.errors else 200
    )


@require_POST
@admin_required
def remove_channel(request: HttpRequest, code: str, channel_id: UUID) -> HttpResponse:
    channel_actions.remove_channel(actor=request.actor, channel_id=channel_id)
    toast(request, "The channel is no longer served.")
    return redirect("agents:channels", code)


@get_or_post
@member_required
def agent_settings(request: HttpRequest, code: str) -> HttpResponse:
    """Everybody who sees the role-agent reads its settings; owners and admins change them."""
    context = agent_page(request, code, "settings")
    agent, status = context["agent"], 200
    form = AgentSettingsForm(request.POST) if request.method == "POST" else AgentSettingsForm.of(agent)
    if request.method == "POST":
        policies.require_admin(request.actor)
        if form.is_valid():
            status = _save(request, form, agent)
            if not status:
                return redirect("agents:agent_settings", code)
        status = status or 422
    context |= {
        "form": form if context["may_set_up"] else form.read_only(),
        "managers": list(selectors.managers_of().filter(content_object=agent)),
        "manager_form": ManagerForm(members=selectors.possible_managers(agent)) if context["may_set_up"] else None,
    }
    return render(request, "agents/settings.html", context, status=status)


def _save(request: HttpRequest, form: AgentSettingsForm, agent) -> int:
    """0 when saved, else the status of the page that says why not. What was typed stays in the form."""
    try:
        actions.update_agent(actor=request.actor, agent_id=agent.pk, **form.cleaned_data)
    except Invalid as error:
        refuse(form, error)
        return 422
    except Conflict:
        event = last_event_of(agent)
        who = f"{event.who} changed {agent.name}" if event else f"{agent.name} changed"
        form.add_error(
            None,
            f"{who} since you opened this page, so nothing was saved. What you typed is still here: compare, then save again.",
        )
        form.data = {**request.POST.dict(), "revision": agent.revision}
        return 409
    toast(request, f"The settings of {form.cleaned_data['name']} are saved.", tone="ok")
    return 0


@require_POST
@member_required
def switch_learning(request: HttpRequest, code: str) -> HttpResponse:
    agent = policies.get_agent(request.actor, code)
    on = request.POST.get("learning") == "on"
    action = actions.resume_learning if on else actions.pause_learning
    action(actor=request.actor, agent_id=agent.pk, reason=request.POST.get("reason", "")[:500])
    text = (
        f"{agent.name} learns again." if on else f"{agent.name} keeps answering and learns nothing until you resume it."
    )
    toast(request, text, tone="ok")
    return redirect(_back(request, code))


@require_POST
@member_required
def switch_status(request: HttpRequest, code: str) -> HttpResponse:
    agent = policies.get_agent(request.actor, code)
    on = request.POST.get("status") == AgentStatus.ACTIVE
    action = actions.enable_agent if on else actions.disable_agent
    action(actor=request.actor, agent_id=agent.pk, reason=request.POST.get("reason", "")[:500])
    toast(request, f"{agent.name} answers again." if on else f"{agent.name} answers nobody now. What it knows is kept.")
    return redirect(_back(request, code))


@require_POST
@member_required
def add_manager(request: HttpRequest, code: str) -> HttpResponse:
    agent = policies.get_agent(request.actor, code)
    wanted = request.POST.get("user") or request.GET.get("user", "")  # an undo button can only carry an address
    if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 18:
        toast(request, "Choose a member first.", tone="bad")
        return redirect(_managers(code))
    manager = manager_actions.add_manager(actor=request.actor, agent_id=agent.pk, user_id=int(wanted))
    toast(request, f"{manager.user} now decides what {agent.name} learns.", tone="ok")
    return redirect(_managers(code))


@require_POST
@member_required
def remove_manager(request: HttpRequest, code: str, user_id: int) -> HttpResponse:
    agent = policies.get_agent(request.actor, code)
    manager_actions.remove_manager(actor=request.actor, agent_id=agent.pk, user_id=user_id)
    undo = reverse("agents:add_manager", args=[code]) + f"?user={user_id}"
    toast(request, f"One manager less for {agent.name}.", undo=undo)
    return redirect(_managers(code))


def _managers(code: str) -> str:
    return reverse("agents:agent_settings", args=[code]) + "#managers"


def _back(request: HttpRequest, code: str) -> str:
    return local(request, request.POST.get("next", ""), reverse("agents:agent", args=[code]))
