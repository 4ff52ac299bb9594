"""The life of one skill in sentences: who did what to it, when, and why."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

# What an action noted beside its history row, as the end of a sentence; {} is a version's number.
_DID = {
    r"activated version (\d+)": "put version {} in use",
    r"reverted to version (\d+)": "reverted it to version {}",
    r"took back an approval, so it is active with version (\d+)": "took back an approval, so version {} is in use again",
    r"took back an approval, so it is paused with version (\d+)": "took back an approval, so version {} is paused again",
    r"took back an approval, so it is archived with version (\d+)": "took back an approval, so version {} is archived again",
    r"paused": "paused it",
    r"resumed": "resumed it",
    r"archived": "archived it",
    r"approval undone": "took back the approval it came from",
}
_NOTED = [(re.compile(rf"(.+?): {noted}(?:: (.*))?", re.DOTALL), said) for noted, said in _DID.items()]
_WORKER = re.compile(r"^dw_worker:[\w-]+")


@dataclass(frozen=True, slots=True)
class Step:
    """One history row. `why` is the reason a person gave."""

    at: datetime
    sentence: str
    why: str = ""


def steps(rows: Sequence[Any], agent: str, *, guarded: Collection[UUID] = ()) -> list[Step]:
    """`rows`: history rows; `agent`: the name of the role-agent, which acts by itself under an id. Why something was done
    while one of the versions `guarded` was in use may tell what that says, and is left out."""
    told = []
    for row in rows:
        sentence, why = _told(row.history_change_reason or "Changed", agent)
        told.append(Step(row.history_date, sentence, "" if row.active_version_id in guarded else why))
    return told


def _told(noted: str, agent: str) -> tuple[str, str]:
    noted = _WORKER.sub(agent or "A role-agent", noted)
    for pattern, said in _NOTED:
        if found := pattern.fullmatch(noted):
            who, *numbers, why = found.groups()
            return f"{who} {said.format(*numbers)}", why or ""
    return noted, ""
