"""Places on a memory's page that apps above fill: the runtime, say, with the answers that used it."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from .models import Memory

Card = tuple[str, dict[str, Any]] | None  # a template and its context, or nothing to show
_cards: list[tuple[int, Callable[[HttpRequest, Memory], Card]]] = []


def register_memory_card(order: int, fn: Callable[[HttpRequest, Memory], Card]) -> None:
    """A card below a memory's provenance. It is drawn only for people who may read the memory."""
    _cards.append((order, fn))


def memory_cards(request: HttpRequest, memory: Memory) -> list[SafeString]:
    drawn = (fn(request, memory) for _, fn in sorted(_cards, key=lambda entry: entry[0]))
    return [render_to_string(*card, request=request) for card in drawn if card]
