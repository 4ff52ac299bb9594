"""Deciding in the inbox. After a decision the next pending item is open; a conflict keeps whatever was typed.

`stopped` and `moved_to` are how every change of an open item ends.
"""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from digitalworker.agents.web import member_required, revision_of
from digitalworker.common.errors import Conflict, DomainError, Full, Invalid, Refused
from digitalworker.console.toasts import toast
from learning import words
from learning.actions import review
from learning.choices import ItemStatus
from learning.edit_forms import EditForm, edit_form
from learning.models import LearningItem
from learning.payload import text_of
from learning.selectors import evidence, inbox

from .desk import LAST_DECISION, Desk, show
from .inbox import fill, open_item

OTHER_KIND = "This became another kind of proposal meanwhile. Read it again, then decide. Nothing was changed."


@require_POST
@member_required
def approve(request: HttpRequest, item_id: UUID) -> HttpResponse:
    desk = Desk.of(request)
    try:
        item = review.approve(actor=request.actor, item_id=item_id, **_approves(request), reason=_reason(request))
    except (Conflict, Full, Refused) as error:
        return stopped(desk, item_id, error)
    return _advance(desk, item)


@require_POST
@member_required
def reject(request: HttpRequest, item_id: UUID) -> HttpResponse:
    desk = Desk.of(request)
    try:
        why = request.POST.get("why", "")
        item = review.reject(actor=request.actor, item_id=item_id, **_seen(request), why=why, reason=_reason(request))
    except (Conflict, Invalid, Refused) as error:
        return stopped(desk, item_id, error)
    return _advance(desk, item)


@require_POST
@member_required
def reopen(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Undo: the item waits again, and is what one looks at."""
    desk = Desk.of(request)
    try:
        item = review.reopen(actor=request.actor, item_id=item_id, revision=revision_of(request))
    except (Conflict, Refused) as error:
        return stopped(desk, item_id, error)
    if (request.session.get(LAST_DECISION) or [""])[0] == str(item.pk):
        del request.session[LAST_DECISION]
    toast(request, "Taken back. It waits for a decision again.")
    return moved_to(desk, item.pk, changed=item)


@require_http_methods(["GET", "POST"])
@member_required
def edit(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """The words before they are known: saved and approved in one step, or saved and left waiting."""
    desk = Desk.of(request)
    if request.method == "GET":
        opened = open_item(desk, item_id)
        if "edit" not in desk.actions:
            return redirect(desk.item_href(item_id))
        return show(desk, opened=True, form=edit_form(opened))
    form = edit_form(inbox.find_item(request.actor, item_id), request.POST)
    if form.main_field not in request.POST:
        kept = next((text for name in ("content", "document", "tone_rules_md") if (text := request.POST.get(name))), "")
        return stopped(desk, item_id, Conflict(OTHER_KIND, code="stale_revision"), kept=kept)
    form.is_valid()
    if request.POST.get("then") == "preview":
        return _preview(desk, item_id, form)
    try:
        item = _save(request, item_id, form.words)
    except DomainError as error:
        return _not_saved(desk, item_id, form, error)
    if item.status == ItemStatus.APPROVED:
        return _advance(desk, item)
    toast(request, "Saved. It still waits for a decision.", tone="ok")
    return moved_to(desk, item.pk, changed=item)


def _preview(desk: Desk, item_id: UUID, form: EditForm) -> HttpResponse:
    """What was typed against what is proposed. Nothing is saved; without scripts a button asks for it."""
    opened = open_item(desk, item_id)
    while_typing = desk.request.htmx and desk.request.htmx.target == "changes"
    if "edit" not in desk.actions:
        # Asked while typing and overtaken by the decision: the desk shows the next item by now, and keeps it.
        return HttpResponse(status=204) if while_typing else redirect(desk.item_href(item_id))
    form.errors.clear()
    if while_typing:
        return render(desk.request, "learning/changes.html", {"text": text_of(opened.proposed_payload), "form": form})
    return show(desk, opened=True, form=form)


def _save(request: HttpRequest, item_id: UUID, changes: dict) -> LearningItem:
    if request.POST.get("then") == "keep":
        revision = _seen(request)["revision"]
        return review.edit(actor=request.actor, item_id=item_id, revision=revision, changes=changes)
    return review.approve(actor=request.actor, item_id=item_id, **_approves(request), edited=changes)


def _seen(request: HttpRequest) -> dict:
    """What the reviewer had in front of them. A form without it decides nothing: it counts as having seen another text."""
    return {"revision": revision_of(request), "digest_seen": request.POST.get("digest", "")}


def _approves(request: HttpRequest) -> dict:
    return _seen(request) | {"replaces_seen": request.POST.get("replaces", "")}


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "")


def _advance(desk: Desk, item: LearningItem) -> HttpResponse:
    """Say what was done, offer to take it back, and open what waits next."""
    request = desk.request
    request.session[LAST_DECISION] = [str(item.pk), item.revision, str(item.organization_id)]
    undo = desk.item_href(item.pk, "reopen")
    undo += f"{'&' if '?' in undo else '?'}revision={item.revision}"
    title = words.plain(item.title)
    toast(request, f"{item.get_status_display()} “{title}”. Noted in the audit.", undo=undo)
    desk.filters = desk.filters.but(status=ItemStatus.PENDING)
    following = inbox.next_pending(request.actor, desk.filters, item)
    return moved_to(desk, following.pk if following else None, changed=item, found=following)


def moved_to(
    desk: Desk, item_id: UUID | None, *, changed: LearningItem, found: LearningItem | None = None
) -> HttpResponse:
    """The answer after a change: a redirect without scripts; with them the pane, the changed row, counts and address."""
    request = desk.request
    address = desk.item_href(item_id) if item_id else desk.href()
    if not request.htmx:
        return redirect(address)
    if item_id:
        desk.item = found or inbox.find_item(request.actor, item_id)
        desk.place = inbox.place_of(request.actor, desk.filters, desk.item)
    browser_has = request.POST.get("shown", "").split()
    relist = desk.item is None or str(desk.item.pk) not in browser_has
    if relist:
        fill(desk)
    response = show(desk, opened=True, after=True, relist=relist, changed=_changed_rows(desk, changed, browser_has))
    response["HX-Push-Url"] = address
    return response


def _changed_rows(desk: Desk, changed: LearningItem, browser_has: list[str]) -> list[dict]:
    """The row that was decided and the one that is open now, as far as the browser shows them."""
    items = [changed] if desk.item is None or desk.item.pk == changed.pk else [changed, desk.item]
    return [desk.row(item) for item in items if str(item.pk) in browser_has]


def stopped(
    desk: Desk, item_id: UUID, error: DomainError, form: EditForm | None = None, *, kept: str = ""
) -> HttpResponse:
    """Nothing was changed: the item as it is now, what happened meanwhile, and the words that were typed."""
    item = open_item(desk, item_id)
    extra: dict = {"stopped": error, "room": evidence.cheapest_to_forget(item) if isinstance(error, Full) else []}
    if form is not None and "edit" in desk.actions:
        extra |= {"form": form, "typed": form.typed if isinstance(error, Conflict) else ""}
    else:
        extra["kept"] = form.main_words if form is not None else kept
    return show(desk, status=error.status, opened=True, after=True, **extra)


def _not_saved(desk: Desk, item_id: UUID, form: EditForm, error: DomainError) -> HttpResponse:
    if isinstance(error, Conflict | Full):
        return stopped(desk, item_id, error, form)
    if not form.take(error):
        raise error
    open_item(desk, item_id)
    return show(desk, status=error.status, opened=True, form=form)
