"""Over REST: who may read a proposal, whose turn it is, what kind of thing it is."""

import pytest

from learning.models import LearningItem, Memory

from .conftest import is_problem
from .making import item_for

ACTIONS = ["reassign", "mark-sensitive", "unmark-sensitive", "convert"]


@pytest.fixture
def item(world):
    return item_for(world.shop, "Check the stock first. Never promise a date.", key=None, scope="role_agent")


def url(item, action=""):
    return f"learning-items/{item.pk}/" + (f"{action}/" if action else "")


def body(action, **more):
    extra = {"reassign": {"to": None}, "unmark-sensitive": {"reason": "it is known"}}.get(action, {})
    return {"revision": 1} | extra | more


@pytest.mark.parametrize("action", ACTIONS)
def test_who_may_not(key, their_key, world, item, action):
    is_problem(key("audit").post(url(item, action), body(action)), 403, "scope_missing")
    is_problem(key("review", world.hr).post(url(item, action), body(action)), 404, "not_found")
    is_problem(their_key("review").post(url(item, action), body(action)), 404, "not_found")
    item.refresh_from_db()
    assert item.revision == 1


@pytest.mark.parametrize("action", ACTIONS)
def test_no_change_without_the_revision_nor_on_an_older_one(key, item, action):
    nothing = {name: value for name, value in body(action).items() if name != "revision"}
    assert "revision" in is_problem(key("review").post(url(item, action), nothing), 400, "invalid")["errors"]
    LearningItem.objects.filter(pk=item.pk).update(revision=2, sensitive=action == "unmark-sensitive")
    is_problem(key("review").post(url(item, action), body(action)), 409, "stale_revision")


def test_marking_takes_the_words_from_whom_they_are_not_for(key, item):
    review, audit = key("review"), key("audit")
    marked = review.post(url(item, "mark-sensitive"), {"revision": 1}).json()
    assert (marked["sensitive"], marked["hidden"], marked["revision"]) == (True, False, 2)
    assert marked["allowed_actions"] == ["approve", "edit", "reject", "unmark-sensitive", "reassign", "convert"]
    shown = audit.get(url(item)).json()
    assert (shown["hidden"], shown["proposed"], shown["digest"], shown["person"]) == (True, None, None, None)
    is_problem(review.post(url(item, "mark-sensitive"), {"revision": 2}), 409, "same_already")
    told = is_problem(review.post(url(item, "unmark-sensitive"), {"revision": 2, "reason": " "}), 400, "invalid")
    assert list(told["errors"]) == ["reason"]
    assert review.post(url(item, "unmark-sensitive"), body("unmark-sensitive", revision=2)).json()["sensitive"] is False
    assert "promise" in audit.get(url(item)).text


def test_whom_a_hidden_one_is_about_is_hidden_too(key, world):
    item_for(world.shop, "has asthma", key="health", person="XYZ", sensitive=True)
    assert key("audit").get("learning-items/?person=XYZ").json()["results"] == []
    assert len(key("review").get("learning-items/?person=XYZ").json()["results"]) == 1


def test_assigning(key, world, item):
    review = key("review")
    given = review.post(url(item, "reassign"), {"revision": 1, "to": "Adam@acme.test"}).json()
    assert (given["assigned_to"], given["revision"]) == ("adam@acme.test", 2)
    for to in ("dan@acme.test", "cleo@acme.test", "gus@globex.test", "nobody@acme.test"):
        told = is_problem(review.post(url(item, "reassign"), {"revision": 2, "to": to}), 400, "invalid")
        assert told["errors"] == {"to": ["Choose somebody who may decide this."]}
    is_problem(review.post(url(item, "reassign"), {"revision": 2}), 400, "invalid")
    assert review.post(url(item, "reassign"), {"revision": 2, "to": None}).json()["assigned_to"] is None


def test_a_memory_becomes_a_skills_draft_and_a_memory_again(key, item):
    review = key("review")
    before = review.get(url(item)).json()
    skill = review.post(url(item, "convert"), {"revision": 1}).json()
    assert (skill["kind"], skill["status"]) == ("skill_proposal", "pending")
    assert "## Do Not Do\n\n- Never promise a date." in skill["proposed"]["document"]
    assert skill["allowed_actions"] == ["approve", "edit", "reject", "mark-sensitive", "reassign", "convert"]
    told = is_problem(review.post(url(item, "edit"), {"revision": 2, "content": "x"}), 400, "invalid")
    assert told["errors"] == {"document": ["A skill is changed as a whole: send its document."]}
    found = review.get("learning-items/?kind=skill_proposal").json()["results"]
    assert [row["id"] for row in found] == [str(item.pk)]
    after = review.post(url(item, "convert"), {"revision": 2}).json()
    same = ("kind", "proposed", "digest", "source_refs", "findings", "replaces", "allowed_actions")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_editing_a_draft(key, item):
    review = key("review")
    skill = review.post(url(item, "convert"), {"revision": 1}).json()
    document = skill["proposed"]["document"].replace("Still to be written.", "A customer asks when.", 1)
    edited = review.post(url(item, "edit"), {"revision": 2, "document": document}).json()
    assert (edited["proposed"]["document"], edited["edited"], edited["revision"]) == (document, True, 3)
    broken = review.post(url(item, "edit"), {"revision": 3, "document": "no front matter"})
    assert is_problem(broken, 400, "invalid")["errors"] == {
        "document": [
            'Line 1: The file has no frontmatter. Begin the file with the lines "---", "name: expense-claim", "description: what'
            ' it does, and when to use it" and "---".',
            *(
                f'Line 1: The section "{title}" is missing. Write a heading "## {title}" and its text.'
                for title in ("When To Use", "Procedure", "Do Not Do", "Verification")
            ),
        ]
    }


def test_approving_a_draft_lets_in_a_skill(key, item):
    review = key("review")
    skill = review.post(url(item, "convert"), {"revision": 1}).json()
    approval = {"revision": 2, "digest": skill["digest"], "replaces_seen": ""}
    assert review.post(url(item, "approve"), approval).json()["status"] == "approved"
    item.refresh_from_db()
    assert item.skill_version.document == skill["proposed"]["document"]
    assert not Memory.objects.exists()


def test_what_is_about_a_person_does_not_become_a_skill(key, world):
    size = item_for(world.shop)
    is_problem(key("review").post(url(size, "convert"), {"revision": 1}), 409, "about_a_person")


def test_rejecting_for_one_of_the_usual_reasons(key, item):
    is_problem(key("review").post(url(item, "reject"), {"revision": 1, "why": "bored"}), 400, "invalid")
    rejected = key("review").post(url(item, "reject"), {"revision": 1, "why": "wrong", "reason": "it is four"}).json()
    assert rejected["decision_reason"] == "Wrong: it is four"
