"""From an event to a proposal: exactly once, whatever happens to the workers."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from django.db import connection, connections
from django.utils import timezone

from digitalworker.agents.actions.conversations import EventDraft
from digitalworker.agents.choices import AgentStatus
from digitalworker.audit.models import LearningEvent
from digitalworker.common import schedules
from digitalworker.common.types import system_actor
from learning import queue, tasks
from learning.actions import detections, rounds
from learning.actions import propose as propose_module
from learning.actions.intake import take_in
from learning.models import Detection, LearningItem

SIZE = "do you have these pants in my size, 38?"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def shop(world):
    world.shop.people_learning = "review"
    world.shop.save()
    return world.shop


@pytest.fixture
def say(world, shop):
    def say(text, agent=None, **fields):
        fields = {"kind": "message", "author_kind": "person", "external_user_id": "ABC", **fields}
        with mock.patch.object(queue, "async_task"):
            actor = system_actor(world.acme.pk)
            [one] = take_in(actor=actor, role_agent=agent or shop, drafts=[EventDraft(text=text, **fields)])
        return one.event

    return say


def outcome(event):
    row = Detection.objects.get(event=event)
    return (row.state, row.outcome)


def due_again():
    Detection.objects.filter(state="pending").update(due_at=timezone.now() - timedelta(seconds=1))


def test_the_size_asked_about_is_proposed_for_that_person_with_its_source(say, shop):
    event = say(SIZE, verified=True)
    assert tasks.run_detection() == 1
    item = LearningItem.objects.get()
    assert item.proposed_payload == {"scope": "person", "kind": "profile", "key": "size", "content": "38"}
    assert (item.status, item.source, item.risk, item.sensitive) == ("pending", "detected", "low", False)
    assert (item.person.external_user_id, item.event, item.thread) == ("ABC", event, event.thread)
    [ref] = item.source_refs
    assert event.text[ref["start"] : ref["end"]].endswith("my size, 38")
    assert outcome(event) == ("done", "proposed")
    [row] = LearningEvent.objects.filter(verb="learning_proposed")
    assert row.actor_label == f"dw_worker:{shop.pk}"
    assert "38" not in f"{row.details}{row.object_label}{row.reason}"


def test_the_same_again_adds_evidence_and_another_person_their_own_item(say):
    say(SIZE), say(SIZE), say(SIZE, external_user_id="XYZ")
    tasks.run_detection()
    assert sorted(LearningItem.objects.values_list("person__external_user_id", "evidence_count")) == [
        ("ABC", 2),
        ("XYZ", 1),
    ]
    assert sorted(Detection.objects.values_list("outcome", flat=True)) == ["known", "proposed", "proposed"]


def test_most_events_end_at_triage_together(say, django_assert_max_num_queries):
    for number in range(30):
        say(f"ok thanks {number}")
    with django_assert_max_num_queries(8):
        assert tasks.run_detection() == 30
    assert set(Detection.objects.values_list("state", "outcome")) == {("done", "triaged")}


@pytest.mark.parametrize("kind", ["off", "nameless", "staff", "reply", "agent", "paused", "disabled"])
def test_nothing_is_proposed_about_people_where_a_gate_is_closed(say, shop, kind):
    fields = {
        "nameless": {"external_user_id": None},
        "staff": {"author_kind": "staff"},
        "reply": {"kind": "reply", "author_kind": "agent"},
        "agent": {"author_kind": "agent"},
    }.get(kind, {})
    if kind == "off":
        type(shop).objects.filter(pk=shop.pk).update(people_learning="off")
    event = say(SIZE, **fields)
    if kind == "paused":
        type(shop).objects.filter(pk=shop.pk).update(learning_enabled=False)
    if kind == "disabled":
        type(shop).objects.filter(pk=shop.pk).update(status=AgentStatus.DISABLED)
    tasks.run_detection()
    assert not LearningItem.objects.exists()
    expected = {"staff": "skipped", "reply": "triaged", "agent": "triaged"}.get(kind, "not_learning")
    assert outcome(event) == ("done", expected)


def test_a_correction_teaches_the_agent_also_where_people_learning_is_off(world, say):
    say("No, the London office uses gateway 2", agent=world.it, kind="correction", author_kind="staff")
    say("Always offer a refund up to $50.", agent=world.it, kind="correction", author_kind="staff")
    tasks.run_detection()
    found = LearningItem.objects.order_by("id").values_list("proposed_payload__content", "risk", "person")
    assert list(found) == [
        ("The London office uses gateway 2", "low", None),
        ("Always offer a refund up to $50", "high", None),
    ]


def test_what_the_agent_said_first_is_not_learned_from_the_person_who_repeats_it(say):
    reply = say("I see: I'm based in Lisbon, you wrote.", kind="reply", author_kind="agent", thread_external_id="t")
    event = say("I'm based in Lisbon", thread_external_id="t")
    tasks.run_detection()
    assert outcome(event) == ("done", "skipped")
    assert outcome(reply) == ("done", "triaged")
    assert not LearningItem.objects.exists()


def test_a_secret_is_refused_and_only_its_kind_is_told(say):
    secret = "hunt" + "er2"
    event = say(f"Please remember that my password is {secret}")
    tasks.run_detection()
    assert outcome(event) == ("done", "refused")
    assert not LearningItem.objects.exists()
    [row] = LearningEvent.objects.filter(verb="learning_refused")
    assert row.details == {"kinds": ["password"]}
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(row_to_json(a)::text, '') FROM audit_learningevent a")
        assert secret not in cursor.fetchone()[0]


def test_a_failing_detection_is_tried_again_and_then_shown_as_failed(world, say, capfd):
    event = say(SIZE)
    broken = mock.patch.object(detections, "conclude", side_effect=ValueError("quotes: my size, 38"))
    for attempt in range(1, detections.ATTEMPTS_MOST + 1):
        with broken:
            tasks.run_detection()
        row = Detection.objects.get()
        assert (row.attempts, row.error) == (attempt, "ValueError")
        if attempt < detections.ATTEMPTS_MOST:
            assert row.state == "pending"
            assert row.due_at > timezone.now()
            tasks.run_detection()
            assert Detection.objects.get().attempts == attempt  # not before its pause is over
            due_again()
    assert outcome(event) == ("failed", "")
    assert "my size" not in "".join(capfd.readouterr())


def test_one_broken_event_does_not_hold_up_the_others(say):
    bad, good = say(SIZE), say("I'm based in Lisbon")
    real = detections.conclude
    with mock.patch.object(detections, "conclude", side_effect=lambda e, h: 1 / 0 if e.pk == bad.pk else real(e, h)):
        tasks.run_detection()
    assert Detection.objects.get(event=bad).error == "ZeroDivisionError"
    assert outcome(good) == ("done", "proposed")


def test_a_claim_that_ended_meanwhile_does_nothing(say):
    event = say(SIZE)
    [stale] = detections.claim(50)
    due_again()
    [fresh] = detections.claim(50)
    assert rounds.work([stale]) == 0
    assert not LearningItem.objects.exists()
    assert rounds.work([fresh]) == 1
    assert rounds.work([fresh]) == 0
    assert (LearningItem.objects.count(), outcome(event)) == (1, ("done", "proposed"))


def test_an_event_whose_workers_always_die_is_failed_not_tried_for_ever(say):
    event = say(SIZE)
    for _ in range(detections.ATTEMPTS_MOST):
        assert len(detections.claim(50)) == 1
        due_again()
    assert detections.claim(50) == []
    row = Detection.objects.get(event=event)
    assert (row.state, row.error) == ("failed", "WorkerLost")


def test_a_long_queue_is_left_to_the_next_task(say):
    for number in range(7):
        say(f"ok thanks {number}")
    with (
        mock.patch.multiple(tasks, BATCH=2, BATCHES_MOST=2),
        mock.patch.object(tasks, "detect_soon") as again,
    ):
        assert tasks.run_detection() == 4
        again.assert_called_once_with()
        assert tasks.run_detection() == 3
        again.assert_called_once_with()


def test_the_schedule_sweeps_each_minute():
    assert schedules._registered["learning.sweep"].func == "learning.tasks.run_detection"
    assert schedules._registered["learning.sweep"].minutes == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_detect_each_event_once(say):
    events = [say(f"I'm based in Lisbon and my size is {30 + n}", external_user_id=f"u{n}") for n in range(24)]

    def worker(_):
        try:
            with mock.patch.object(tasks, "BATCH", 5):
                return tasks.run_detection()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(worker, range(4))) == len(events)
    assert LearningItem.objects.count() == 2 * len(events)
    assert set(LearningItem.objects.values_list("evidence_count", flat=True)) == {1}
    assert set(Detection.objects.values_list("state", "attempts")) == {("done", 1)}


WORKER = """
import os, sys, time, django
django.setup()
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from learning import tasks
from learning.actions import detections
real = detections.conclude
def slow(event, heard):
    outcome = real(event, heard)  # its effects are written, not committed
    print("in the middle", flush=True)
    time.sleep(60)
    return outcome
