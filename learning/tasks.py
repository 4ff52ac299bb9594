"""What the task queue may ask for. Each task finds its work in our own tables, so one that is lost, late or doubled
does no harm."""

import time

from learning.actions import detections, look_through, notices, rounds
from learning.queue import detect_soon, embed_soon

BATCH = 50
BATCHES_MOST = (
    20  # in one task; the rest is left to the next, so that a long queue never outlives the task's time limit
)
SECONDS_MOST = 45  # after which no model call begins: with the last one's time-out the task stays within its own limit
EMBED_MOST = 256


def run_detection(*, locally: bool = False) -> int:
    """Look at events that are due, in batches, and answer how many were settled. Any number may run at once. `locally`: no
    model is asked, whatever is configured.

    The schedule calls it too: whatever a lost task, a killed worker or a broken queue left is due again.
    """
    settled, until = 0, time.monotonic() + SECONDS_MOST
    for _ in range(BATCHES_MOST):
        claims = detections.claim(BATCH)
        settled += rounds.work(claims, until, locally=locally)
        if time.monotonic() >= until:
            break
        if len(claims) < BATCH:
            return settled
    detect_soon()
    return settled


def mail_assigned() -> int:
    return notices.send_due()


def look_for_pii() -> int:
    return look_through.look_through(time.monotonic() + SECONDS_MOST)


def embed_missing() -> int:
    from learning import embedding  # heavy, and only needed here
    from skills import embedding as skills

    stored = max(embedding.refresh(EMBED_MOST), skills.refresh(EMBED_MOST))
    if stored >= EMBED_MOST:
        embed_soon()
    return stored
