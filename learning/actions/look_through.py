"""Looking through what was stored with all that a worker has: ids with check digits and, where installed, names.

Whoever writes waits only for what has a form of its own. A row whose `pii_digest` is not its `digest` still waits for the rest;
so whatever happens to a worker, and whoever changes the words meanwhile, the row is found again and nothing is done twice.
"""

import time

from django.db.models import F, Q

from learning.models import LearningItem, Memory
from learning.screening.pii import find_pii

MOST = 500  # rows of each table in one round


def look_through(until: float) -> int:
    """Names the kinds of personal data in what waits for it, oldest first, and answers how many rows were settled. No row
    is begun after `until` (as of time.monotonic)."""
    settled = 0
    for item in _waiting(LearningItem, "proposed_payload"):
        if time.monotonic() >= until:
            return settled
        payload = item.proposed_payload
        settled += _settle(item, payload.get("document") or payload.get("content", ""))
    for memory in _waiting(Memory, "content"):
        if time.monotonic() >= until:
            return settled
        settled += _settle(memory, memory.content)
    return settled


def _waiting(model, words: str):
    rows = model.objects.filter(~Q(pii_digest=F("digest"))).only("id", "digest", words)
    return rows.order_by("id")[:MOST]


def _settle(row: LearningItem | Memory, words: str) -> int:
    """The words may be others by now: then nothing is written, and the row waits on."""
    kinds = find_pii(words, with_names=True)
    same = type(row).objects.filter(pk=row.pk, digest=row.digest)
    return same.update(pii_entities=kinds, pii_digest=row.digest)
