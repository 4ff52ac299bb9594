"""Talking to an agent in the console: who may, what is shown beside the answer, and what happens to a form sent twice."""

import uuid

import pytest
from django.urls import reverse

from digitalworker.agents.models import ChatEvent, Person, RoleAgent, Thread
from digitalworker.runtime.models import AgentRun
from learning.actions.remember import remember
from learning.actions.review import approve
from learning.models import Detection, LearningItem
from learning.tasks import run_detection

SIZE = "do you have these pants in my size, 38?"


def address(**query) -> str:
    return reverse("runtime:playground", args=["shop"], query=query)


def send(client, question=SIZE, *, person="ABC", nonce=None, **fields):
    htmx = {"HX-Request": "true"} if fields.pop("htmx", False) else {}
    form = {"question": question, "person": person, "nonce": nonce or str(uuid.uuid4()), **fields}
    return client.post(address(), form, headers=htmx)


@pytest.mark.parametrize("who", ["ada", "dan", "gus"])
def test_whoever_does_not_see_the_agent_finds_no_playground(shop, as_user, who):
    client = as_user(getattr(shop, who))
    assert client.get(address()).status_code == 404
    assert send(client).status_code == 404
    assert not AgentRun.objects.exists()


def test_somebody_who_is_not_logged_in_is_sent_to_the_log_in(shop, client):
    assert client.get(address()).headers["Location"].startswith(reverse("account_login"))


def test_cleo_reads_and_is_told_why_she_can_not_talk(shop, as_user):
    client = as_user(shop.cleo)
    page = client.get(address(**{"as": "ABC"})).content.decode()
    assert 'name="question"' not in page
    answer = send(client)
    assert answer.status_code == 403
    assert "You may read about Shop Assistant, and not talk to it here." in answer.content.decode()
    assert not ChatEvent.objects.exists()


@pytest.mark.parametrize("who", ["olga", "adam", "ben"])
def test_owner_admin_and_manager_may_talk(shop, as_user, who):
    answer = send(as_user(getattr(shop, who)))
    run = AgentRun.objects.get()
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"{address(**{'as': 'ABC', 'thread': run.thread_id})}#e-{run.question_id}"
    assert run.person.external_user_id == "ABC"
    assert run.asked_by_label == str(getattr(shop, who))


def test_with_scripts_only_the_new_turn_and_what_went_into_it_come_back(shop, as_user):
    answer = send(as_user(shop.ben), htmx=True)
    run = AgentRun.objects.get()
    text = answer.content.decode()
    assert "<html" not in text
    assert f'id="e-{run.question_id}"' in text and f'id="e-{run.reply_id}"' in text
    assert "No language model is set up" in text
    assert answer.headers["HX-Push-Url"] == address(**{"as": "ABC", "thread": run.thread_id})
    assert f'name="thread" value="{run.thread_id}"' in text


def test_a_message_belongs_to_whoever_stands_in_talk_as(shop, as_user):
    client = as_user(shop.ben)
    send(client, htmx=True, **{"as": "ABC"})
    abc = AgentRun.objects.get()
    answer = send(client, htmx=True, thread=abc.thread_id, **{"as": " XYZ "})
    xyz = AgentRun.objects.latest("id")
    assert (xyz.person.external_user_id, xyz.thread_id == abc.thread_id) == ("XYZ", False)
    assert answer.headers["HX-Redirect"] == address(**{"as": "XYZ", "thread": xyz.thread_id})
    send(client, htmx=True, **{"as": ""})
    assert AgentRun.objects.latest("id").person.external_user_id is None


def test_a_form_sent_twice_asks_once(shop, as_user):
    client, nonce = as_user(shop.ben), str(uuid.uuid4())
    first, second = send(client, nonce=nonce), send(client, nonce=nonce)
    assert first.headers["Location"] == second.headers["Location"]
    assert AgentRun.objects.count() == 1
    assert Thread.objects.count() == 1


def test_a_nonce_of_another_message_is_refused(shop, as_user):
    client, nonce = as_user(shop.ben), str(uuid.uuid4())
    send(client, nonce=nonce)
    answer = send(client, "something else", nonce=nonce)
    assert answer.status_code == 409
    assert "This idempotency key belongs to another message. Nothing was asked." in answer.content.decode()


def test_the_next_message_goes_into_the_same_thread(shop, as_user):
    client = as_user(shop.ben)
    send(client)
    thread = Thread.objects.get()
    send(client, "and in blue?", thread=str(thread.pk))
    assert AgentRun.objects.filter(thread=thread).count() == 2
    page = client.get(address(**{"as": "ABC", "thread": thread.pk})).content.decode()
    assert SIZE in page and "and in blue?" in page


def test_a_thread_of_somebody_else_is_not_there(shop, as_user):
    client = as_user(shop.ben)
    send(client)
    thread = Thread.objects.get()
    assert client.get(address(**{"as": "XYZ", "thread": thread.pk})).status_code == 404
    assert send(client, person="XYZ", thread=str(thread.pk)).status_code == 404
    assert client.get(address(**{"as": "ABC", "thread": "nonsense"})).status_code == 404


