"""Proposing by hand over REST, as writing by hand, only that somebody decides it."""

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.actions.review import reject
from learning.models import LearningItem, Memory
from tests.learning import proposals

from .conftest import is_problem

ITEMS = "learning-items/"
PRINTER = "The printer is on floor two"


def of(agent, content=PRINTER, **more):
    return {"role_agent": agent.code, "content": content, **more}


@pytest.fixture
def apart(world):
    world.acme.separation_of_duties = True
    world.acme.save()


def test_who_may_not_write_by_hand_proposes_nothing(key, their_key, world):
    is_problem(key("audit runtime admin").post(ITEMS, of(world.it)), 403, "scope_missing")
    is_problem(key("review", world.hr).post(ITEMS, of(world.it)), 404, "not_found")
    is_problem(their_key("review").post(ITEMS, of(world.shop)), 404, "not_found")
    told = is_problem(key("review", world.it).post(ITEMS, of(world.it, scope="organization")), 403, "denied")
    assert told["detail"] == "What the whole organisation will know is decided by an owner or an admin."
    assert not LearningItem.objects.exists()
    assert not LearningEvent.objects.filter(verb=Verb.LEARNING_PROPOSED).exists()


def test_what_may_not_be_written_by_hand_is_proposed_and_somebody_else_approves_it(key, world, apart):
    olgas, body = key("review"), of(world.it, key="printer", risk="medium")
    is_problem(olgas.post("memories/", body), 403, "second_person_needed")
    answer = olgas.post(ITEMS, body)
    assert answer.status_code == 201, answer.content
    item = answer.json()
    proposed = {"scope": "role_agent", "kind": "fact", "key": "printer", "content": PRINTER}
    assert (item["proposed"], item["status"], item["risk"], item["source"]) == (proposed, "pending", "medium", "api")
    assert item["proposed_by"] == "API key test key of Olga" and "approve" not in item["allowed_actions"]
    event = LearningEvent.objects.get(verb=Verb.LEARNING_PROPOSED)
    assert (event.object_id, event.role_agent_id) == (item["id"], world.it.pk)
    seen = {"revision": item["revision"], "digest": item["digest"]}
    is_problem(olgas.post(f"{ITEMS}{item['id']}/approve/", seen), 403, "second_person_needed")
    adams = key("review", issuer=world.adam)
    assert adams.post(f"{ITEMS}{item['id']}/approve/", seen).json()["status"] == "approved"
    assert Memory.objects.get().content == PRINTER


def test_what_waits_is_answered_and_what_is_known_or_was_turned_down_is_told(key, world):
    review = key("review")
    first, again = (review.post(ITEMS, of(world.it)).json() for _ in range(2))
    assert first["id"] == again["id"] and LearningItem.objects.count() == 1
    known = proposals.known(world.it, "The door sticks")
    told = is_problem(review.post(ITEMS, of(world.it, "The door sticks")), 409, "known_already")
    assert told["holder"] == str(known.pk)
    reject(actor=world.actor(world.adam), item_id=first["id"], revision=again["revision"])
    is_problem(review.post(ITEMS, of(world.it)), 409, "turned_down")
    type(world.it).objects.filter(pk=world.it.pk).update(learning_enabled=False)
    is_problem(review.post(ITEMS, of(world.it, "The lift sticks")), 409, "not_learning")
    assert LearningItem.objects.count() == 1


def test_what_screening_finds_makes_it_sensitive_and_a_secret_is_refused(key, world):
    review = key("review")
    item = review.post(ITEMS, of(world.it, "Anna Berg was diagnosed with asthma")).json()
    assert item["sensitive"] and item["findings"]
    everyones = review.post(ITEMS, of(world.it, "Closed on Fridays", scope="organization")).json()
    assert (everyones["status"], everyones["proposed"]["scope"]) == ("pending", "organization")
    secret = "the password is " + "hunter2-" + "Xy77qq"
    is_problem(review.post(ITEMS, of(world.it, secret)), 422, "secret")
    assert LearningItem.objects.count() == 2


@pytest.mark.parametrize(
    "body", [{"content": "x"}, {"role_agent": "it"}, {"role_agent": "it", "content": "x", "revision": 1}]
)
def test_the_body_is_read_strictly(key, world, body):
    is_problem(key("review").post(ITEMS, body), 400, "invalid")
    about = of(world.it, external_user_id="ABC")
    told = is_problem(key("review").post(ITEMS, about), 400, "invalid")
    assert told["errors"] == {"external_user_id": ["Only a memory about a person names one."]}
    assert not LearningItem.objects.exists()
