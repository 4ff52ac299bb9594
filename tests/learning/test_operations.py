"""The operations page and its REST twin: who sees what, numbers only, and another go for what failed."""

import json
from datetime import timedelta
from types import SimpleNamespace
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from digitalworker.audit.models import LearningEvent
from digitalworker.common import schedules
from digitalworker.common.errors import Conflict, Denied, NotFound
from learning import queue, tasks
from learning.actions import detections
from learning.models import Detection, LearningItem, Unread
from learning.selectors.operations import operations
from tests.factories import bearer, make_key

from .proposals import pending
from .saying import detection_of, outcome, say

PAGE = reverse("learning:operations")
LISBON = "I'm based in Lisbon"


@pytest.fixture
def it(world):
    world.it.people_learning = "review"
    world.it.save()
    return world.it


@pytest.fixture
def failed(it):
    """Three messages of IT that failed."""

    def fail(agent, text):
        event = say(agent, text)
        row = Detection.objects.filter(event=event)
        row.update(state="failed", attempts=5, error="ValueError", finished_at=timezone.now())
        return event

    return [fail(it, f"{LISBON}, number {n}") for n in range(3)]


def test_the_page_shows_numbers_and_never_what_was_said(as_user, world, it, failed):
    say(it, "ok thanks")
    tasks.run_detection()
    say(it, "my number is 4711")
    waiting = say(it, "my number is 4712")
    Detection.objects.filter(event=waiting).update(setback="over_budget", due_at=timezone.now() + timedelta(hours=1))
    text = as_user(world.olga).get(PAGE).content.decode()
    assert "Today’s budget for it is used up" in text
    assert "local extractor" in text
    assert text.count("Retry the message of IT Agent, ValueError") == 3
    assert "ValueError" in text
    assert "100%" in text
    assert "Lisbon" not in text
    assert "471" not in text


def test_what_could_not_be_looked_through_is_counted_until_it_is(as_user, client, world):
    words = "Not looked through for personal data"
    item = pending(world.it, "Gate two")
    others = pending(world.their_it, "Gate two")
    for row in (item, others):
        Unread.objects.create(
            item=row, organization_id=row.organization_id, digest=row.digest, attempts=3, due_at=timezone.now()
        )
    page = as_user(world.cleo).get(PAGE).content.decode()
    assert words in page and "A worker failed on 1 proposal or memory." in page
    key = bearer(make_key("admin", organization=world.acme))
    assert client.get("/api/v1/operations/", headers=key).json()["not_looked_through"] == 1
    LearningItem.objects.filter(pk=item.pk).update(pii_digest=item.digest)
    assert words not in as_user(world.olga).get(PAGE).content.decode()


def test_who_sees_it_and_who_may_retry(as_user, world, failed):
    for nobody in (world.ada, world.dan):
        assert as_user(nobody).get(PAGE).status_code == 404
    page = as_user(world.cleo).get(PAGE)
    assert page.status_code == 200
    assert ">Retry<" not in page.content.decode()
    assert as_user(world.cleo).post(reverse("learning:retry_failed")).status_code == 404
    theirs = as_user(world.gus).get(PAGE).content.decode()
    assert "ValueError" not in theirs


def test_one_failed_message_is_looked_at_again_and_it_is_told(world, failed):
    actor = world.actor(world.adam)
    with pytest.raises(Denied):
        detections.retry(actor=world.actor(world.ada), event_id=failed[0].pk)
    with pytest.raises(NotFound):
        detections.retry(actor=world.actor(world.gus), event_id=failed[0].pk)
    row = detections.retry(actor=actor, event_id=failed[0].pk)
    assert (row.state, row.failures, row.error, row.attempts) == ("pending", 0, "", 5)
    [told] = LearningEvent.objects.filter(verb="detection_retried")
    assert told.sentence == f"Adam had message {failed[0].pk} looked at again"
    with pytest.raises(Conflict, match="not failed any more"):
        detections.retry(actor=actor, event_id=failed[0].pk)
    tasks.run_detection()
    assert outcome(failed[0]) == ("done", "proposed")
    assert detection_of(failed[0]).attempts == 6
    assert outcome(failed[1]) == ("failed", "")


def test_all_that_failed_here_are_looked_at_again_by_one_click(as_user, world, failed):
    theirs = say(world.their_it, LISBON)
    Detection.objects.filter(event=theirs).update(state="failed", attempts=5, finished_at=timezone.now())
    with mock.patch.object(queue, "async_task"):
        answer = as_user(world.adam).post(reverse("learning:retry_failed"), follow=True)
    assert "3 messages are looked at again." in answer.content.decode()
    assert detection_of(theirs).state == "failed"
    [told] = LearningEvent.objects.filter(verb="detection_retried")
    assert told.sentence == "Adam had 3 failed messages looked at again"
    tasks.run_detection()
    assert LearningItem.objects.count() == 1  # the three say the same
    with pytest.raises(Conflict, match="No message is failed"):
        detections.retry_all(actor=world.actor(world.adam))


