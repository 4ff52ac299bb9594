"""Places on this app's pages that apps above fill: home, the sidebar's numbers, and a role-agent's overview."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from digitalworker.console.slots import Card

from .models import RoleAgent

SLOTS = ("stat", "main", "side")

_dashboard: list[tuple[int, str, Callable[[HttpRequest], Card]]] = []
_overview: list[tuple[int, str, Callable[[HttpRequest, RoleAgent], Card]]] = []
_badges: list[Callable[[HttpRequest], dict[UUID, int]]] = []


def register_dashboard_card(order: int, fn: Callable[[HttpRequest], Card], slot: str = "main") -> None:
    """A card on everybody's home; `fn` decides by `request.actor` whether it shows. Slots: stat (one number, in the row
    on top), main (the wide column) and side."""
    _dashboard.append((order, _known(slot), fn))


def register_overview_card(order: int, fn: Callable[[HttpRequest, RoleAgent], Card], slot: str = "main") -> None:
    """A card on a role-agent's Overview."""
    _overview.append((order, _known(slot), fn))


def register_agent_badge(fn: Callable[[HttpRequest], dict[UUID, int]]) -> None:
    """How much waits for the person who looks, by role-agent id. Asked once a page; numbers of several apps add up."""
    _badges.append(fn)


def dashboard_cards(request: HttpRequest) -> dict[str, list[SafeString]]:
    return _drawn(request, _dashboard)


def overview_cards(request: HttpRequest, agent: RoleAgent) -> dict[str, list[SafeString]]:
    return _drawn(request, _overview, agent)


def agent_badges(request: HttpRequest) -> dict[UUID, int]:
    total: dict[UUID, int] = {}
    for fn in _badges:
        for agent_id, number in fn(request).items():
            total[agent_id] = total.get(agent_id, 0) + number
    return total


def _known(slot: str) -> str:
    if slot not in SLOTS:
        raise ValueError(f"There is no slot {slot!r}; there are {', '.join(SLOTS)}.")
    return slot


def _drawn(request: HttpRequest, registered: list, *args: RoleAgent) -> dict[str, list[SafeString]]:
    drawn: dict[str, list[SafeString]] = {slot: [] for slot in SLOTS}
    for _, slot, fn in sorted(registered, key=lambda entry: entry[0]):
        if card := fn(request, *args):
            drawn[slot].append(render_to_string(card[0], card[1], request=request))
    return drawn
