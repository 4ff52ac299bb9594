"""What is said in a conversation, and holds a secret: it stays there alone, or, where the organisation has secrets taken out
at intake, not even there."""

import io
import json

import pytest
from django.test import Client
from django.urls import reverse

from digitalworker.agents.actions.conversations import EventDraft
from digitalworker.agents.language_model import Reply
from digitalworker.agents.models import ChatEvent, Organization
from digitalworker.common.errors import Invalid
from digitalworker.common.types import worker_actor
from digitalworker.runtime import ask as ask_module
from digitalworker.runtime.models import AgentRun
from digitalworker.runtime.tools import tools_for
from learning.actions.intake import take_in
from learning.importing import Layout, import_chat
from learning.tasks import look_for_pii, run_detection
from tests.dump import dump, found_in, logged, stands_in
from tests.factories import bearer, let_shop_learn, make_key, make_world
from tests.learning.proposals import person_of, said
from tests.learning.told import made_up


@pytest.fixture
def heard(db):
    """Conversations by every way in, each with a secret of its own; answers the secrets."""
    w = let_shop_learn(make_world())
    values = {}

    def tell(where: str) -> str:
        values[where] = made_up(100 + len(values))
        return f"Please remember for next time that the password of the wifi is {values[where]}, I need it often."

    def hear(redacts: bool):
        Organization.objects.filter(pk=w.acme.pk).update(redact_secrets=redacts)
        w.shop.refresh_from_db()
        key = bearer(make_key("runtime", [w.shop]))
        events = {"kind": "message", "author_kind": "person", "external_user_id": "ABC", "verified": True}
        payload = {"note": tell("payload"), "deep": [{"password": values.setdefault("value", made_up(90))}]}
        for body in (events | {"text": tell("events")}, events | {"text": "hello", "payload": payload}):
            assert (
                Client().post(reverse("api:events", args=["shop"]), body, "application/json", headers=key).status_code
                == 202
            )
        question = {"question": tell("ask"), "external_user_id": "ABC", "verified": True}
        answer = Client().post(reverse("api:ask", args=["shop"]), question, "application/json", headers=key)
        assert answer.status_code == 200
        line = {"text": tell("import"), "thread": "t1", "role": "user", "user": "XYZ", "author": tell("author")[:110]}
        worker = worker_actor(w.acme.pk, w.shop.pk)
        report = import_chat(
            actor=worker, role_agent=w.shop, lines=io.BytesIO(json.dumps(line).encode()), layout=Layout(verified=True)
        )
        assert report.added == 1, report
        for key_of_fact, where in (("wifi", "tool"), ("password", "tool, by its key")):
            content = tell(where) if where == "tool" else values.setdefault(where, made_up(91))
            remember_fact(w, key_of_fact, content)
        while run_detection():
            pass
        look_for_pii()
        return values

    return hear


def remember_fact(w, key: str, content: str) -> None:
    run = AgentRun.objects.latest("id")
    event = said(w.shop, "Remember something", person=person_of(w.shop))
    tools = {tool.name: tool for tool in tools_for(run=run, role_agent=w.shop, event=event)}
    assert tools["remember_fact"].run(key=key, content=content) == "Saved for review."


def test_what_was_said_stays_in_the_conversation_alone(heard):
    with logged() as log:
        values = heard(redacts=False)
    tables = dump()
    for where, value in values.items():
        assert set(found_in(tables, value)) <= {"agents_chatevent", "agents_person"}, where  # who they say they are
    kept = [where for where, value in values.items() if found_in(tables, value)]
    assert kept == ["payload", "value", "events", "ask", "import", "author"]  # it was there to be found
    assert not any(stands_in(log.getvalue(), value) for value in values.values())


def test_where_secrets_are_taken_out_at_intake_not_even_the_conversation_holds_them(heard):
    with logged() as log:
        values = heard(redacts=True)
    assert {where: found_in(dump(), value) for where, value in values.items() if found_in(dump(), value)} == {}
    noted = ChatEvent.objects.exclude(payload__redacted=None).order_by("id")
    assert [event.payload["redacted"] for event in noted] == [["password"]] * len(noted)
    assert len(noted) == 4
    assert all("[password removed]" in f"{event.text} {event.payload}" for event in noted)
    assert not any(stands_in(log.getvalue(), value) for value in values.values())


def test_an_id_that_is_a_secret_is_refused_where_secrets_are_taken_out(world):
    Organization.objects.filter(pk=world.acme.pk).update(redact_secrets=True)
    worker = worker_actor(world.acme.pk, world.shop.pk)
    draft = EventDraft(
        kind="message", text="hello", author_kind="person", external_user_id=f"my password is {made_up(1)}"
    )
    with pytest.raises(Invalid) as refusal:
        take_in(actor=worker, role_agent=world.shop, drafts=[draft])
    assert refusal.value.errors == {"0.external_user_id": ["This looks like a secret. Use an id that tells nothing."]}
    assert not ChatEvent.objects.exists()


def test_without_the_switch_a_conversation_is_kept_as_it_was_said(world):
    text = f"my password is {made_up(1)}"
    worker = worker_actor(world.acme.pk, world.shop.pk)
    (one,) = take_in(
        actor=worker, role_agent=world.shop, drafts=[EventDraft(kind="message", text=text, author_kind="person")]
    )
    assert (one.event.text, one.event.payload) == (text, {})


def test_a_model_is_asked_without_the_secret_too(world, monkeypatch):
    Organization.objects.filter(pk=world.acme.pk).update(redact_secrets=True)
    asked = []

    def answer(**given):
        asked.append(given)
        return Reply("Do not tell me passwords.", "test")

    monkeypatch.setattr(ask_module, "is_configured", lambda: True)
    monkeypatch.setattr(ask_module, "run_model", answer)
    value = made_up(1)
    world.shop.refresh_from_db()
    ask_module.ask(actor=world.actor(world.olga), role_agent=world.shop, question=f"Is my password {value} safe?")
    assert len(asked) == 1
    assert asked[0]["question"] == "Is my password [password removed] safe?"
    assert value not in repr(asked)
