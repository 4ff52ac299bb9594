"""What the task queue may ask for. Each task finds its work in our own tables, so one that is lost, late or doubled
does no harm."""

from datetime import timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from learning.actions.detect import detect, listen
from learning.choices import DetectionState, Outcome
from learning.models import Detection
from learning.queue import detect_soon, embed_soon

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=120)
ATTEMPTS_MOST = 5
BATCH = 50
BATCHES_MOST = (
    20  # in one task; the rest is left to the next, so that a long queue never outlives the task's time limit
)
PAUSE_AFTER_ERROR = timedelta(seconds=30)  # times the attempts so far
EMBED_MOST = 256


def run_detection() -> int:
    """Look at events that are due, in batches, and answer how many were settled. Any number may run at once.

    The schedule calls it too: whatever a lost task, a killed worker or a broken queue left is due again.
    """
    settled = 0
    for _ in range(BATCHES_MOST):
        claims = claim(BATCH)
        settled += work(claims)
        if len(claims) < BATCH:
            return settled
    detect_soon()
    return settled


def embed_missing() -> int:
    from learning import embedding  # heavy, and only needed here

    stored = embedding.refresh(EMBED_MOST)
    if stored >= EMBED_MOST:
        embed_soon()
    return stored


def claim(most: int = BATCH) -> list[Detection]:
    """Due rows, oldest first, taken for the length of the lease; two workers never get the same one.

    A row that was claimed and never finished too often is failed here: whatever killed its workers would go on doing so.
    """
    now = timezone.now()
    with transaction.atomic():
        due = (
            Detection.objects.select_for_update(of=("self",), skip_locked=True)
            .filter(state=DetectionState.PENDING, due_at__lte=now)
            .select_related("event__role_agent", "event__organization", "event__person")
            .defer("event__tsv")
            .order_by("due_at")[:most]
        )
        claims: list[Detection] = []
        spent: list[Detection] = []
        for row in due:
            (spent if row.attempts >= ATTEMPTS_MOST else claims).append(row)
        if spent:
            ids = [row.pk for row in spent]
            Detection.objects.filter(pk__in=ids).update(
                state=DetectionState.FAILED, finished_at=now, error="WorkerLost"
            )
            log.error("detections failed", code="detection_failed", count=len(ids), error="WorkerLost")
        if claims:
            Detection.objects.filter(pk__in=[row.pk for row in claims]).update(
                due_at=now + LEASE, attempts=F("attempts") + 1
            )
    for row in claims:
        row.attempts += 1
    return claims


def work(claims: list[Detection]) -> int:
    """Settles claimed rows; answers how many. Those with nothing to say are settled together."""
    silent: dict[Outcome, list[Detection]] = {}
    loud: list[Detection] = []
    for row in claims:
        try:
            heard = listen(row.event)
        except Exception as error:  # one event's defect must not keep the others waiting; it is recorded and shown
            _failed(row, error)
            continue
        if isinstance(heard, Outcome):
            silent.setdefault(heard, []).append(row)
        else:
            loud.append(row)
    settled = sum(_settle_together(rows, outcome) for outcome, rows in silent.items())
    return settled + sum(finish(row) for row in loud)


def _settle_together(rows: list[Detection], outcome: str) -> int:
    now, settled = timezone.now(), 0
    by_attempt: dict[int, list[UUID]] = {}
    for row in rows:
        by_attempt.setdefault(row.attempts, []).append(row.pk)
    for attempts, ids in by_attempt.items():
        still_mine = Detection.objects.filter(pk__in=ids, state=DetectionState.PENDING, attempts=attempts)
        settled += still_mine.update(state=DetectionState.DONE, outcome=outcome, finished_at=now, error="")
    return settled


def finish(row: Detection) -> bool:
    """Detects one claimed event. Its effects and its `done` commit together, and only while the claim is still ours.

    False when somebody else has it by now, or when it failed.
    """
    try:
        with transaction.atomic():
            mine = (
                Detection.objects.select_for_update(of=("self",))
                .filter(pk=row.pk, state=DetectionState.PENDING, attempts=row.attempts)
                .first()
            )
            if mine is None:
                return False
            outcome = detect(row.event)
            mine.state, mine.outcome = DetectionState.DONE, outcome
            mine.finished_at, mine.error = timezone.now(), ""
            mine.save(update_fields=["state", "outcome", "finished_at", "error"])
            return True
    except Exception as error:  # one event's defect must not keep the others waiting; it is recorded and shown
        _failed(row, error)
        return False


def _failed(row: Detection, error: Exception) -> None:
    name = type(error).__name__[:80]
    gives_up = row.attempts >= ATTEMPTS_MOST
    now = timezone.now()
    change = (
        {"state": DetectionState.FAILED, "finished_at": now}
        if gives_up
        else {"due_at": now + PAUSE_AFTER_ERROR * row.attempts}
    )
    Detection.objects.filter(pk=row.pk, state=DetectionState.PENDING, attempts=row.attempts).update(
        error=name, **change
    )
    log.error(
        "detection failed" if gives_up else "detection failed, will be tried again",
        code="detection_failed",
        detection=str(row.pk),
        attempt=row.attempts,
        exc_info=error,
    )
