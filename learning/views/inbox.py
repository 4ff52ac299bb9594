"""Reading the Learning Inbox. Each list and each item is an address of its own."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from digitalworker.agents.page import agent_page
from digitalworker.agents.web import member_required
from digitalworker.common.errors import NotFound
from learning import words
from learning.models import LearningItem
from learning.selectors import groups as alike
from learning.selectors import inbox as selectors

from . import pane
from .desk import Desk, show


@require_GET
@member_required
def inbox(request: HttpRequest) -> HttpResponse:
    """The list, and on a wide screen its first item beside it. Without a word in its address: the view somebody chose."""
    desk = Desk.of(request)
    if "tidy" in request.GET:  # from the form of all filters, most of which are empty
        return redirect(desk.href())
    if not request.GET and desk.default_view and desk.default_view.query:
        return redirect(f"{desk.home}?{desk.default_view.query}")
    fill(desk)
    # Whoever comes to decide begins with what they may read; what waits for somebody else is in the list beside it.
    desk.item = next((row for row in desk.page.rows if not words.hidden_from(request.actor, row)), None)
    desk.place = (
        selectors.place_in_rows(desk.page.rows, desk.item, first_page=not desk.cursor) if desk.item else desk.place
    )
    return show(desk, opened=False)


@require_GET
@member_required
def item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """One item: beside its list as a page, alone for htmx."""
    desk = Desk.of(request)
    open_item(desk, item_id)
    return show(desk, opened=True)


@require_GET
@member_required
def beside(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """What an approval would change in an answer, and what is much like the item: a page, and for htmx a piece of the pane."""
    found = selectors.find_item(request.actor, item_id, with_event=True)
    if words.hidden_from(request.actor, found):
        raise NotFound
    context = pane.beside(request.actor, found, request.organization.name)
    return render(request, f"learning/beside.html{'#piece' if request.htmx else ''}", context)


@require_GET
@member_required
def agent_inbox(request: HttpRequest, code: str) -> HttpResponse:
    """The same list as a tab of one role-agent's page."""
    context = agent_page(request, code, "inbox")
    desk = Desk.of(request)
    desk.filters = desk.filters.but(agent=code)
    desk.base = reverse("learning:agent_inbox", args=[code])
    fill(desk)
    return render(request, "learning/agent_inbox.html", context | {"desk": desk})


@require_GET
@member_required
def groups(request: HttpRequest) -> HttpResponse:
    """What waits and is about the same thing, the largest group first; each leads to its items, all ticked."""
    desk = Desk.of(request)
    rows = [desk.group_row(group) for group in alike.groups(request.actor, desk.filters)]
    return render(request, "learning/groups.html", {"desk": desk, "rows": rows})


def fill(desk: Desk) -> None:
    """The page of the list that the address names."""
    desk.page = selectors.inbox_page(desk.request.actor, desk.filters, desk.cursor, desk.size)


def open_item(desk: Desk, item_id: UUID) -> LearningItem:
    """Puts the item on the desk: with its list for a whole page, by itself for htmx, which has the list already."""
    actor = desk.request.actor
    if desk.request.htmx and not desk.request.htmx.history_restore_request:
        found = selectors.find_item(actor, item_id)
        desk.place = selectors.place_of(actor, desk.filters, found)
    else:
        fill(desk)
        shown = next((row for row in desk.page.rows if row.pk == item_id), None)
        found = shown or selectors.find_item(actor, item_id)
        desk.place = selectors.place_in_rows(desk.page.rows, found, first_page=not desk.cursor)
    desk.item = found
    return found
