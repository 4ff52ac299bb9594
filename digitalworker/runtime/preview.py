"""What approving a proposal would change in an answer: the same ranking and the same choice, with one memory more.

Words alone rank here: asking an engine for the question's vector would make the reviewer's page wait.
"""

from collections.abc import Iterable
from dataclasses import replace

from digitalworker.common.types import Actor
from learning.imagine import IMAGINED, Imagined
from learning.models import LearningItem
from learning.policies import may_read_sensitive
from learning.recall import Candidate, Candidates
from learning.slots import Preview

from .context import Dropped, Included, choose, render_sections

NOT_RANKED = "For this question it is less relevant than everything that was looked at."


def preview_of(actor: Actor, item: LearningItem, *, question: str, found: Imagined, organization: str) -> Preview:
    """Of a pending memory proposal. It runs no statement.

    For who may not read something sensitive, it is as if that were not known: where it would be in the answer, or how much
    room it takes, tells of its words.
    """
    readable = (lambda each: each) if may_read_sensitive(actor) else _without_sensitive
    before, _ = choose(readable(found.before))
    after, dropped = choose(readable(found.after))
    names = {"organization": organization, "agent": item.role_agent.name}
    return Preview(
        question=question,
        before=render_sections(before, **names),
        after=render_sections(after, **names),
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


def _without_sensitive(found: Candidates) -> Candidates:
    def kept(candidates: list[Candidate]) -> list[Candidate]:
        return [each for each in candidates if not each.sensitive]

    return replace(
        found,
        organization=kept(found.organization),
        role_agent=kept(found.role_agent),
        person=kept(found.person),
        beaten=[each for each in found.beaten if not each.memory.sensitive],
    )
