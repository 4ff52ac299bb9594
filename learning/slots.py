"""Places on this app's pages that apps above fill: the runtime, say, with the answers that used a memory."""

from dataclasses import dataclass
from typing import Protocol

from digitalworker.common.types import Actor
from digitalworker.console.slots import Cards

from .imagine import Imagined
from .models import LearningItem, Memory

memory_cards = Cards[Memory]()


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
