"""Places on a soul's page that apps above fill: the runtime, say, with the answers that used it."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from .models import Soul

Card = tuple[str, dict[str, Any]] | None  # a template and its context, or nothing to show
_cards: list[tuple[int, Callable[[HttpRequest, Soul], Card]]] = []


def register_soul_card(order: int, fn: Callable[[HttpRequest, Soul], Card]) -> None:
    """A card below what a soul says. It is drawn only for people who may read its version in use."""
    _cards.append((order, fn))


def soul_cards(request: HttpRequest, soul: Soul) -> list[SafeString]:
    drawn = (fn(request, soul) for _, fn in sorted(_cards, key=lambda entry: entry[0]))
    return [render_to_string(*card, request=request) for card in drawn if card]
