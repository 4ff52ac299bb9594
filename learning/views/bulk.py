"""Deciding what is ticked, and saying honestly what came of it. Plain forms: each answer is a page of its own."""

import secrets
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from digitalworker.agents.web import member_required
from digitalworker.console.toasts import toast
from learning import tally
from learning.actions import bulk as actions
from learning.actions.bulk import Choice, Result
from learning.choices import Why
from learning.forms import person_in
from learning.selectors import inbox

from .desk import LAST_BULKS, LAST_DECISION, Desk

KEPT = 3  # results a session remembers: more than one, for whoever works in two tabs


@require_POST
@member_required
def decide(request: HttpRequest) -> HttpResponse:
    """`do` is the name of an action, or `reject:` and why; `item` is each ticked row as it was shown."""
    desk = Desk.of(request)
    name, _, why = request.POST.get("do", "").partition(":")
    choices = ticked(request.POST.getlist("item"))
    if not choices or not name:
        missing = "ticked" if name else "chosen"
        toast(request, f"Nothing was {missing}, so nothing was changed.", tone="warn")
        return go(request, desk.href(**desk.page_kept))
    if name == "reassign" and "to" not in request.POST:
        people = inbox.reviewers_of_all(request.actor, [choice.item_id for choice in choices])
        values = request.POST.getlist("item")
        return render(request, "learning/bulk_reassign.html", {"desk": desk, "values": values, "people": people})
    results = actions.decide(actor=request.actor, name=name, choices=choices, **_how(request, name, why))
    return _told(desk, name, results)


@require_POST
@member_required
def undo(request: HttpRequest) -> HttpResponse:
    """Takes back what one bulk decision did, as far as nobody touched it since."""
    desk = Desk.of(request)
    done = request.session.get(LAST_BULKS, {}).get(request.GET.get("bulk", ""), {}).get("done", [])
    choices = [Choice(UUID(item_id), revision) for item_id, revision in done]
    if not choices:
        toast(request, "There is nothing to take back any more.", tone="warn")
        return go(request, desk.href())
    return _told(desk, "reopen", actions.decide(actor=request.actor, name="reopen", choices=choices))


def ticked(values: list[str]) -> list[Choice]:
    """Rows as they were shown; what is none of ours is passed over, and an action on nothing says so."""
    found = []
    for value in values:
        item_id, _, seen = value.partition(".")
        revision, _, words = seen.partition(".")
        digest, _, replaces = words.partition(".")
        try:
            found.append(Choice(UUID(item_id), int(revision), digest, replaces))
        except ValueError:
            continue
    return found


def _how(request: HttpRequest, name: str, why: str) -> dict:
    if name == "reject":
        return {"why": why if why in Why.values else "", "reason": request.POST.get("reason", "")}
    if name == "reassign":
        return {"user_id": person_in(request)}
    return {}


def _told(desk: Desk, name: str, results: list[Result]) -> HttpResponse:
    """A note that counts everything, an undo for what was decided, and the items that are left with why, on the list."""
    request = desk.request
    again = {result.item_id for result in results if actions.decided_by_same(result, request.actor, name)}
    done = [[str(result.item_id), result.item.revision] for result in results if result.item]
    left = {result.item_id: result.error for result in results if result.error and result.item_id not in again}
    token = secrets.token_urlsafe(9)
    can_undo = bool(done) and name in {"approve", "reject"}
    kept = dict(list(request.session.get(LAST_BULKS, {}).items())[1 - KEPT :])
    request.session[LAST_BULKS] = kept | {
        token: {
            "done": done if can_undo else [],
            "left": {str(item_id): tally.left_because(error) for item_id, error in left.items()},
        }
    }
    if can_undo:
        request.session[LAST_DECISION] = [token, None, str(request.actor.organization_id)]
    elif name == "reopen" and request.session.get(LAST_DECISION, [""])[0] == request.GET.get("bulk"):
        del request.session[LAST_DECISION]
    toast(
        request,
        tally.sentence(name, len(done), len(again), list(left.values())),
        tone="warn" if left else "ok",
        undo=desk.page_href("undo_bulk", bulk=token) if can_undo else "",
    )
    more = {"bulk": token} if left else {}
    return go(request, desk.href(**desk.page_kept, **more))


def go(request: HttpRequest, address: str) -> HttpResponse:
    """A whole page next, also where htmx sent the form."""
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
