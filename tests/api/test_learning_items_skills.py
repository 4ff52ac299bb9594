"""Over REST: proposing skills, alone and as files."""

import base64

import pytest

from learning.models import LearningItem
from skills.models import Skill
from tests.learning.skill_proposals import document
from tests.learning.test_import_skills import two_and_a_bad_one
from tests.skills import making

from .conftest import is_problem

SHOP = document(agent="shop")


def new(**more):
    return {"role_agent": "shop", "document": SHOP} | more


def packed(data: bytes, **more):
    return {"role_agent": "shop", "filename": "a.zip", "content": base64.b64encode(data).decode()} | more


@pytest.fixture
def skill(world):
    return making.let_in(world.actor(world.olga), world.shop, SHOP).skill


def test_who_may_not(key, their_key, world, skill):
    update = f"skills/{skill.pk}/propose-update/"
    for path, body in (
        ("skills/", new()),
        ("skills/import/", packed(two_and_a_bad_one())),
        (update, {"document": SHOP}),
    ):
        is_problem(key("audit").post(path, body), 403, "scope_missing")
        is_problem(key("review", world.hr).post(path, body), 404, "not_found")
        is_problem(their_key("review").post(path, body), 404, "not_found")
    assert not LearningItem.objects.exists()


def test_a_key_of_one_agent_proposes_nothing_for_everyone(key, world):
    is_problem(key("review", world.shop).post("skills/", new(scope="organization")), 403, "denied")


def test_a_new_skill_waits_and_is_approved(key):
    review = key("review")
    answer = review.post("skills/", new(rationale="Asked often"))
    item = answer.json()
    assert (answer.status_code, item["kind"], item["source"]) == (201, "skill_proposal", "api")
    assert (item["proposed"]["document"], item["rationale"], item["skill"]) == (SHOP, "Asked often", None)
    assert review.post("skills/", new()).json()["id"] == item["id"]
    approval = {"revision": 1, "digest": item["digest"], "replaces_seen": ""}
    approved = review.post(f"learning-items/{item['id']}/approve/", approval).json()
    assert approved["skill"] == str(Skill.objects.get().pk)
    assert is_problem(review.post("skills/", new()), 409, "known_already")["detail"].startswith(
        "The skill expense-claim"
    )


def test_each_fault_is_named_with_its_line(key):
    told = is_problem(key("review").post("skills/", new(document="---\nname: A b\n---\n")), 400, "invalid")
    assert told["errors"]["document"][0].startswith('Line 2: "A b" is no name of a skill')
    assert list(is_problem(key("review").post("skills/", new(kind="x")), 400, "invalid")["errors"]) == ["kind"]


def test_an_update_is_bound_to_the_skill_as_it_was_read(key, skill):
    review = key("review")
    body = {"document": document(agent="shop", procedure="1. Pay within a week.")}
    answer = review.post(f"skills/{skill.pk}/propose-update/", body)
    item = answer.json()
    assert (answer.status_code, item["kind"], item["skill"]) == (201, "skill_update", str(skill.pk))
    approval = {"revision": 1, "digest": item["digest"], "replaces_seen": f"{skill.pk}:{skill.revision - 1}"}
    is_problem(review.post(f"learning-items/{item['id']}/approve/", approval), 409, "stale_revision")
    approval["replaces_seen"] = f"{skill.pk}:{skill.revision}"
    assert review.post(f"learning-items/{item['id']}/approve/", approval).json()["status"] == "approved"


def test_an_update_for_everyone_waits_with_the_first_agent(key, world):
    skill = making.let_in(world.actor(world.olga), None).skill
    body = {"document": document(scope="organization", procedure="1. Pay within a week.")}
    item = key("review").post(f"skills/{skill.pk}/propose-update/", body).json()
    assert (item["proposed"]["scope"], item["skill"]) == ("organization", str(skill.pk))


def test_the_skills_of_a_file(key):
    review = key("review")
    tried = review.post("skills/import/", packed(two_and_a_bad_one(), dry_run=True)).json()
    assert (tried["new"], tried["refused"], LearningItem.objects.count()) == (2, 1, 0)
    done = review.post("skills/import/", packed(two_and_a_bad_one())).json()
    assert [(each["name"], each["status"], each["scripts"]) for each in done["results"]] == [
        ("expense-claim", "new", 1),
        ("tidy-up", "new", 0),
        ("broken", "refused", 0),
    ]
    assert set(LearningItem.objects.values_list("id", flat=True)) == {
        LearningItem.objects.get(pk=each["item"]).pk for each in done["results"] if each["item"]
    }
    assert review.post("skills/import/", packed(two_and_a_bad_one())).json()["waiting"] == 2


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        (packed(b"", content="%%%"), "invalid", 400),
        (packed(b"PK\x03\x04 no archive"), "not_zip", 400),
        (packed(b"x", filename="a.txt"), "not_skill", 400),
    ],
)
def test_what_is_no_file_of_skills(key, body, code, status):
    is_problem(key("review").post("skills/import/", body), status, code)
