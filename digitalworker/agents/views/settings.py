from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from digitalworker.common.errors import Conflict, Invalid
from digitalworker.console.toasts import toast

from .. import selectors
from ..actions import gate
from ..actions import organizations as actions
from ..actions import prompts as prompt_actions
from ..forms import AccessForm, CareForm, OrganizationForm, PromptForm, StorageForm, refuse
from ..models import Organization
from ..web import admin_required, get_or_post

_CHANGES: dict[str, Callable[..., Organization]] = {
    "name": actions.rename_organization,
    "care": actions.change_care,
    "storage": actions.change_storage_mode,
}


@get_or_post
@admin_required
def organization(request: HttpRequest) -> HttpResponse:
    """Three forms on one page; the name of the one sent says which."""
    sent, now = request.POST.get("form", ""), vars(request.organization)
    kinds = {"name": OrganizationForm, "care": CareForm, "storage": StorageForm}
    forms = {name: kind(request.POST if sent == name else None, initial=now) for name, kind in kinds.items()}
    form = forms.get(sent)
    if form is not None and form.is_valid():
        try:
            _CHANGES[sent](actor=request.actor, **form.cleaned_data)
        except Invalid as error:
            refuse(form, error)
        else:
            toast(request, "Saved.", tone="ok")
            return redirect("agents:organization")
    context = {f"{name}_form": each for name, each in forms.items()}
    return render(request, "agents/organization.html", context, status=422 if form is not None else 200)


@get_or_post
@admin_required
def access(request: HttpRequest) -> HttpResponse:
    features, sent = selectors.access_with_usage(request.actor), request.POST.get("feature", "")
    for row in features:
        mine = sent == row["feature"]
        row["form"] = AccessForm(
            request.POST if mine else None,
            instance=None if mine else row["access"],
            auto_id=f"{row['feature'].name}_%s",
        )
        if mine and row["form"].is_valid():
            gate.change_access(actor=request.actor, feature=sent, **row["form"].cleaned_data)
            toast(request, f"{row['feature'].label}: saved.", tone="ok")
            return redirect("agents:access")
    return render(request, "agents/access.html", {"features": features}, status=422 if sent else 200)


@require_GET
@admin_required
def prompts(request: HttpRequest) -> HttpResponse:
    in_use = selectors.prompts_in_use(request.actor)
    rows = [(prompt, in_use.get(prompt.key)) for prompt in prompt_actions.registered_prompts()]
    return render(request, "agents/prompts.html", {"rows": rows})


@get_or_post
@admin_required
def prompt(request: HttpRequest, key: str) -> HttpResponse:
    found, in_use = prompt_actions.prompt_of(key), selectors.prompts_in_use(request.actor).get(key)
    body, _ = prompt_actions.active_prompt(request.actor.organization_id, key)
    form = PromptForm(request.POST or None, initial={"body": body, "seen": in_use})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            prompt_actions.save_prompt(actor=request.actor, key=key, body=data["body"], seen_version=data["seen"])
        except (Invalid, Conflict) as error:
            refuse(form, error)
            form.data = {**request.POST.dict(), "seen": "" if in_use is None else in_use}
        else:
            toast(request, "These words are in use from the next call on.", tone="ok")
            return redirect("agents:prompt", key)
    versions = selectors.prompt_versions(request.actor, key)
    context = {"prompt": found, "form": form, "in_use": in_use, "versions": versions, "body": body}
    return render(request, "agents/prompt.html", context, status=422 if form.errors else 200)


@require_POST
@admin_required
def reset_prompt(request: HttpRequest, key: str) -> HttpResponse:
    prompt_actions.reset_prompt(actor=request.actor, key=key)
    toast(request, "The built-in words are in use again.", tone="ok")
    return redirect("agents:prompt", key)
