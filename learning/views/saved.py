"""A reviewer's own views: kept from the filters of a list, then named, ordered, chosen and deleted on one page."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from digitalworker.agents.web import get_or_post, member_required
from digitalworker.common.errors import Conflict, DomainError, Full, Invalid, Refused
from digitalworker.console.toasts import toast
from learning.actions import saved_views as actions

from .desk import Desk

STEPS = {"up": -1, "down": 1}


@get_or_post
@member_required
def views(request: HttpRequest) -> HttpResponse:
    """The page; a POST keeps the filters of its own address under a name."""
    desk = Desk.of(request)
    if request.method != "POST":
        return _show(request, desk)
    name = request.POST.get("name", "")
    try:
        view = actions.save_view(actor=request.actor, name=name, query=desk.filters.query)
    except (Conflict, Full, Invalid, Refused) as error:
        return _show(request, desk, error=error, typed=name)
    toast(request, f"Kept as “{view.name}”.", tone="ok")
    return redirect(desk.href())


@require_POST
@member_required
def change(request: HttpRequest, view_id: UUID) -> HttpResponse:
    what, actor = request.POST.get("do", ""), request.actor
    try:
        if what in STEPS:
            actions.move_view(actor=actor, view_id=view_id, step=STEPS[what])
        elif what == "delete":
            actions.delete_view(actor=actor, view_id=view_id)
        elif what in {"default", "plain"}:
            actions.set_default_view(actor=actor, view_id=view_id, default=what == "default")
        else:
            actions.rename_view(actor=actor, view_id=view_id, name=request.POST.get("name", ""))
    except (Conflict, Invalid, Refused) as error:
        return _show(request, Desk.of(request), error=error)
    return redirect("learning:views")


def _show(request: HttpRequest, desk: Desk, *, error: DomainError | None = None, typed: str = "") -> HttpResponse:
    context = {"desk": desk, "error": error, "typed": typed}
    return render(request, "learning/views.html", context, status=error.status if error else 200)
