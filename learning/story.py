"""The life of one memory in sentences: who did what to it, when, why, and what changed by it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from learning.choices import MemoryKind, Risk

_WORKER = "dw_worker:"  # how a role-agent that acts by itself is labelled, before its id
# What an action noted beside its history row, as the end of a sentence. What is not here is shown as it was noted.
_DID = {
    "saved": "saved it",
    "replaced an older memory": "saved it in the place of an older one",
    "edited": "mended the wording",
    "superseded": "put a newer one in its place",
    "deleted": "deleted it",
    "restored": "restored it",
    "kept": "looked at it and kept it",
    "marked as sensitive": "marked it as sensitive",
    "found not sensitive": "found it not to be sensitive",
    "pinned": "pinned it",
    "unpinned": "unpinned it",
    "promoted": "promoted it to the whole organisation",
    "approval undone": "took back the approval it came from",
    "saving undone": "took back that it was saved",
    "promotion undone": "gave it back to the role-agent it came from",
    "the approval that replaced it was undone": "took back the approval that had replaced it",
    "the saving that replaced it was undone": "took back what had replaced it",
    "the promotion that replaced it was undone": "took back its promotion",
}
_NOTED = re.compile(rf"(?P<who>.+?): (?P<what>{'|'.join(map(re.escape, _DID))})(?:: (?P<why>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Step:
    """One history row. `before` is the older wording where this step changed the words, `changes` are other fields as
    (name, old, new), `why` the reason a person gave."""

    at: datetime
    sentence: str
    content: str
    before: str | None = None
    changes: list[tuple[str, str, str]] = field(default_factory=list)
    why: str = ""


def steps(rows: Sequence[Any], agent: str, *, reads_all: bool) -> list[Step]:
    """`rows`: history rows, newest first; `agent`: the name of the role-agent, which acts by itself under an id. Unless the
    reader `reads_all`, they learn of what it was while it was sensitive that it was something."""
    told = []
    for row, older in zip(rows, [*rows[1:], None], strict=True):
        sentence, why = _told(row.history_change_reason, agent)
        if not reads_all and (row.sensitive or (older is not None and older.sensitive)):
            told.append(Step(row.history_date, sentence, content=""))
            continue
        told.append(
            Step(
                at=row.history_date,
                sentence=sentence,
                content=row.content,
                before=older.content if older is not None and older.content != row.content else None,
                changes=_changes(older, row) if older is not None else [],
                why=why,
            )
        )
    return told


def _told(noted: str | None, agent: str) -> tuple[str, str]:
    """The sentence, and the reason behind it: noted is "who: what", or "who: what: why"."""
    found = _NOTED.fullmatch(noted or "")
    if found is None:
        return re.sub(rf"^{_WORKER}[\w-]+", agent or "A role-agent", noted or "Changed"), ""
    who = found["who"]
    if who.startswith(_WORKER):
        who = agent or "A role-agent"
    elif who == "system":
        who = "The system"
    return f"{who} {_DID[found['what']]}", found["why"] or ""


# Status and pin are what the sentence says, the words are in the diff.
_NAMES: dict[str, tuple[str, Mapping[Any, str]]] = {
    "key": ("Key", {None: "none"}),
    "kind": ("Kind", {kind.value: str(kind.label) for kind in MemoryKind}),
    "risk": ("Risk", {risk.value: str(risk.label) for risk in Risk}),
    "sensitive": ("Sensitive", {True: "yes", False: "no"}),
    "reviewer_label": ("Reviewer", {"": "nobody"}),
    "evidence_count": ("Evidence", {}),
}


def _changes(older: Any, row: Any) -> list[tuple[str, str, str]]:
    return [
        (label, words.get(old, str(old)), words.get(new, str(new)))
        for name, (label, words) in _NAMES.items()
        if (old := getattr(older, name)) != (new := getattr(row, name))
    ]
