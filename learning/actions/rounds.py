"""One round over claimed events: those with nothing to say end together; the rest is listened to, one by one.

No transaction is open while a detector listens. What a detector heard is written in a transaction of its own, and only
while the claim is still ours.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from digitalworker.agents.language_model import is_configured
from learning.choices import Outcome, Setback
from learning.models import Detection

from . import detections
from .detect import Heard, Waits, first_look, listen, listen_locally, without_model, worth_keeping

FAILURES_MOST = 2  # of the model in one round; then it is down for the rest of it


def work(claims: Sequence[Detection], until: float = float("inf"), *, locally: bool = False) -> int:
    """Settles claimed rows; answers how many. After `until`, by the monotonic clock, no further model call begins."""
    silent: dict[str, list[Detection]] = {}
    worth: list[Detection] = []
    for row in claims:
        with _its_own_defect(row):
            if outcome := first_look(row.event):
                silent.setdefault(outcome, []).append(row)
            else:
                worth.append(row)
    settled = sum(detections.settle_together(rows, outcome) for outcome, rows in silent.items())
    return settled + (_locally(worth) if locally or not is_configured() else _by_model(worth, until))


def _locally(rows: Sequence[Detection]) -> int:
    silent: dict[Outcome, list[Detection]] = {}
    loud: list[tuple[Detection, Heard]] = []
    for row in rows:
        with _its_own_defect(row):
            heard = listen_locally(row.event)
            kept = worth_keeping(row.event, heard)
            if isinstance(kept, Outcome):
                silent.setdefault(kept, []).append(row)
            else:
                loud.append((row, heard))
    settled = sum(detections.settle_together(rows, outcome, Heard()) for outcome, rows in silent.items())
    for row, heard in loud:
        with _its_own_defect(row):
            settled += detections.settle(row, heard)
    return settled


def _by_model(rows: Sequence[Detection], until: float) -> int:
    settled, closed = 0, _Closed()
    for number, row in enumerate(rows):
        if time.monotonic() >= until:
            detections.give_back(rows[number:])
            break
        with _its_own_defect(row):
            why = closed.to(row.organization_id)
            if not why and not detections.renew(row):
                continue
            try:
                heard = (
                    without_model(row.event, why, row.waiting_since) if why else listen(row.event, row.waiting_since)
                )
            except Waits as waits:
                detections.put_off(row, waits.setback, tried=not why)
                closed.note(row.organization_id, waits)
            else:
                settled += detections.settle(row, heard)
    return settled


class _Closed:
    """To whom the model is closed for the rest of a round: to one organisation, over its budget, or to all."""

    def __init__(self) -> None:
        self._why: dict[UUID | None, Setback] = {}
        self._failures = 0

    def to(self, organization_id: UUID) -> Setback | None:
        return self._why.get(None) or self._why.get(organization_id)

    def note(self, organization_id: UUID, waits: Waits) -> None:
        if waits.setback == Setback.OVER_BUDGET:
            self._why[organization_id] = waits.setback
            return
        self._failures += 1
        if not waits.again or self._failures >= FAILURES_MOST:
            self._why[None] = waits.setback


@contextmanager
def _its_own_defect(row: Detection) -> Iterator[None]:
    """One event's defect must not keep the others waiting; it is recorded and shown."""
    try:
        yield
    except Exception as error:
        detections.fail(row, error)
