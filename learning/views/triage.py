"""What can be done with a proposal besides deciding it: who may read it, whose turn it is, what kind of thing it is."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from digitalworker.agents.web import member_required, revision_of
from digitalworker.common.errors import Conflict, Invalid, Refused
from digitalworker.console.toasts import toast
from learning.actions import convert as kinds
from learning.actions import reassign as turns
from learning.actions import sensitivity
from learning.choices import ItemKind
from learning.forms import person_in
from learning.models import LearningItem
from learning.selectors import inbox
from learning.words import hidden_from

from .decisions import moved_to, stopped
from .desk import Desk


@require_POST
@member_required
def mark_sensitive(request: HttpRequest, item_id: UUID) -> HttpResponse:
    says = "Marked as sensitive. Only owners, admins and auditors read it now."
    return _change(request, item_id, sensitivity.mark_sensitive, lambda item: says)


@require_POST
@member_required
def unmark_sensitive(request: HttpRequest, item_id: UUID) -> HttpResponse:
    return _change(
        request,
        item_id,
        sensitivity.unmark_sensitive,
        lambda item: f"Not sensitive any more. Managers of {item.role_agent.name} read and decide it.",
        reason=request.POST.get("reason", ""),
    )


@require_POST
@member_required
def reassign(request: HttpRequest, item_id: UUID) -> HttpResponse:
    return _change(
        request,
        item_id,
        turns.reassign,
        lambda item: f"Assigned to {item.assigned_to}." if item.assigned_to else "Assigned to nobody.",
        user_id=person_in(request),
    )


@require_POST
@member_required
def convert(request: HttpRequest, item_id: UUID) -> HttpResponse:
    def says(item: LearningItem) -> str:
        if item.kind == ItemKind.SKILL:
            return "Written up as a skill. What nobody said yet is still to be written."
        return "It is a memory again."

    return _change(request, item_id, kinds.convert, says)


def _change(request: HttpRequest, item_id: UUID, action, says, **how) -> HttpResponse:
    """The item stays open, changed or with the reason why it was not; what the actor may not read any more gives way."""
    desk = Desk.of(request)
    try:
        item = action(actor=request.actor, item_id=item_id, revision=revision_of(request), **how)
    except (Conflict, Invalid, Refused) as error:
        return stopped(desk, item_id, error)
    toast(request, says(item), tone="ok")
    if not hidden_from(request.actor, item):
        return moved_to(desk, item.pk, changed=item)
    following = inbox.next_pending(request.actor, desk.filters, item)  # there is nothing here to look at any more
    return moved_to(desk, following.pk if following else None, changed=item, found=following)
