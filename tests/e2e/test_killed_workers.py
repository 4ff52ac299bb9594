"""Workers killed in the middle of their work, fifty times: every event is detected once, and nothing twice."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from django.db import connection

from digitalworker.agents.actions.conversations import EventDraft
from digitalworker.audit.models import LearningEvent
from digitalworker.common.types import system_actor
from learning import queue
from learning.actions.intake import take_in
from learning.models import Detection, LearningItem
from tests.factories import make_world

ROOT = Path(__file__).resolve().parents[2]
EVENTS, KILLS = 2000, 50

# Forks workers from one process, so that a new one is there at once, and kills them at random moments.
NURSERY = """
import os, random, signal, sys, time
from datetime import timedelta
import django
django.setup()
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from django.db import connection
from learning import tasks
from learning.actions import detections
from learning.models import Detection

kills = int(sys.argv[2])
random.seed(7)
detections.LEASE = timedelta(seconds=1)  # what a dead worker held is due again soon
detections.ATTEMPTS_MOST = 100  # killed this often, an event may be unlucky more than five times
tasks.BATCH = 8
conclude = detections.conclude

def slow(event, heard):
    outcome = conclude(event, heard)
    time.sleep(0.004)  # its effects are written and not committed: the worst moment
    return outcome

detections.conclude = slow

def worker():
    connection.connect()
    while True:
        if not tasks.run_detection():
            time.sleep(0.05)

def start():
    connection.close()
    child = os.fork()
    if not child:
        worker()
    return child

def waiting():
    return Detection.objects.filter(state="pending").count()

children, killed, until = [start() for _ in range(3)], 0, time.monotonic() + 200
try:
    while time.monotonic() < until and (waiting() or killed < kills):
        time.sleep(random.uniform(0.005, 0.1))
        if killed < kills and waiting():
            child = children.pop(random.randrange(len(children)))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            killed += 1
            children.append(start())
finally:
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
print(killed)
"""


@pytest.mark.django_db(transaction=True)
def test_fifty_killed_workers_lose_nothing_and_double_nothing():
    world = make_world()
    world.shop.people_learning = "review"
    world.shop.save()
    drafts = [draft(number) for number in range(EVENTS)]
    with mock.patch.object(queue, "async_task"):
        for start in range(0, EVENTS, 500):
            take_in(actor=system_actor(world.acme.pk), role_agent=world.shop, drafts=drafts[start : start + 500])

    environment = os.environ | {"DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", NURSERY, connection.settings_dict["NAME"], str(KILLS)]
    nursery = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=260)
    assert nursery.returncode == 0, nursery.stderr[-2000:]
    assert int(nursery.stdout.split()[-1]) == KILLS

    loud, alike = EVENTS // 10, EVENTS // 40
    assert Counter(Detection.objects.values_list("state", "outcome")) == {
        ("done", "triaged"): EVENTS - loud - alike,
        ("done", "proposed"): loud + 1,
        ("done", "known"): alike - 1,
    }
    assert LearningItem.objects.count() == loud + 1
    assert LearningEvent.objects.filter(verb="learning_proposed").count() == loud + 1
    assert Counter(LearningItem.objects.values_list("evidence_count", flat=True)) == {1: loud, alike: 1}
    cited = [ref["id"] for item in LearningItem.objects.all() for ref in item.source_refs]
    assert len(cited) == len(set(cited))
    assert Detection.objects.filter(attempts__gt=1).exists()  # some were begun by a worker that was killed


def draft(number: int) -> EventDraft:
    """One in ten says something of its own, one in forty the same as others, and the rest says nothing."""
    text, user = "ok thanks, that is all", f"u{number}"
    if number % 10 == 0:
        text = "I'm based in Lisbon"
    elif number % 40 == 1:
        text, user = "I wear a 10.5 in shoes", "twin"
    return EventDraft(kind="message", author_kind="person", text=text, external_user_id=user)
