"""What approving a proposal would change in an answer: the same ranking and the same choice, with one memory more.

Words alone rank here: asking an engine for the question's vector would make the reviewer's page wait.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from digitalworker.common.types import Actor
from learning import recall
from learning.imagine import IMAGINED, OneMore, recall_with
from learning.models import LearningItem, Memory
from learning.policies import may_read_sensitive
from learning.sections import HIDDEN
from learning.slots import Preview

from .context import Dropped, Included, choose, render_sections

NOT_RANKED = "For this question it is less relevant than everything that was looked at."


def preview_of(actor: Actor, item: LearningItem, *, question: str, replaces: UUID | None, organization: str) -> Preview:
    """Of a pending memory proposal. Two statements of recall, and one more for whom something must be hidden from."""
    payload = item.proposed_payload
    asked: dict[str, Any] = {
        "organization_id": item.organization_id,
        "role_agent_id": item.role_agent_id,
        "person_id": item.person_id,
        "question": question,
    }
    one_more = OneMore(payload["scope"], payload["kind"], payload["key"], payload["content"], replaces)
    before, _ = choose(recall.recall(**asked))
    after, dropped = choose(recall_with(one_more, **asked))
    hidden = _hidden_from(actor, [*before, *after])
    names = {"organization": organization, "agent": item.role_agent.name}
    return Preview(
        question=question,
        before=render_sections(_readable(before, hidden), **names),
        after=render_sections(_readable(after, hidden), **names),
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


def _hidden_from(actor: Actor, included: list[Included]) -> set:
    if may_read_sensitive(actor):
        return set()
    ids = {each.memory.id for each in included}
    return set(Memory.objects.filter(pk__in=ids, sensitive=True).values_list("pk", flat=True))


def _readable(included: list[Included], hidden: set) -> list[Included]:
    return [replace(each, line=HIDDEN) if each.memory.id in hidden else each for each in included]
