"""Places on a page that apps above fill: the runtime, say, with the answers that used a memory, a skill or a soul."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

Card = tuple[str, dict[str, Any]] | None  # a template and its context, or nothing to show


class Cards[Thing]:
    """The cards below one kind of thing. The page draws them only for people who may read what it says."""

    def __init__(self) -> None:
        self.registered: list[tuple[int, Callable[[HttpRequest, Thing], Card]]] = []

    def register(self, order: int, fn: Callable[[HttpRequest, Thing], Card]) -> None:
        self.registered.append((order, fn))

    def drawn(self, request: HttpRequest, thing: Thing) -> list[SafeString]:
        cards = (fn(request, thing) for _, fn in sorted(self.registered, key=lambda entry: entry[0]))
        return [render_to_string(*card, request=request) for card in cards if card]