detections.conclude = slow
tasks.run_detection()
"""


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_loses_nothing_and_doubles_nothing(say):
    event = say(SIZE)
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WORKER, connection.settings_dict["NAME"]]
    worker = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert worker.stdout.readline() == "in the middle\n"
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    row = Detection.objects.get(event=event)
    assert (row.state, row.attempts) == ("pending", 1)
    assert not LearningItem.objects.exists()
    assert tasks.run_detection() == 0  # the lease still runs
    due_again()
    deadline = time.monotonic() + 10
    while tasks.run_detection() == 0 and time.monotonic() < deadline:
        due_again()  # the server may need a moment to notice that the dead worker's transaction is over
        time.sleep(0.1)
    assert outcome(event) == ("done", "proposed")
    assert LearningItem.objects.count() == 1
    assert LearningEvent.objects.filter(verb="learning_proposed").count() == 1


def test_a_defect_while_listening_is_recorded_for_its_event_alone(say):
    bad, good = say(SIZE), say("I'm based in Lisbon")
    real = rounds.listen_locally
    with mock.patch.object(rounds, "listen_locally", side_effect=lambda e: 1 / 0 if e.pk == bad.pk else real(e)):
        tasks.run_detection()
    assert Detection.objects.get(event=bad).error == "ZeroDivisionError"
    assert outcome(good) == ("done", "proposed")


@pytest.mark.django_db(transaction=True)
def test_messages_that_say_the_same_in_another_order_do_not_deadlock(say):
    """Each is more evidence for both items: the second worker waits for the first, and neither fails."""
    first, second = "I'm based in Lisbon. My size is 38.", "My size is 38. I'm based in Lisbon."
    say(first)
    tasks.run_detection()
    claims = dict.fromkeys((first, second))
    for text in claims:
        say(text)
        [claims[text]] = detections.claim(50)
    real, both_hold_one = propose_module.pending_with_evidence, threading.Barrier(2)

    def slow(*args, **named):
        item = real(*args, **named)
        with contextlib.suppress(threading.BrokenBarrierError):
            both_hold_one.wait(timeout=1)  # broken at once where the other rightly waits for us
        return item

    def worker(row):
        try:
            return rounds.work([row])
        finally:
            connections.close_all()

    with mock.patch.object(propose_module, "pending_with_evidence", slow), ThreadPoolExecutor(2) as pool:
        assert list(pool.map(worker, claims.values())) == [1, 1]
    assert set(LearningItem.objects.values_list("evidence_count", flat=True)) == {3}
    assert not Detection.objects.exclude(state="done").exists()
