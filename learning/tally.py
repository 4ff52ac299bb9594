"""What came of deciding many items at once, in one honest sentence."""

from collections import Counter

from digitalworker.common.errors import Conflict, Denied, DomainError, Full, NotFound, Refused

_DONE = {
    "approve": "approved",
    "reject": "rejected",
    "reassign": "assigned",
    "mark_sensitive": "marked as sensitive",
    "reopen": "taken back",
}
_OVERTAKEN = {"already_decided", "stale_revision"}


def left_because(error: DomainError) -> str:
    """Why one item was left, in a few words that go behind a number."""
    if isinstance(error, Full):
        return "found no room"
    if isinstance(error, Conflict):
        if error.code == "replaces_changed":
            return "would replace something else than was shown"
        return "changed meanwhile" if error.code in _OVERTAKEN else "not possible as it is"
    if isinstance(error, Denied):
        return "not yours"
    if isinstance(error, NotFound):
        return "gone"
    if isinstance(error, Refused):
        return "refused by screening"
    return "not possible as it is"


def sentence(name: str, done: int, again: int, errors: list[DomainError]) -> str:
    """ "12 approved, 1 changed meanwhile, 2 not yours."; `again`: how many the actor had decided so before."""
    past = _DONE[name]
    parts = [f"{done:,} {past}"] if done or not again else []
    if again:
        parts.append(f"{again:,} {past} already")
    parts += [f"{number:,} {why}" for why, number in Counter(map(left_because, errors)).items()]
    return ", ".join(parts) + "."
