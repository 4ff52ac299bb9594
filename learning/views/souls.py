"""Proposing how an agent talks, with what would change and what no soul may say shown while one types."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.page import agent_page
from digitalworker.agents.policies import require_review
from digitalworker.agents.web import admin_required, get_or_post, member_required
from digitalworker.common.errors import Conflict, Denied, DomainError
from digitalworker.console.toasts import toast
from learning.actions.propose_soul import SoulWords, create_soul, propose_soul, scope_of
from learning.choices import MemoryScope
from learning.soul_faults import faults_in
from learning.soul_forms import NewSoulForm, ProposeNewSoulForm, ProposeSoulForm, SoulForm
from learning.soul_text import PARTS, soul_text
from souls.models import Soul
from souls.policies import SENSITIVE, may_read
from souls.selectors import find_soul, soul_had_by


@get_or_post
@member_required
def propose(request: HttpRequest, code: str) -> HttpResponse:
    """A change of the soul that the agent has, of `?soul=`, or with `?new=1` a soul that there is not yet."""
    context = agent_page(request, code, "soul")
    agent: RoleAgent = context["agent"]
    require_review(request.actor, agent)
    soul = _soul(request, agent)
    form = _form(request, soul)
    if request.method == "POST" and request.POST.get("then") != "preview":
        form.is_valid()
        try:
            words = SoulWords(form.words, **form.named)
            item = propose_soul(actor=request.actor, role_agent=agent, words=words, soul=soul)
        except DomainError as error:
            return _not_taken(request, "learning/propose_soul.html", context, form, error, soul=soul, agent=agent)
        toast(request, "Proposed. It waits for a decision.", tone="ok")
        return redirect("learning:item", item.pk)
    return _shown(request, "learning/propose_soul.html", context, form, soul=soul, agent=agent)


@get_or_post
@admin_required
def create(request: HttpRequest) -> HttpResponse:
    """A soul in one's own words, on the shelf at once."""
    form = NewSoulForm(request.POST or None)
    if request.method == "POST" and request.POST.get("then") != "preview":
        form.is_valid()
        try:
            soul = create_soul(actor=request.actor, words=SoulWords(form.words, **form.named))
        except DomainError as error:
            return _not_taken(request, "learning/create_soul.html", {}, form, error)
        toast(request, f"{soul.name} is on the shelf. Assign it on a role-agent’s Soul tab.", tone="ok")
        return redirect("souls:soul", soul.code)
    return _shown(request, "learning/create_soul.html", {}, form)


def _soul(request: HttpRequest, agent: RoleAgent) -> Soul | None:
    if request.GET.get("new"):
        return None
    soul = find_soul(request.actor, request.GET["soul"]) if request.GET.get("soul") else soul_had_by(agent)
    if soul and soul.active_version and not may_read(request.actor, soul.active_version):
        raise Denied(SENSITIVE)
    return soul


def _form(request: HttpRequest, soul: Soul | None) -> ProposeSoulForm | ProposeNewSoulForm:
    data = request.POST or None
    if soul is None:
        return ProposeNewSoulForm(data)
    return ProposeSoulForm(data, initial={name: getattr(soul.active_version, name, "") for name in PARTS})


def _shown(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    form: SoulForm,
    *,
    soul: Soul | None = None,
    agent: RoleAgent | None = None,
    status: int = 200,
    stopped: DomainError | None = None,
) -> HttpResponse:
    context |= {"form": form, "soul": soul, "stopped": stopped, "text": "", "sends": request.get_full_path()}
    if soul is not None and soul.active_version is not None:
        context["text"] = soul_text(vars(soul.active_version))
    if request.POST.get("then") == "preview":
        form.errors.clear()
        context["faults"] = faults_in(form.words)
        if request.htmx and request.htmx.target == "changes":
            return render(request, "learning/soul_changes.html", context)
    if agent is not None:
        context["everyones"] = scope_of(soul, agent) == MemoryScope.ORGANIZATION
        context["back"] = reverse("souls:agent_soul", args=[agent.code])
    return render(request, template, context, status=status)


def _not_taken(
    request: HttpRequest, template: str, context: dict, form: SoulForm, error: DomainError, **more: Any
) -> HttpResponse:
    """Whatever was typed is still there."""
    taken = form.take(error)
    if not taken and not isinstance(error, Conflict | Denied):
        raise error
    return _shown(request, template, context, form, status=error.status, stopped=None if taken else error, **more)
