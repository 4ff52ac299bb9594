"""What the audit may repeat. It can not be erased, and more people read it than may read what it is about."""

from digitalworker.common.text import reason_within
from learning.models import LearningItem, Memory


def audited_reason(row: LearningItem | Memory, reason: str) -> str:
    """Why something sensitive was decided, or something about a person, can tell what it says. Then it stays with the item,
    or in the memory's history, where erasing reaches it."""
    return "" if row.sensitive or row.person_id else reason


def audited_refs(row: LearningItem | Memory) -> list[dict]:
    """The messages it rests on. Those of something sensitive would lead to its words."""
    return [] if row.sensitive else list(row.source_refs)


def because(what: str, reason: str) -> str:
    """For the history row of a memory: what was done, and why. Raises Refused where the reason holds a secret."""
    reason = reason_within(reason)
    return f"{what}: {reason}" if reason else what
