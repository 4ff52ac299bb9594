"""Looking through what was stored with all that a worker has: ids with check digits and, where installed, names.

Whoever writes waits only for what has a form of its own. A row whose `pii_digest` is not its `digest` still waits for the rest;
so whatever happens to a worker, and whoever changes the words meanwhile, the row is found again and nothing is done twice.

A row on which a worker fails is tried again less often each time, at last once a day: so it keeps none of those behind it
waiting, and a version that can read it will.

An item that still waits becomes sensitive where the words around such an id say that it is somebody else's. A kind of personal
data alone, or a name, does not tell whose it is, and makes nothing sensitive. Of what is known already the kinds are noted.
"""

import time
from dataclasses import asdict
from datetime import timedelta
from itertools import chain

import structlog
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from digitalworker.common.errors import NotFound
from digitalworker.common.locking import lock
from digitalworker.common.types import worker_actor
from learning.models import LearningItem, Memory, Unread
from learning.payload import searched
from learning.policies import TRANSITIONS
from learning.screening.injection import Finding
from learning.screening.pii import find_places
from learning.screening.sensitive import find_of_others

from ._screening import place_of
from .sensitivity import guard

log = structlog.get_logger(__name__)

MOST = 500  # rows of each table in one round
PAUSE_LEAST, PAUSE_MOST = timedelta(minutes=2), timedelta(days=1)  # after a failure; twice as long after each


def look_through(until: float) -> int:
    """Names the kinds of personal data in what waits for it, oldest first, and answers how many rows were settled. No row
    is begun after `until` (as of time.monotonic)."""
    settled = 0
    Unread.objects.exclude(pk__in=Unread.objects.current().values("pk")).delete()
    for row in chain(_waiting(LearningItem, "proposed_payload"), _waiting(Memory, "content")):
        if time.monotonic() >= until:
            break
        settled += _look_at(row)
    return settled


def _look_at(row: LearningItem | Memory) -> int:
    """One row's defect must not keep those after it waiting; a database that is gone is nobody's defect."""
    try:
        return _settle_item(row) if isinstance(row, LearningItem) else _settle_memory(row)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:  # its class only: the rest may hold words
        attempt = _put_off(row)
        log.error(
            "row not looked through, will be tried again",
            code="not_looked_through",
            row=str(row.pk),
            attempt=attempt,
            error=type(error).__name__,
        )
        return 0


def _put_off(row: LearningItem | Memory) -> int:
    """How often a worker failed in these words by now."""
    field = _field(type(row))
    try:
        with transaction.atomic():
            unread, _ = Unread.objects.select_for_update().get_or_create(
                **{field: row}, defaults={"organization_id": row.organization_id, "due_at": timezone.now()}
            )
            unread.attempts = unread.attempts + 1 if unread.digest == row.digest else 1
            unread.digest = row.digest
            unread.due_at = timezone.now() + min(PAUSE_MOST, PAUSE_LEAST * 2 ** min(unread.attempts - 1, 12))
            unread.save()
    except IntegrityError:  # erased meanwhile
        return 0
    return unread.attempts


def _field(model: type[LearningItem | Memory]) -> str:
    return "item" if model is LearningItem else "memory"


def _settle_memory(memory: Memory) -> int:
    return _settle(memory, {place.kind for place in find_places(memory.content, with_names=True)})


def _waiting(model, words: str):
    put_off = Unread.objects.filter(
        **{_field(model): OuterRef("pk")}, digest=OuterRef("digest"), due_at__gt=timezone.now()
    )
    rows = model.objects.filter(~Q(pii_digest=F("digest")), ~Exists(put_off))
    return rows.only("id", "organization_id", "digest", words).order_by("id")[:MOST]


def _settle_item(seen: LearningItem) -> int:
    words = searched(seen.proposed_payload)
    places = find_places(words, with_names=True)
    others = find_of_others(words, places, key=seen.proposed_payload.get("key") or "")
    if not others:
        return _settle(seen, {place.kind for place in places})
    with transaction.atomic():
        try:
            item = lock(LearningItem.objects.select_related("role_agent", "assigned_to"), pk=seen.pk)
        except NotFound:  # erased meanwhile
            return 0
        settled = _settle(seen, {place.kind for place in places})
        fresh = [asdict(one) for one in others if not any(_covers(known, one) for known in item.findings)]
        if settled and fresh and item.is_pending and not item.sensitive:
            item.refresh_from_db(fields=["pii_entities", "pii_digest"])
            item.findings += fresh
            guard(item, worker_actor(item.organization_id, item.role_agent_id), TRANSITIONS["mark_sensitive"].past)
    return settled


def _covers(known: dict, one: Finding) -> bool:
    """Whether what was found before is about the same place: then somebody has judged it, if the item is not sensitive."""
    start, end = place_of(known)
    return known["rule"] == one.rule and start < one.end and one.start < end


def _settle(row: LearningItem | Memory, kinds: set[str]) -> int:
    """The words may be others by now, or another worker was here: then nothing is written."""
    same = type(row).objects.filter(~Q(pii_digest=F("digest")), pk=row.pk, digest=row.digest)
    return same.update(pii_entities=sorted(kinds), pii_digest=row.digest)
