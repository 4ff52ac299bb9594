"""Events come in once, together, into the right conversation, and for the right agent."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from unittest import mock
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from digitalworker.agents.actions.conversations import EventDraft, record_events
from digitalworker.agents.choices import AgentStatus, Provider, StorageMode
from digitalworker.agents.models import Channel, ChatEvent, Person, Thread
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound
from digitalworker.common.types import system_actor
from learning import queue
from learning.actions.intake import take_in
from learning.models import Detection
from tests import factories
from tests.collections import ODD_INPUTS


def draft(text="hello", **fields):
    return EventDraft(**{"kind": "message", "author_kind": "person", **fields, "text": text})


@pytest.fixture
def system(world):
    return system_actor(world.acme.pk)


@pytest.fixture
def record(world, system):
    return lambda *drafts, agent=None: record_events(actor=system, role_agent=agent or world.shop, drafts=drafts)


def test_a_first_message_makes_a_thread_and_a_person(world, record):
    [one] = record(draft("Hi  \r\nthere", external_user_id="ABC", author="Abe", verified=True, payload={"a": [1, "x"]}))
    event = ChatEvent.objects.get()
    assert one.created
    assert one.event == event
    assert (event.text, event.payload, event.verified, event.organization) == (
        "Hi  \nthere",
        {"a": [1, "x"]},
        True,
        world.acme,
    )
    assert (event.person.external_user_id, event.person.display_name) == ("ABC", "Abe")
    assert event.thread.person == event.person
    assert event.thread.last_event_at == event.occurred_at


def test_somebody_without_an_id_is_bound_to_their_thread(record):
    one, two = record(draft("a"), draft("b"))
    assert one.event.thread_id != two.event.thread_id
    assert one.event.person_id != two.event.person_id
    assert one.event.person.external_user_id is None
    [three] = record(draft("c", thread_id=one.event.thread_id))
    assert three.event.person_id == one.event.person_id


def test_an_agent_may_greet_before_the_person_says_who_they_are(record):
    greeting = draft("Welcome!", kind="reply", author_kind="agent", thread_external_id="t1")
    [first] = record(greeting)
    assert first.event.person_id is None
    [second] = record(draft("Hi", thread_external_id="t1", external_user_id="ABC"))
    assert second.event.thread_id == first.event.thread_id
    assert Thread.objects.get().person.external_user_id == "ABC"


def test_a_person_keeps_one_thread_within_a_batch_and_gets_a_new_one_in_the_next(record):
    one, two, other = record(*(draft(t, external_user_id=u) for t, u in (("a", "ABC"), ("b", "ABC"), ("c", "XYZ"))))
    assert one.event.thread_id == two.event.thread_id != other.event.thread_id
    [later] = record(draft("d", external_user_id="ABC"))
    assert later.event.thread_id != one.event.thread_id
    assert later.event.person_id == one.event.person_id


def test_a_thread_of_another_person_is_not_joined(record):
    [one] = record(draft("a", thread_external_id="t1", external_user_id="ABC"))
    with pytest.raises(Conflict) as refusal:
        record(draft("fine", thread_external_id="t2"), draft("b", thread_external_id="t1", external_user_id="XYZ"))
    assert refusal.value.code == "thread_of_another_person"
    assert refusal.value.extra == {"events": [1]}
    with pytest.raises(NotFound, match="no such conversation"):
        record(draft("b", thread_id=one.event.thread_id, external_user_id="XYZ"))
    assert (ChatEvent.objects.count(), Thread.objects.count(), Person.objects.count()) == (1, 1, 1)


def test_somebody_with_an_id_does_not_take_over_a_nameless_persons_thread(record):
    [one] = record(draft("a", thread_external_id="t1"))
    with pytest.raises(Conflict, match="belongs to somebody else"):
        record(draft("b", thread_external_id="t1", external_user_id="ABC"))
    assert Thread.objects.get().person_id == one.event.person_id


def test_threads_of_another_agent_or_organisation_do_not_exist(world, record):
    [ours] = record(draft("a", external_user_id="ABC"))
    for agent in (world.it, world.their_it):
        with pytest.raises(NotFound):
            record_events(
                actor=system_actor(agent.organization_id),
                role_agent=agent,
                drafts=[draft("b", thread_id=ours.event.thread_id)],
            )
    with pytest.raises(NotFound):
        record(draft("b", thread_id=uuid4()))
    with pytest.raises(NotFound, match="no such role-agent"):
        record_events(actor=system_actor(world.globex.pk), role_agent=world.shop, drafts=[draft()])


def test_the_same_external_ids_mean_different_people_and_threads_for_different_agents(world, record):
    [one] = record(draft("a", external_user_id="ABC", thread_external_id="t", idempotency_key="k"))
    [two] = record(draft("a", external_user_id="ABC", thread_external_id="t", idempotency_key="k"), agent=world.it)
    assert two.created
    assert (one.event.person_id, one.event.thread_id) != (two.event.person_id, two.event.thread_id)


def test_who_may_speak(world):
    def by(actor, agent=world.it):
        return record_events(actor=actor, role_agent=agent, drafts=[draft()])

    with pytest.raises(NotFound):
        by(world.actor(world.dan))
    with pytest.raises(NotFound):
        by(world.actor(world.ben))
    with pytest.raises(NotFound):
        by(world.actor(world.gus))
    with pytest.raises(Denied, match="An auditor reads"):
        by(world.actor(world.cleo))
    assert by(world.actor(world.ada))[0].created
    assert by(world.actor(world.adam))[0].created


def test_a_disabled_agent_takes_nothing(world, record):
    type(world.shop).objects.filter(pk=world.shop.pk).update(status=AgentStatus.DISABLED)
    with pytest.raises(Conflict, match="Shop Assistant is disabled and takes no events"):
        record(draft())


def test_a_retry_adds_nothing_and_returns_what_was_kept(record):
    batch = [draft("a", idempotency_key="1", external_user_id="ABC"), draft("b", idempotency_key="2")]
    first = record(*batch)
    again = record(*batch, draft("c", idempotency_key="3"), draft("c again", idempotency_key="3"))
    assert [one.created for one in again] == [False, False, True, False]
    assert [one.event.pk for one in again[:2]] == [one.event.pk for one in first]
    assert again[2].event == again[3].event
    assert (ChatEvent.objects.count(), Thread.objects.count(), Person.objects.count()) == (3, 3, 3)


@pytest.mark.django_db(transaction=True)
def test_identical_batches_at_the_same_time_add_one(world):
    actor = system_actor(world.acme.pk)
    names = [f"{n}" for n in range(20)]
    batch = [draft(n, idempotency_key=n, external_user_id=n, thread_external_id=f"t{n}") for n in names]
    batch += [draft("loose", idempotency_key="loose")]

    def send(number):
        try:
            drafts = batch if number % 2 else batch[::-1]
            return sum(one.created for one in take_in(actor=actor, role_agent=world.shop, drafts=drafts))
        finally:
            connections.close_all()

    with mock.patch.object(queue, "async_task"), ThreadPoolExecutor(8) as pool:
        created = list(pool.map(send, range(8)))
    assert sum(created) == 21
    assert (ChatEvent.objects.count(), Thread.objects.count(), Person.objects.count()) == (21, 21, 21)
    assert Detection.objects.count() == 21


BAD = [
    ("text", {"text": ""}, "Write something."),
    ("text", {"text": " \x00 "}, "Write something."),
    ("text", {"text": "x" * 20_001}, "20,001 characters are too many; at most 20,000 fit."),
    ("text", {"text": 7}, "This must be text."),
    ("kind", {"kind": "shout"}, "Use one of: message, reply, tool_run, correction, draft_edit."),
    ("author_kind", {"author_kind": "bot"}, "Use one of: person, agent, staff, system."),
    ("external_user_id", {"external_user_id": "x" * 201}, "201 characters are too many; at most 200 fit."),
    ("author", {"author": "x" * 121}, "121 characters are too many; at most 120 fit."),
    ("payload", {"payload": {"a": "x" * 20_000}}, "20,009 bytes are too many; at most 20,000 fit."),
    ("payload", {"payload": {"a": float("nan")}}, "This is not plain JSON, or it is nested too deep."),
    ("payload", {"payload": [1]}, "This must be an object."),
    ("thread_id", {"thread_id": "7"}, "This is not an id."),
    ("occurred_at", {"occurred_at": timezone.now().replace(tzinfo=None)}, "Give a time with its time zone, such as "),
    ("occurred_at", {"occurred_at": timezone.now() + timedelta(days=3)}, "This lies in the future."),
    ("channel", {"channel": "#nowhere"}, "Shop Assistant has no channel of this name or id."),
    ("verified", {"verified": "yes"}, "Use true or false."),
]


@pytest.mark.parametrize(("name", "fields", "message"), BAD)
def test_a_bad_draft_is_named_and_nothing_is_written(record, name, fields, message):
    with pytest.raises(Invalid) as refusal:
        record(draft("good", external_user_id="ABC"), draft(**{"text": "bad", **fields}))
    assert list(refusal.value.errors) == [f"1.{name}"]
    assert refusal.value.errors[f"1.{name}"][0].startswith(message)
    assert not ChatEvent.objects.exists()
    assert not Person.objects.exists()


def test_too_many_at_once_are_refused(record):
    with pytest.raises(Invalid, match="501 events are too many for one batch; at most 500 fit"):
        record(*[draft()] * 501)


def test_a_tool_run_may_have_no_text(record):
    [one] = record(draft("", kind="tool_run", author_kind="system", payload={"tool": "lookup\x00", "bad": "\ud83d"}))
    assert ChatEvent.objects.get(pk=one.event.pk).payload == {"tool": "lookup", "bad": "?"}


def test_channels_are_found_by_id_name_or_the_providers_id(world, record):
    fields = {"organization": world.acme, "role_agent": world.shop}
    web = Channel.objects.create(**fields, provider=Provider.WEB, external_id="w1", name="Website")
    elsewhere = Channel.objects.create(organization=world.acme, role_agent=world.it, external_id="w2", name="Intranet")
    for wanted in ({"channel": "w1"}, {"channel": "Website"}, {"channel_id": web.pk}):
        [one] = record(draft("a", **wanted))
        assert Thread.objects.get(pk=one.event.thread_id).channel == web
    with pytest.raises(NotFound, match="no such channel"):
        record(draft("a", channel_id=elsewhere.pk))


def test_an_organisation_that_keeps_metadata_only_keeps_no_words(world, record):
    type(world.acme).objects.filter(pk=world.acme.pk).update(storage_mode=StorageMode.METADATA_ONLY)
    record(draft("my size, 38", external_user_id="ABC", payload={"note": "secret plan"}))
    event = ChatEvent.objects.get()
    assert (event.text, event.payload, event.person.external_user_id) == ("", {}, "ABC")
    with connection.cursor() as cursor:
        cursor.execute("SELECT text, payload::text, tsv::text FROM agents_chatevent")
        assert cursor.fetchone() == ("", "{}", "")


def test_the_number_of_queries_does_not_depend_on_the_number_of_events(world, system):
    def queries(count, mark):
        drafts = [
            draft(f"{n}", external_user_id=f"{mark}{n}", thread_external_id=f"{mark}{n}", idempotency_key=f"{mark}{n}")
            for n in range(count)
        ]
        with CaptureQueriesContext(connection) as captured:
            take_in(actor=system, role_agent=world.shop, drafts=drafts)
        return len(captured)

    assert queries(1, "a") == queries(300, "b") <= 18


def test_events_of_one_batch_keep_their_order(record):
    [first, *_] = record(*(draft(f"{n}", thread_external_id="t") for n in range(100)))
    texts = (
        ChatEvent.objects.filter(thread=first.event.thread).order_by("occurred_at", "id").values_list("text", flat=True)
    )
    assert list(texts) == [f"{n}" for n in range(100)]


def test_odd_inputs_are_stored_or_refused_cleanly(record):
    if not ODD_INPUTS.exists():
        pytest.skip(f"{ODD_INPUTS} is not here; it is not part of the repository")
    for line in ODD_INPUTS.read_text().splitlines():
        text = json.loads(line)["text"]
        for value in (text, text + "\ud83d", "\x00" + text):
            [one] = record(
                draft(value, external_user_id=text[:50] or None, author=text[:50], thread_external_id=text[:90])
            )
            assert ChatEvent.objects.get(pk=one.event.pk).text


# --- taking in ------------------------------------------------------------------------------------------------------


def test_each_new_event_is_to_be_looked_at_and_the_queue_is_told_once(
    world, system, django_capture_on_commit_callbacks
):
    with mock.patch.object(queue, "async_task") as task, django_capture_on_commit_callbacks(execute=True):
        take_in(actor=system, role_agent=world.shop, drafts=[draft("a", idempotency_key="1"), draft("b")])
        take_in(actor=system, role_agent=world.shop, drafts=[draft("a", idempotency_key="1")])
    task.assert_called_once_with("learning.tasks.run_detection")
    assert Detection.objects.filter(state="pending").count() == 2


def test_a_queue_that_is_down_stops_nobody_from_talking(world, system, django_capture_on_commit_callbacks):
    down = mock.patch.object(queue, "async_task", side_effect=OSError("down"))
    with down, django_capture_on_commit_callbacks(execute=True):
        [one] = take_in(actor=system, role_agent=world.shop, drafts=[draft("a")])
    assert Detection.objects.get(event=one.event).state == "pending"


@pytest.mark.parametrize("pause", ["learning", "storage"])
def test_what_is_said_while_nothing_is_learned_is_never_looked_at(world, system, pause):
    if pause == "learning":
        type(world.shop).objects.filter(pk=world.shop.pk).update(learning_enabled=False)
    else:
        type(world.acme).objects.filter(pk=world.acme.pk).update(storage_mode=StorageMode.METADATA_ONLY)
    take_in(actor=system, role_agent=world.shop, drafts=[draft("my size, 38", external_user_id="ABC")])
    row = Detection.objects.get()
    assert (row.state, row.outcome) == ("done", "not_learning")


def test_a_key_needs_the_runtime_scope(world):
    from digitalworker.agents.actors import actor_for_key
    from digitalworker.agents.models import ApiKey

    factories.make_key("review", issuer=world.olga)
    with pytest.raises(Denied, match="lacks the scope runtime"):
        record_events(actor=actor_for_key(ApiKey.objects.get()), role_agent=world.shop, drafts=[draft()])
