"""Choosing what the inbox shows: the page that offers all filters, with how much is behind each value."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from digitalworker.agents.web import member_required
from learning.choices import ItemStatus, MemoryScope, Risk, Source
from learning.selectors import filters as known
from learning.selectors import views as saved
from learning.selectors.filters import ME, NOBODY, Filters

from .desk import Desk

Option = tuple[str, str]


@require_GET
@member_required
def choose(request: HttpRequest) -> HttpResponse:
    """All filters at once: a page of its own, and for htmx a dialog over the list."""
    desk = Desk.of(request)
    context = {"desk": desk, "fields": _fields(desk), "flags": _flags(desk)}
    piece = request.htmx and not request.htmx.history_restore_request
    return render(request, "learning/filter.html#choose" if piece else "learning/filter.html", context)


@require_GET
@member_required
def assigned(request: HttpRequest) -> HttpResponse:
    """A short address for what one was given to decide."""
    return redirect(f"{reverse('learning:inbox')}?{Filters(assignee=ME).query}")


def _fields(desk: Desk) -> list[dict[str, Any]]:
    actor, filters = desk.request.actor, desk.filters
    people = [(ME, "You"), (NOBODY, "Nobody"), *saved.assignees(actor)]
    offered: dict[str, tuple[str, Iterable[Option]]] = {
        "status": ("State", ItemStatus.choices),
        "agent": ("Role-agent", [(code, agent.name) for code, agent in desk.agents.items()]),
        "kind": ("Kind", known.KINDS.items()),
        "scope": ("For", MemoryScope.choices),
        "risk": ("Risk", Risk.choices),
        "assignee": ("Assigned to", people),
        "age": ("Older than", known.AGES.items()),
        "finding": ("Found in it", known.FINDING_LABELS.items()),
        "source": ("Came by", Source.choices),
        "channel": ("Channel", saved.channels(actor)),
        "sort": ("Order", known.SORTS.items()),
    }
    return [
        {
            "name": name,
            "label": label,
            "all": "" if name in {"status", "sort"} else "All",
            "options": [_option(desk, name, value, text, getattr(filters, name)) for value, text in options],
        }
        for name, (label, options) in offered.items()
    ]


def _option(desk: Desk, name: str, value: str, text: str, current: str) -> dict[str, Any]:
    counted = name not in {"status", "sort"} and desk.filters.status == ItemStatus.PENDING
    count = desk.count(desk.filters.but(**{name: value})) if counted else None
    return {"value": value, "label": text, "count": count, "current": value == current}


def _flags(desk: Desk) -> list[dict[str, Any]]:
    flags = {"sensitive": "Sensitive", "updates": "Updates of what is known", "yours": "What you may decide"}
    return [
        {
            "name": name,
            "label": label,
            "on": getattr(desk.filters, name),
            "count": desk.count(desk.filters.but(**{name: True})),
        }
        for name, label in flags.items()
    ]
