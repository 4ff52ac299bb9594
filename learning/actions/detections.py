"""The life of a Detection: claimed for the length of a lease, settled only while the claim is still ours, put off, given
back, failed, and given another go by a person.

`attempts` is the mark of a claim: whoever settles, puts off or fails a row names the attempt it had, and a row that somebody
else has claimed since is left alone.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from digitalworker.agents import policies
from digitalworker.agents.models import Organization
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, NotFound
from digitalworker.common.types import Actor
from learning.choices import DetectionState, Setback
from learning.models import Detection
from learning.queue import detect_soon

from .detect import Heard, conclude

LEASE = timedelta(seconds=120)
ATTEMPTS_MOST = 5
PAUSE_AFTER_ERROR = timedelta(seconds=30)  # times the attempts that went wrong
PAUSE_LEAST, PAUSE_MOST = timedelta(minutes=1), timedelta(hours=1)

log = structlog.get_logger(__name__)


def claim(most: int) -> list[Detection]:
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
            (spent if row.failures >= ATTEMPTS_MOST else claims).append(row)
        if spent:
            ids = [row.pk for row in spent]
            Detection.objects.filter(pk__in=ids).update(
                state=DetectionState.FAILED, setback="", finished_at=now, error="WorkerLost"
            )
            log.error("detections failed", code="detection_failed", count=len(ids), error="WorkerLost")
        if claims:
            Detection.objects.filter(pk__in=[row.pk for row in claims]).update(
                due_at=now + LEASE, attempts=F("attempts") + 1, setback=""
            )
    for row in claims:
        row.attempts += 1
    return claims


def renew(row: Detection) -> bool:
    """The whole lease once more, for what takes its time. False when somebody else has it by now."""
    return bool(_mine(row).update(due_at=timezone.now() + LEASE))


def settle_together(rows: Iterable[Detection], outcome: str, heard: Heard | None = None) -> int:
    """Ends those that have nothing to say; answers how many were still ours."""
    now, settled = timezone.now(), 0
    by_attempt: dict[int, list[UUID]] = {}
    for row in rows:
        by_attempt.setdefault(row.attempts, []).append(row.pk)
    for attempts, ids in by_attempt.items():
        still_mine = Detection.objects.filter(pk__in=ids, state=DetectionState.PENDING, attempts=attempts)
        settled += still_mine.update(
            state=DetectionState.DONE,
            outcome=outcome,
            detector=heard.detector if heard else "",
            setback=heard.setback if heard else "",
            finished_at=now,
            error="",
        )
    return settled


def settle(row: Detection, heard: Heard) -> bool:
    """What was heard takes effect, and the event is done: both commit together, and only while the claim is still ours."""
    with transaction.atomic():
        mine = _mine(row).select_for_update(of=("self",)).first()
        if mine is None:
            return False
        concluded = conclude(row.event, heard)
        mine.state, mine.outcome, mine.skill_span = DetectionState.DONE, concluded.outcome, concluded.skill_span
        mine.detector, mine.setback = heard.detector, heard.setback
        mine.finished_at, mine.error = timezone.now(), ""
        mine.save(update_fields=["state", "outcome", "skill_span", "detector", "setback", "finished_at", "error"])
        return True


def put_off(row: Detection, setback: Setback, *, tried: bool) -> None:
    """Waits for the model or the budget, longer each time: as long again as it has waited, a minute at least and an hour
    at most. That it had to is not held against it. One that was tried waits twice as long as those behind it, so that a
    text on which the model fails does not keep them from their turn."""
    now = timezone.now()
    since = row.waiting_since or now
    pause = min(PAUSE_MOST, max(PAUSE_LEAST, now - since)) * (2 if tried else 1)
    due = now + pause
    if setback == Setback.OVER_BUDGET:
        due = min(due, _midnight_after(now))
    _mine(row).update(setback=setback, due_at=due, waiting_since=since, forgiven=F("forgiven") + 1)


def give_back(rows: Iterable[Detection]) -> None:
    """Claimed and not begun: due at once, for whoever comes next."""
    for row in rows:
        _mine(row).update(due_at=timezone.now(), forgiven=F("forgiven") + 1)


def fail(row: Detection, error: Exception) -> None:
    """Tried again after a pause; after the last attempt it is failed, and shown until a person gives it another go."""
    gives_up = row.failures >= ATTEMPTS_MOST
    now = timezone.now()
    change: dict = (
        {"state": DetectionState.FAILED, "finished_at": now, "setback": ""}
        if gives_up
        else {"due_at": now + PAUSE_AFTER_ERROR * row.failures, "setback": Setback.ERROR}
    )
    _mine(row).update(error=type(error).__name__[:80], **change)
    log.error(
        "detection failed" if gives_up else "detection failed, will be tried again",
        code="detection_failed",
        detection=str(row.pk),
        attempt=row.failures,
        exc_info=error,
    )


@transaction.atomic
def retry(*, actor: Actor, event_id: UUID) -> Detection:
    """One failed detection is looked at again, as if for the first time."""
    row = (
        Detection.objects.select_for_update(of=("self",))
        .filter(pk=event_id, organization_id=actor.organization_id, role_agent__in=policies.visible_agents(actor))
        .first()
    )
    if row is None:
        raise NotFound("There is no such message.")
    policies.require_admin(actor)
    if row.state != DetectionState.FAILED:
        raise Conflict("This message is not failed any more. Nothing was changed.", code="not_failed")
    _again(Detection.objects.filter(pk=row.pk))
    record(verb=Verb.DETECTION_RETRIED, actor=actor, obj=row, role_agent=row.role_agent, source_refs=[_ref(row)])
    transaction.on_commit(detect_soon)
    row.refresh_from_db()
    return row


@transaction.atomic
def retry_all(*, actor: Actor) -> int:
    """Every failed detection that the actor reaches is looked at again; answers how many."""
    policies.require_admin(actor)
    agents = policies.visible_agents(actor).values("pk")
    failed = Detection.objects.filter(
        organization_id=actor.organization_id, role_agent__in=agents, state=DetectionState.FAILED
    )
    count = _again(failed)
    if not count:
        raise Conflict("No message is failed. Nothing was changed.", code="not_failed")
    record(
        verb=Verb.DETECTION_RETRIED,
        actor=actor,
        obj=Organization.objects.get(pk=actor.organization_id),
        label=f"{count:,} failed message{'' if count == 1 else 's'}",
        details={"messages": count},
    )
    transaction.on_commit(detect_soon)
    return count


def _again(failed: QuerySet[Detection]) -> int:
    return failed.update(
        state=DetectionState.PENDING,
        due_at=timezone.now(),
        forgiven=F("attempts"),
        waiting_since=None,
        finished_at=None,
        setback="",
        error="",
    )


def _ref(row: Detection) -> dict:
    return {"type": "event", "id": str(row.pk)}


def _mine(row: Detection) -> QuerySet[Detection]:
    return Detection.objects.filter(pk=row.pk, state=DetectionState.PENDING, attempts=row.attempts)


def _midnight_after(moment: datetime) -> datetime:
    """When budgets begin anew."""
    return datetime.combine(moment.astimezone(UTC).date() + timedelta(days=1), time(0, 0, 5), UTC)
