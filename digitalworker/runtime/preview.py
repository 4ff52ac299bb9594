"""What approving a proposal would change in an answer: the same ranking and the same choice, with one memory more.

Words alone rank here: asking an engine for the question's vector would make the reviewer's page wait.
"""

from collections.abc import Iterable
from dataclasses import replace

from digitalworker.common.types import Actor
from learning.imagine import IMAGINED, Imagined
from learning.models import LearningItem
from learning.policies import may_read_sensitive
from learning.sections import HIDDEN
from learning.slots import Preview

from .context import Dropped, Included, choose, render_sections

NOT_RANKED = "For this question it is less relevant than everything that was looked at."


def preview_of(actor: Actor, item: LearningItem, *, question: str, found: Imagined, organization: str) -> Preview:
    """Of a pending memory proposal. It runs no statement."""
    before, _ = choose(found.before)
    after, dropped = choose(found.after)
    reads_all = may_read_sensitive(actor)
    names = {"organization": organization, "agent": item.role_agent.name}
    return Preview(
        question=question,
        before=render_sections(_readable(before, reads_all), **names),
        after=render_sections(_readable(after, reads_all), **names),
        characters=_characters(before),
        more_characters=_characters(after) - _characters(before),
        memories=len(before),
        more_memories=len(after) - len(before),
        left_out=_left_out(after, dropped),
    )


def _left_out(after: list[Included], dropped: list[Dropped]) -> str:
    if any(included.memory.id == IMAGINED for included in after):
        return ""
    return next((each.reason for each in dropped if each.memory.id == IMAGINED), NOT_RANKED)


def _characters(included: Iterable[Included]) -> int:
    return sum(len(each.line) for each in included)


def _readable(included: list[Included], reads_all: bool) -> list[Included]:
    return [each if reads_all or not each.memory.sensitive else replace(each, line=HIDDEN) for each in included]
