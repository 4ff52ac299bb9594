import pytest

from digitalworker.agents.models import Channel, ChatEvent, Organization, Person, RoleAgent, Thread
from learning.models import Detection

from .conftest import is_problem

URL = "role-agents/shop/events/"


def test_one_event_is_stored_and_will_be_looked_at(key):
    response = key("runtime").post(URL, {"text": "I wear 38", "external_user_id": "ABC", "verified": True})
    assert response.status_code == 202, response.content
    told = response.json()
    assert told["duplicates"] == 0
    event = ChatEvent.objects.get()
    assert told["events"] == [
        {"id": str(event.pk), "thread_id": str(event.thread_id), "duplicate": False, "code": None}
    ]
    assert (event.kind, event.author_kind, event.verified, event.text) == ("message", "person", True, "I wear 38")
    assert event.person.external_user_id == "ABC"
    assert Detection.objects.filter(event=event).exists()


def test_many_events_keep_their_order_and_their_conversation(key, world):
    Channel.objects.create(organization=world.acme, role_agent=world.shop, external_id="C1", name="web")
    events = [
        {"text": "Do you have these in 38?", "thread_external_id": "t-1", "channel": "web", "external_user_id": "ABC"},
        {
            "text": "Yes.",
            "kind": "reply",
            "author_kind": "agent",
            "thread_external_id": "t-1",
            "occurred_at": "2026-05-08T15:56:00+02:00",
        },
        {"kind": "tool_run", "author_kind": "agent", "payload": {"tool": "stock"}, "thread_external_id": "t-2"},
    ]
    told = key("runtime").post(URL, {"events": events}).json()
    stored = [ChatEvent.objects.get(pk=event["id"]) for event in told["events"]]
    assert [event.text for event in stored] == ["Do you have these in 38?", "Yes.", ""]
    assert stored[0].thread == stored[1].thread != stored[2].thread
    assert stored[0].thread.channel.name == "web"
    assert stored[1].occurred_at.isoformat() == "2026-05-08T13:56:00+00:00"
    assert stored[2].payload == {"tool": "stock"}


def test_sent_twice_it_is_stored_once_and_the_first_id_comes_back(key):
    runtime = key("runtime")
    first = runtime.post(URL, {"text": "hello", "idempotency_key": "m-1"}).json()["events"][0]
    again = runtime.post(URL, {"events": [{"text": "hello", "idempotency_key": "m-1"}, {"text": "new"}]}).json()
    assert again["duplicates"] == 1
    assert again["events"][0] == {**first, "duplicate": True}
    assert again["events"][1]["duplicate"] is False
    assert ChatEvent.objects.count() == 2


def test_another_text_under_a_known_key_is_told_and_not_stored(key):
    runtime = key("runtime")
    first = runtime.post(URL, {"text": "hello", "idempotency_key": "m-1"}).json()["events"][0]
    other = {"text": "goodbye", "idempotency_key": "m-1"}
    told = is_problem(runtime.post(URL, other), 409, "idempotency_conflict")
    assert told["detail"] == "This idempotency key belongs to an event with another text. Nothing was stored."
    assert told["event"] == first["id"]
    twice = [{"text": "one", "idempotency_key": "m-2"}, {"text": "two", "idempotency_key": "m-2"}]
    body = runtime.post(URL, {"events": [other, *twice, {"text": "hello", "idempotency_key": "m-1"}]}).json()
    assert (body["duplicates"], body["conflicts"]) == (1, 2)
    assert [event["code"] for event in body["events"]] == ["idempotency_conflict", None, "idempotency_conflict", None]
    assert [event["duplicate"] for event in body["events"]] == [False, False, False, True]
    assert body["events"][0]["id"] == first["id"]
    assert list(ChatEvent.objects.order_by("id").values_list("text", flat=True)) == ["hello", "one"]


def test_where_no_text_is_kept_none_can_be_compared(key, world):
    type(world.acme).objects.filter(pk=world.acme.pk).update(storage_mode="metadata_only")
    runtime = key("runtime")
    runtime.post(URL, {"text": "hello", "idempotency_key": "m-1"})
    assert runtime.post(URL, {"text": "goodbye", "idempotency_key": "m-1"}).json()["duplicates"] == 1


