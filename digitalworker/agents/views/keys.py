from datetime import datetime, time, timedelta
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from digitalworker.common.errors import Invalid
from digitalworker.console.toasts import toast

from .. import selectors
from ..actions import keys as actions
from ..forms import KeyForm, refuse
from ..models import ApiKey, RoleAgent
from ..web import admin_required, get_or_post

MOST_TO_TICK = 30


@require_GET
@admin_required
def key_list(request: HttpRequest) -> HttpResponse:
    found = selectors.keys_page(request.actor, request.GET.get("cursor", ""))
    rows = [{"key": key, "state": state(key), "dialog_id": f"revoke-{key.pk}"} for key in found.rows]
    return render(request, "agents/keys.html", {"page": found, "rows": rows})


@get_or_post
@admin_required
def create(request: HttpRequest) -> HttpResponse:
    form = KeyForm(request.POST or None, agents=agents_to_tick(request))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            key, plain = actions.create_key(
                actor=request.actor,
                name=data["name"],
                scopes=data["scopes"],
                agent_ids=agents_named(request, form.codes()) if data["reach"] == "some" else None,
                expires_at=end_of(data["expires"]),
            )
        except Invalid as error:
            refuse_key(form, error)
        else:
            answer = render(request, "agents/key_created.html", {"key": key, "plain": plain})
            answer["Cache-Control"] = "no-store"
            return answer
    return render(request, "agents/create_key.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
@admin_required
def revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    key = actions.revoke_key(actor=request.actor, key_id=key_id)
    toast(request, f"{key.name} opens nothing any more.")
    return redirect("agents:keys")


def agents_to_tick(request: HttpRequest) -> list[tuple[str, str]] | None:
    agents = RoleAgent.objects.filter(organization_id=request.actor.organization_id).order_by("name", "id")
    found = list(agents.values_list("code", "name")[: MOST_TO_TICK + 1])
    return found if len(found) <= MOST_TO_TICK else None


def agents_named(request: HttpRequest, named: list[str]) -> list[UUID]:
    codes = set(named)
    known = dict(
        RoleAgent.objects.filter(organization_id=request.actor.organization_id, code__in=codes).values_list(
            "code", "pk"
        )
    )
    if unknown := sorted(codes - set(known)):
        message = f"There is no role-agent with the code {', '.join(unknown)}."
        raise Invalid(message, errors={"agents": [message]})
    return list(known.values())


def refuse_key(form: KeyForm, error: Invalid) -> None:
    """The action names its own arguments; the form calls two of them differently."""
    names = {"role_agents": "agents", "expires_at": "expires"}
    error.errors = {names.get(name, name): messages for name, messages in error.errors.items()}
    refuse(form, error)


def end_of(day) -> datetime | None:
    return timezone.make_aware(datetime.combine(day + timedelta(days=1), time.min)) if day else None


def state(key: ApiKey) -> dict[str, str]:
    if key.revoked_at:
        return {"label": "Revoked", "tone": ""}
    if key.expires_at and key.expires_at <= timezone.now():
        return {"label": "Expired", "tone": ""}
    return {"label": "Active", "tone": "ok"}
