"""The Soul tab of a role-agent, the shelf of souls, and the page of each. Proposing a change is the inbox's, in an app above."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents import tabs
from digitalworker.agents.page import agent_page
from digitalworker.agents.policies import get_agent
from digitalworker.agents.web import member_required, revision_of, whole
from digitalworker.common.errors import Conflict, DomainError, Invalid, NotFound, Refused
from digitalworker.console.toasts import toast

from . import words
from .actions.assign import assign, pause_soul, resume_soul
from .actions.versions import describe, revert
from .library import DEFAULT
from .models import Soul, SoulAssignment, SoulVersion
from .policies import may_name, may_read, visible_souls
from .selectors import find_soul, had_by, may_be_changed, shelf
from .slots import soul_cards


@require_GET
@member_required
def agent_soul(request: HttpRequest, code: str) -> HttpResponse:
    return _agent_page(request, code)


@require_POST
@member_required
def assign_soul(request: HttpRequest, code: str) -> HttpResponse:
    agent = get_agent(request.actor, code)
    try:
        held = assign(
            actor=request.actor, agent_id=agent.pk, code=request.POST.get("soul", ""), revision=revision_of(request)
        )
    except (Conflict, NotFound) as error:
        return _agent_page(request, code, stopped=error)
    toast(request, f"From its next answer on {agent.name} talks by {held.soul.name}.", tone="ok")
    return redirect("souls:agent_soul", code)


@require_POST
@member_required
def switch(request: HttpRequest, code: str) -> HttpResponse:
    agent = get_agent(request.actor, code)
    paused = request.POST.get("to") == "pause"
    try:
        act = pause_soul if paused else resume_soul
        act(actor=request.actor, agent_id=agent.pk, reason=request.POST.get("reason", ""))
    except (Conflict, Invalid, Refused) as error:
        return _agent_page(request, code, stopped=error)
    toast(request, "Paused. Its next answer has no tone of its own." if paused else "Resumed.", tone="ok")
    return redirect("souls:agent_soul", code)


@require_GET
@member_required
def souls(request: HttpRequest) -> HttpResponse:
    """All souls of the organisation, for who sees any role-agent."""
    if not tabs.sees_agents(request):
        raise NotFound
    held = shelf(request.actor.organization_id)
    had = had_by(request.actor, held)
    rows = [(one, *words.called(request.actor, one), words.whose(had[one.pk])) for one in held]
    return render(request, "souls/list.html", {"rows": rows, "may_create": request.actor.is_admin})


@require_GET
@member_required
def soul(request: HttpRequest, code: str) -> HttpResponse:
    return _soul_page(request, find_soul(request.actor, code))


@require_GET
@member_required
def by_id(request: HttpRequest, soul_id: UUID) -> HttpResponse:
    """For the audit, which names things by id."""
    found = visible_souls(request.actor).filter(pk=soul_id).first()
    if found is None:
        raise NotFound
    return redirect("souls:soul", found.code)


@require_GET
@member_required
def by_version(request: HttpRequest, version_id: UUID) -> HttpResponse:
    version = (
        SoulVersion.objects.filter(pk=version_id, soul__in=visible_souls(request.actor)).select_related("soul").first()
    )
    if version is None:
        raise NotFound
    return redirect(f"{reverse('souls:soul', args=[version.soul.code])}?version={version.number}")


@require_POST
@member_required
def describe_soul(request: HttpRequest, code: str) -> HttpResponse:
    found = find_soul(request.actor, code)
    try:
        describe(
            actor=request.actor,
            soul_id=found.pk,
            revision=revision_of(request),
            name=request.POST.get("name", ""),
            summary=request.POST.get("summary", ""),
        )
    except (Conflict, Invalid, Refused) as error:
        return _soul_page(request, find_soul(request.actor, code), stopped=error)
    toast(request, "It has a new name.", tone="ok")
    return redirect("souls:soul", code)


@require_POST
@member_required
def revert_soul(request: HttpRequest, code: str) -> HttpResponse:
    found = find_soul(request.actor, code)
    number = whole(request.POST.get("number", "")) or 0
    try:
        revert(
            actor=request.actor,
            soul_id=found.pk,
            number=number,
            revision=revision_of(request),
            reason=request.POST.get("reason", ""),
        )
    except (Conflict, Invalid, Refused) as error:
        return _soul_page(request, find_soul(request.actor, code), stopped=error)
    toast(request, f"Version {number} is in use again.", tone="ok")
    return redirect("souls:soul", code)


def _agent_page(request: HttpRequest, code: str, *, stopped: DomainError | None = None) -> HttpResponse:
    context = agent_page(request, code, "soul")
    agent = context["agent"]
    souls = [one for one in shelf(agent.organization_id) if one.active_version_id]
    assignment = SoulAssignment.objects.filter(role_agent=agent).first()
    assigned = assignment.soul_id if assignment else None
    held = next((one for one in souls if one.pk == assigned), None)
    held = held or next((one for one in souls if one.code == DEFAULT), None)
    context |= {
        "assignment": assignment,
        "revision": assignment.revision if assignment else 0,
        "souls": [one for one in souls if may_name(request.actor, one)],
        "stopped": stopped,
    }
    if held is not None:
        context |= _of_soul(request, held)
    return render(request, "souls/agent_soul.html", context, status=stopped.status if stopped else 200)


def _soul_page(request: HttpRequest, found: Soul, *, stopped: DomainError | None = None) -> HttpResponse:
    context = _of_soul(request, found) | {"stopped": stopped, "key": str(found.pk)}
    context["cards"] = [] if context["hidden"] else soul_cards.drawn(request, found)
    return render(request, "souls/soul.html", context, status=stopped.status if stopped else 200)


def _of_soul(request: HttpRequest, found: Soul) -> dict:
    """What both pages show of a soul: its words in use, or those of `?version=`, who has it and which versions there are."""
    active, had = found.active_version, had_by(request.actor, [found])[found.pk]
    changes = may_be_changed(request.actor, found, had)
    context = words.versions(request, found, may_change=changes)
    shown = next(
        (row.version for row in context["rows"] if str(row.version.number) == request.GET.get("version")), active
    )
    hidden = shown is not None and not may_read(request.actor, shown)
    title, summary = words.called(request.actor, found)
    return context | {
        "soul": found,
        "title": title,
        "summary": summary,
        "version": shown,
        "hidden": hidden,
        "said": [] if hidden else words.said(shown),
        "facts": words.facts(request.actor, shown) if shown else [],
        "had": words.whose(had),
        "may_change": changes,
    }
