"""Places on this app's pages that apps above fill: the runtime, say, with the answers that used a memory."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from digitalworker.common.types import Actor

from .imagine import Imagined
from .models import LearningItem, Memory

Card = tuple[str, dict[str, Any]] | None  # a template and its context, or nothing to show
_cards: list[tuple[int, Callable[[HttpRequest, Memory], Card]]] = []


def register_memory_card(order: int, fn: Callable[[HttpRequest, Memory], Card]) -> None:
    """A card below a memory's provenance. It is drawn only for people who may read the memory."""
    _cards.append((order, fn))


def memory_cards(request: HttpRequest, memory: Memory) -> list[SafeString]:
    drawn = (fn(request, memory) for _, fn in sorted(_cards, key=lambda entry: entry[0]))
    return [render_to_string(*card, request=request) for card in drawn if card]


@dataclass(frozen=True, slots=True)
class Preview:
    """What an answer to `question` is given of memories now, and what it would be given after an approval.

    `before` and `after` are texts as the model reads them, as if nothing were known that the reviewer may not read.
    `characters` and `memories` count what they take; `more_` is what the approval adds, which is negative where it replaces
    something longer.
    `left_out` says why the answer would do without it, "" where it would not.
    """

    question: str
    before: str
    after: str
    characters: int
    more_characters: int
    memories: int
    more_memories: int
    left_out: str = ""


class Previewer(Protocol):
    """`found` is what recall finds for the question without the item and with it; `organization` its name. It asks no
    model and no engine."""

    def __call__(
        self, actor: Actor, item: LearningItem, *, question: str, found: Imagined, organization: str
    ) -> Preview: ...


_previewers: list[Previewer] = []


def register_preview(fn: Previewer) -> None:
    """Who knows how answers are made tells what a pending memory would change in one."""
    _previewers[:] = [fn]


def preview(actor: Actor, item: LearningItem, *, question: str, found: Imagined, organization: str) -> Preview | None:
    for fn in _previewers:
        return fn(actor, item, question=question, found=found, organization=organization)
    return None
