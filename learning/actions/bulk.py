"""Deciding many items at once is deciding each: by the same action, about what was shown, in a transaction of its own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from digitalworker.common.errors import Conflict, DomainError, Invalid
from digitalworker.common.types import Actor
from learning.models import LearningItem

from .reassign import reassign
from .review import approve, reject, reopen
from .sensitivity import mark_sensitive

MOST = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """One ticked item: its revision and the digest of its words, as they were shown. No digest approves nothing. `replaces` is
    what an approval was shown to replace (`Memory.as_seen`), "" for nothing; None asks nothing."""

    item_id: UUID
    revision: int
    digest: str | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one choice: the item as it is now, or why it was left as it is."""

    item_id: UUID
    item: LearningItem | None = None
    error: DomainError | None = None

    @property
    def done(self) -> bool:
        return self.error is None


_ACTIONS: dict[str, Callable[..., LearningItem]] = {
    "approve": approve,
    "reject": reject,
    "reassign": reassign,
    "mark_sensitive": mark_sensitive,
    "reopen": reopen,
}
NAMES = tuple(_ACTIONS)


def decide(*, actor: Actor, name: str, choices: Iterable[Choice], **how) -> list[Result]:
    """One result for each item, in order. What stops one item leaves the others as they are decided.

    `how` goes to every single decision: `reason`, `why`, or whom to assign (`user_id`, `email`). Sent twice, it changes
    nothing the second time: every item then has another revision than was shown.
    """
    if name not in _ACTIONS:
        raise Invalid(f"Use one of: {', '.join(NAMES)}.", errors={"action": [f"Use one of: {', '.join(NAMES)}."]})
    each = {choice.item_id: choice for choice in choices}
    if len(each) > MOST:
        raise Invalid(
            f"At most {MOST} items at once; these are {len(each):,}. Nothing was changed.",
            code="batch_too_large",
            errors={"items": [f"At most {MOST}."]},
        )
    return [_one(partial(_ACTIONS[name], actor=actor, **how), choice, name) for choice in each.values()]


def _one(act: Callable[..., LearningItem], choice: Choice, name: str) -> Result:
    seen: dict[str, str | None] = {}
    if name == "approve":
        seen = {"digest_seen": choice.digest or "", "replaces_seen": choice.replaces}
    elif name == "reject":
        seen = {"digest_seen": choice.digest}
    try:
        return Result(choice.item_id, item=act(item_id=choice.item_id, revision=choice.revision, **seen))
    except DomainError as error:
        return Result(choice.item_id, error=error)


def decided_by_same(result: Result, actor: Actor, name: str) -> bool:
    """Whether nothing was left to do: the actor decided just this already, as when a form is sent twice."""
    error = result.error
    if not isinstance(error, Conflict) or error.code != "already_decided":
        return False
    wanted = {"approve": "approved", "reject": "rejected"}.get(name)
    same = actor.user_id is not None and error.extra.get("decided_by_id") == actor.user_id
    return same and error.extra.get("decision") == wanted
