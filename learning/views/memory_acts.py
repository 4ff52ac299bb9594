"""What is done to a memory with one button on its page: pin, promote, and back; and found not to be sensitive."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from digitalworker.agents.web import member_required, revision_of
from digitalworker.common.errors import Conflict, Full, Invalid, Refused
from digitalworker.console.toasts import toast
from learning.actions.pin import pin_memory, unpin_memory
from learning.actions.promote import demote_memory, promote_memory
from learning.actions.sensitivity import unmark_memory
from learning.models import Memory
from learning.selectors.memories import find_memory

from .memories import show


@require_POST
@member_required
def pin(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    return _act(
        request, memory_id, pin_memory, "Pinned. It stands first in its part of every answer.", undo="unpin_memory"
    )


@require_POST
@member_required
def unpin(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    return _act(request, memory_id, unpin_memory, "Unpinned. It is used when it fits the question.", undo="pin_memory")


@require_POST
@member_required
def promote(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    reason = request.POST.get("reason", "")[:500]
    done = "Promoted. Every role-agent can use it."
    if find_memory(request.actor, memory_id).pinned:  # a pin is of one owner's, and stays behind
        done += " It is not pinned any more."
    return _act(request, memory_id, promote_memory, done, undo="demote_memory", reason=reason)


@require_POST
@member_required
def demote(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    done = "Taken back. Only its role-agent knows it again."
    return _act(request, memory_id, demote_memory, done, undo="promote_memory")


@require_POST
@member_required
def unmark_sensitive(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    reason = request.POST.get("reason", "")
    done = "Not sensitive any more. Who sees its role-agent reads it."
    return _act(request, memory_id, unmark_memory, done, reason=reason)


def _act(
    request: HttpRequest, memory_id: UUID, action: Callable[..., Memory], done: str, *, undo: str = "", **how: str
) -> HttpResponse:
    try:
        changed = action(actor=request.actor, memory_id=memory_id, revision=revision_of(request), **how)
    except (Conflict, Full, Invalid, Refused) as error:
        return show(request, find_memory(request.actor, memory_id), stopped=error, status=error.status)
    back = reverse(f"learning:{undo}", args=[changed.pk]) + f"?revision={changed.revision}" if undo else ""
    toast(request, done, undo=back)
    return redirect("learning:memory", changed.pk)