def test_one_bad_event_and_nothing_is_written(key):
    events = [{"text": "fine"}, {"text": ""}, {"text": "x" * 20_001}]
    told = is_problem(key("runtime").post(URL, {"events": events}), 400, "invalid")
    assert told["errors"] == {
        "1.text": ["Write something."],
        "2.text": ["20,001 characters are too many; at most 20,000 fit."],
    }
    assert not ChatEvent.objects.exists()
    assert not Thread.objects.exists()


def test_faults_of_form_are_named_by_place_as_well(key):
    events = [{"text": "fine"}, {"text": "fine", "colour": "red"}, {"kind": "dream", "text": "x"}, "text"]
    told = is_problem(key("runtime").post(URL, {"events": events}), 400, "invalid")
    assert set(told["errors"]) == {"1.colour", "2.kind", "3"}
    assert not ChatEvent.objects.exists()


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": "x", "occurred_at": "2026-05-08T13:56:00"}, "occurred_at"),
        ({"text": "x", "occurred_at": "2999-01-01T00:00:00Z"}, "occurred_at"),
        ({"text": "x", "occurred_at": "0001-01-01T00:00:00+14:00"}, "occurred_at"),
        ({"text": "x", "payload": [1]}, "payload"),
        ({"text": "x", "thread_id": "1"}, "thread_id"),
        ({"text": "x", "channel": "nowhere"}, "channel"),
        ({"text": "x", "external_user_id": "u" * 201}, "external_user_id"),
        ({"text": "x", "incognito": True}, "incognito"),
    ],
)
def test_one_bad_event_alone_is_named_by_field(key, event, field):
    assert field in is_problem(key("runtime").post(URL, event), 400, "invalid")["errors"]
    assert not ChatEvent.objects.exists()


def test_an_empty_and_an_oversize_batch(key):
    assert "events" in is_problem(key("runtime").post(URL, {"events": []}), 400, "invalid")["errors"]
    too_many = {"events": [{"text": "x"}] * 501}
    assert "events" in is_problem(key("runtime").post(URL, too_many), 400, "invalid")["errors"]
    assert "events" in is_problem(key("runtime").post(URL, {"events": "x"}), 400, "invalid")["errors"]


def test_a_key_for_another_agent_finds_none_to_talk_to(key, their_key, world):
    is_problem(key("runtime", world.hr).post(URL, {"text": "x"}), 404, "not_found")
    is_problem(their_key("runtime").post(URL, {"text": "x"}), 404, "not_found")


def test_a_conversation_of_another_agent_is_not_there(key, world):
    thread = Thread.objects.create(organization=world.acme, role_agent=world.hr)
    is_problem(key("runtime").post(URL, {"text": "x", "thread_id": str(thread.pk)}), 404, "not_found")


def test_a_conversation_of_somebody_else_is_not_joined(key):
    runtime = key("runtime")
    runtime.post(URL, {"text": "mine", "external_user_id": "ABC", "thread_external_id": "t-1"})
    body = {"text": "and mine", "external_user_id": "XYZ", "thread_external_id": "t-1"}
    is_problem(runtime.post(URL, body), 409, "thread_of_another_person")
    assert Person.objects.filter(external_user_id="XYZ").count() == 0


def test_a_disabled_agent_takes_nothing(key, world):
    RoleAgent.objects.filter(pk=world.shop.pk).update(status="disabled")
    is_problem(key("runtime").post(URL, {"text": "x"}), 409, "agent_disabled")


def test_where_texts_are_not_kept_none_is(key, world):
    Organization.objects.filter(pk=world.acme.pk).update(storage_mode="metadata_only")
    assert key("runtime").post(URL, {"text": "I wear 38", "payload": {"a": 1}}).status_code == 202
    event = ChatEvent.objects.get()
    assert (event.text, event.payload) == ("", {})


def test_a_batch_costs_no_more_queries_than_one(key, django_assert_max_num_queries):
    runtime = key("runtime")
    runtime.post(URL, {"text": "warm"})
    with django_assert_max_num_queries(24):
        runtime.post(URL, {"events": [{"text": f"n {n}", "external_user_id": f"u{n}"} for n in range(200)]})
