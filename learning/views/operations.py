"""How detection goes, for who runs the organisation: numbers, never what was said."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents.tabs import agents_seen
from digitalworker.agents.web import admin_required, member_required
from digitalworker.common.errors import NotFound
from digitalworker.console.toasts import toast

from ..actions import detections
from ..operations_words import described
from ..policies import reads_operations
from ..selectors.operations import operations


@require_GET
@member_required
def page(request: HttpRequest) -> HttpResponse:
    if not reads_operations(request.actor):
        raise NotFound
    found = operations(request.actor, agents_seen(request))
    return render(request, "learning/operations.html", described(found, request.actor))


@require_POST
@admin_required
def retry(request: HttpRequest, event_id: UUID) -> HttpResponse:
    detections.retry(actor=request.actor, event_id=event_id)
    toast(request, "That message is looked at again.", tone="ok")
    return redirect("learning:operations")


@require_POST
@admin_required
def retry_all(request: HttpRequest) -> HttpResponse:
    count = detections.retry_all(actor=request.actor)
    toast(request, f"{count:,} message{' is' if count == 1 else 's are'} looked at again.", tone="ok")
    return redirect("learning:operations")