def test_one_who_keeps_failing_gets_five_attempts_again(world, failed):
    detections.retry(actor=world.actor(world.adam), event_id=failed[0].pk)
    broken = mock.patch.object(detections, "conclude", side_effect=ValueError)
    for attempt in range(1, detections.ATTEMPTS_MOST + 1):
        with broken:
            tasks.run_detection()
        assert detection_of(failed[0]).failures == attempt
        Detection.objects.filter(state="pending").update(due_at=timezone.now())
    assert outcome(failed[0]) == ("failed", "")


def test_the_numbers_of_the_queue(world, it):
    due, working, waits, errs = (say(it, f"{LISBON} {n}") for n in range(4))
    later = timezone.now() + timedelta(minutes=2)
    Detection.objects.filter(event=working).update(due_at=later, attempts=1)
    Detection.objects.filter(event=waits).update(due_at=later, attempts=1, forgiven=1, setback="model_down")
    Detection.objects.filter(event=errs).update(due_at=later, attempts=1, setback="error", error="KeyError")
    found = operations(world.actor(world.cleo)).queue
    assert (found.queued, found.working, found.waiting, found.depth, found.more) == (
        1,
        1,
        {"model_down": 1, "error": 1},
        4,
        False,
    )
    assert found.oldest == due.created_at


def test_outcomes_are_of_seven_days_and_the_share_leaves_out_where_learning_is_off(world, it):
    events = [say(it, "ok thanks") for _ in range(5)]
    now = timezone.now()
    for event, name, at in zip(
        events,
        ("triaged", "triaged", "proposed", "not_learning", "saved"),
        (now, now, now, now, now - timedelta(days=8)),
        strict=True,
    ):
        Detection.objects.filter(event=event).update(state="done", outcome=name, finished_at=at)
    found = operations(world.actor(world.olga)).lately
    assert found.outcomes == {"triaged": 2, "proposed": 1, "not_learning": 1}
    assert found.triage_share == pytest.approx(2 / 3)


def test_the_overview_of_an_agent_tells_its_share(as_user, world, it):
    say(it, "ok thanks")
    tasks.run_detection()
    text = as_user(world.ada).get(reverse("agents:agent", args=["it"])).content.decode()
    assert "Set aside at first sight" in text
    assert "of the last 1 messages" in text


def test_a_model_shows_its_spend_and_a_silent_worker_is_said(as_user, world, it, settings):
    settings.DW_MODEL = "openai:scripted"
    text = as_user(world.olga).get(PAGE).content.decode()
    assert "openai:scripted" in text
    assert "0 of 2,000" in text
    assert "The worker is silent" in text
    schedules.sync()
    assert "learning.sweep" in as_user(world.olga).get(PAGE).content.decode()


def test_the_page_takes_the_same_queries_whatever_there_is(as_user, world, it):
    client = as_user(world.olga)
    say(it, LISBON)

    def queries():
        with CaptureQueriesContext(connection) as captured:
            client.get(PAGE)
        return len(captured)

    few = queries()
    for number in range(30):
        say(it, f"{LISBON} {number}")
    Detection.objects.update(state="failed", finished_at=timezone.now(), error="ValueError")
    say(it, LISBON)
    assert queries() == few <= 20


# --- REST -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def call(client, world):
    def call(key, method="get", path="operations/", body=None):
        data = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        answer = getattr(client, method)(f"/api/v1/{path}", headers=bearer(key), **data)
        return SimpleNamespace(status=answer.status_code, body=answer.json())

    return call


def test_the_numbers_over_rest(call, world, it, failed):
    say(it, "ok thanks")
    tasks.run_detection()
    say(it, LISBON)
    body = call(make_key("admin", organization=world.acme)).body
    assert body["queue"]["depth"] == 1
    assert body["failed"] == 3
    assert body["lately"]["outcomes"] == {"triaged": 1}
    assert body["detector"] == "local extractor"
    assert {row["role_agent"] for row in body["failures"]} == {"it"}
    assert "Lisbon" not in json.dumps(body)
    limited = call(make_key("admin", [world.hr], name="hr")).body
    assert (limited["failed"], limited["queue"]["depth"]) == (0, 0)


def test_retrying_over_rest(call, world, failed):
    key = make_key("admin", organization=world.acme)
    path = "operations/retry/"
    other = call(make_key("admin", [world.hr], name="hr"), "post", path, {"event_id": str(failed[0].pk)})
    assert (other.status, other.body["code"]) == (404, "not_found")
    with mock.patch.object(queue, "async_task"):
        one = call(key, "post", path, {"event_id": str(failed[0].pk)})
        rest = call(key, "post", path, {"event_id": None})
    assert (one.status, one.body) == (202, {"state": "pending", "messages": 1})
    assert rest.body["messages"] == 2
    assert call(key, "post", path, {}).status == 400  # all of them only where that is said
    again = call(key, "post", path, {"event_id": None})
    assert (again.status, again.body["code"]) == (409, "not_failed")