@pytest.mark.parametrize("question", ["", "   ", "x" * 8001])
def test_a_message_must_say_something_and_not_too_much(shop, as_user, question):
    assert send(as_user(shop.ben), question).status_code == 400
    assert not ChatEvent.objects.exists()


def test_a_disabled_agent_has_no_form_and_says_so(shop, as_user):
    RoleAgent.objects.filter(pk=shop.shop.pk).update(status="disabled")
    client = as_user(shop.ben)
    page = client.get(address()).content.decode()
    assert 'name="question"' not in page and "is disabled and answers nobody" in page
    assert send(client).status_code == 409


def test_what_is_approved_reaches_this_person_and_nobody_else(shop, as_user):
    client = as_user(shop.ben)
    send(client)
    run_detection()
    item = LearningItem.objects.get()
    assert item.title == "size = 38"
    approve(actor=shop.actor(shop.ben), item_id=item.pk, revision=item.revision, digest_seen=item.digest)
    mine = send(client, "what jerseys would you recommend?", htmx=True).content.decode()
    theirs = send(client, "what jerseys would you recommend?", person="XYZ", htmx=True).content.decode()
    assert "size: 38" in mine
    assert "size: 38" not in theirs


def test_the_line_about_learning_waits_shows_the_proposal_and_stops(shop, as_user):
    client = as_user(shop.ben)
    send(client)
    run = AgentRun.objects.get()
    Detection.objects.update(state="pending", finished_at=None, outcome="")
    LearningItem.objects.all().delete()
    looked = reverse("runtime:learned", args=[run.pk])
    waiting = client.get(looked).content.decode()
    assert "Looking whether there is anything to learn" in waiting and "load delay:2s" in waiting
    last = client.get(looked, {"n": 5}).content.decode()
    assert "Still being looked at" in last and "hx-trigger" not in last
    run_detection()
    done = client.get(looked, {"n": 1}).content.decode()
    assert "1 proposal waits in the inbox" in done and "size = 38" in done and "hx-trigger" not in done


def test_nothing_to_learn_is_said(shop, as_user):
    client = as_user(shop.ben)
    send(client, "where is the nearest store?")
    run_detection()
    run = AgentRun.objects.get()
    assert "Nothing to learn from this." in client.get(reverse("runtime:learned", args=[run.pk])).content.decode()


@pytest.mark.parametrize("who", ["ada", "dan", "gus"])
@pytest.mark.parametrize("piece", ["learned", "prompt"])
def test_its_pieces_are_as_closed_as_the_page(shop, as_user, who, piece):
    send(as_user(shop.ben))
    run = AgentRun.objects.get()
    assert as_user(getattr(shop, who)).get(reverse(f"runtime:{piece}", args=[run.pk])).status_code == 404


def test_the_prompt_hides_what_is_sensitive_from_its_manager_and_not_from_cleo(shop, as_user):
    person = Person.objects.create(organization=shop.acme, role_agent=shop.shop, external_user_id="ABC")
    remember(
        actor=shop.actor(shop.olga),
        role_agent=shop.shop,
        scope="person",
        kind="profile",
        key="allergy",
        content="wool",
        person=person,
        sensitive=True,
    )
    answer = send(as_user(shop.ben), "what jerseys would you recommend?", htmx=True)
    run = AgentRun.objects.get()
    prompt = reverse("runtime:prompt", args=[run.pk])
    context = answer.content.decode().partition('id="no-turns"')[2]
    assert "wool" not in context and "(sensitive, not shown to you)" in context
    assert "wool" not in as_user(shop.ben).get(prompt).content.decode()
    assert "allergy: wool" in as_user(shop.cleo).get(prompt).content.decode()


def test_the_chooser_lists_what_one_manages(shop, as_user):
    assert as_user(shop.dan).get(reverse("runtime:playgrounds")).status_code == 404
    page = as_user(shop.ben).get(reverse("runtime:playgrounds")).content.decode()
    assert "Shop Assistant" in page and "HR Agent" in page and "IT Agent" not in page


@pytest.mark.parametrize("memories", [3, 60])
def test_the_page_costs_at_most_twelve_queries(shop, as_user, django_assert_max_num_queries, memories):
    for number in range(memories):
        remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content=f"Jersey number {number} is made of cotton")
    client = as_user(shop.ben)
    for _ in range(memories // 3):
        send(client, f"which jersey is number {memories}?", thread=str(t.pk) if (t := Thread.objects.first()) else "")
    thread = Thread.objects.get()
    send(client, "do you have these pants in my size, 38?", thread=str(thread.pk))
    run_detection()
    assert LearningItem.objects.filter(person__isnull=False).count() == 1
    Detection.objects.update(outcome="saved")  # the same page where it was saved without asking
    with django_assert_max_num_queries(12):
        client.get(address(**{"as": "ABC", "thread": thread.pk}))
    with django_assert_max_num_queries(12):
        client.get(address())
