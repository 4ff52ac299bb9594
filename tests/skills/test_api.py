"""Skills over REST: read by whom they may be read, and acted on by whom they are decided."""

import io
import zipfile

import pytest

from digitalworker.audit.models import LearningEvent
from skills.actions.lifecycle import pause
from skills.models import Skill
from skills.package import File
from tests.api.conftest import api, is_problem, key, their_key  # noqa: F401 - fixtures
from tests.skills.making import document, let_in, three_versions


@pytest.fixture
def review(key):  # noqa: F811
    return key("review")


@pytest.fixture
def audit(key):  # noqa: F811
    return key("audit")


@pytest.fixture
def hidden(world, adam):
    source = document("leave-of-the-boss", "What to say about the illness.", procedure="1. Say nothing of the clinic.")
    return let_in(adam, world.it, source, sensitive=True, files=(File("clinic.txt", b"St. Mary"),)).skill


def test_a_list_is_narrowed_by_agent_state_and_words(world, adam, review, key, skill):  # noqa: F811
    everyones = three_versions(adam, None, "fire-drill")
    let_in(adam, world.hr, document("parental-leave"))
    pause(actor=adam, skill_id=everyones.pk, revision=4)

    def names(query, who=review):
        return [row["name"] for row in who.get(f"skills/{query}").json()["results"]]

    assert names("") == ["parental-leave", "expense-claim"]
    assert names("?role_agent=it") == ["expense-claim"]
    assert names("?role_agent=it&status=any") == ["fire-drill", "expense-claim"]
    assert names("?status=paused") == ["fire-drill"]
    assert names("?q=travel policy&status=any&role_agent=hr") == ["parental-leave", "fire-drill"]
    # A key limited to an agent does not reach what everyone is given.
    assert names("?status=any", key("review", world.it)) == ["expense-claim"]
    assert review.get("skills/?role_agent=nobody").status_code == 404
    assert review.get("skills/?sort=name").json()["code"] == "unknown_parameter"


def test_pages_follow_each_other(world, adam, review):
    for number in range(3):
        let_in(adam, world.it, document(f"skill-{number}"))
    first = review.get("skills/?limit=2").json()
    assert [row["name"] for row in first["results"]] == ["skill-2", "skill-1"]
    assert [row["name"] for row in review.get(first["next"]).json()["results"]] == ["skill-0"]


def test_one_skill_says_what_is_in_use_and_what_can_be_done(world, review, audit, skill):
    found = review.get(f"skills/{skill.pk}/").json()
    assert found | {"created_at": 0, "updated_at": 0} == {
        "id": str(skill.pk),
        "role_agent": "it",
        "name": "expense-claim",
        "description": "Checks an expense claim against the travel policy.",
        "status": "active",
        "version": 3,
        "version_id": str(skill.active_version_id),
        "digest": skill.active_version.digest,
        "risk": "medium",
        "sensitive": False,
        "hidden": False,
        "approved_by": "Adam",
        "use_count": 0,
        "last_used_at": None,
        "revision": 4,
        "allowed_actions": ["pause", "revert", "archive"],
        "created_at": 0,
        "updated_at": 0,
    }
    assert audit.get(f"skills/{skill.pk}/").json()["allowed_actions"] == []


def test_versions_are_listed_and_read(review, skill):
    rows = review.get(f"skills/{skill.pk}/versions/").json()["results"]
    assert [(row["number"], row["in_use"], row["approved_by"]) for row in rows] == [
        (3, True, "Adam"),
        (2, False, "Adam"),
        (1, False, "Adam"),
    ]
    assert "document" not in rows[0]
    first = review.get(f"skills/{skill.pk}/versions/1/").json()
    assert "Pay within 7 days." in first["document"] and first["files"] == []
    is_problem(review.get(f"skills/{skill.pk}/versions/4/"), 404, "not_found")


def test_files_are_named_and_scripts_flagged(world, adam, review):
    files = (File("notes.md", b"x"), File("run", b"#!/bin/sh\n"))
    skill = let_in(adam, world.it, files=files).skill
    told = review.get(f"skills/{skill.pk}/versions/1/").json()["files"]
    assert [(file["path"], file["size"], file["is_script"]) for file in told] == [
        ("notes.md", 1, False),
        ("run", 10, True),
    ]


def test_an_audit_key_knows_that_something_sensitive_exists(world, adam, audit, review, hidden):
    for address in (f"skills/{hidden.pk}/", f"skills/{hidden.pk}/versions/1/"):
        shown = audit.get(address)
        assert shown.json()["hidden"] is True and shown.json()["sensitive"] is True
        assert not any(word in shown.content.decode() for word in ("boss", "illness", "clinic"))
    (row,) = audit.get(f"skills/{hidden.pk}/versions/").json()["results"]
    assert (row["hidden"], row["digest"], row["approved_by"]) == (True, None, "Adam")
    assert audit.get("skills/?q=illness").json()["results"] == []
    is_problem(audit.get(f"skills/{hidden.pk}/export/"), 403, "denied")
    assert review.get(f"skills/{hidden.pk}/").json()["name"] == "leave-of-the-boss"
    # Also an earlier version that is not sensitive, while the one in use is: its words are those of the skill.
    let_in(adam, world.it, document("leave-of-the-boss"), skill=hidden)
    let_in(adam, world.it, document("leave-of-the-boss", procedure="1. More."), skill=hidden, sensitive=True)
    assert audit.get(f"skills/{hidden.pk}/versions/2/").json()["document"] is None


def test_a_foreign_skill_does_not_exist(world, key, their_key, skill):  # noqa: F811
    for stranger in (their_key("review"), key("review", world.hr)):
        for address in ("", "versions/", "versions/1/", "export/"):
            is_problem(stranger.get(f"skills/{skill.pk}/{address}"), 404, "not_found")
        for act in ("pause", "archive", "resume"):
            is_problem(stranger.post(f"skills/{skill.pk}/{act}/", {"revision": 4}), 404, "not_found")
        is_problem(stranger.post(f"skills/{skill.pk}/revert/", {"revision": 4, "number": 1}), 404, "not_found")


def test_acts_answer_with_the_skill_as_it_is_then(review, skill):
    paused = review.post(f"skills/{skill.pk}/pause/", {"revision": 4, "reason": "Wrong form"}).json()
    assert (paused["status"], paused["revision"], paused["allowed_actions"]) == (
        "paused",
        5,
        ["resume", "revert", "archive"],
    )
    assert LearningEvent.objects.first().reason == "Wrong form"
    assert review.post(f"skills/{skill.pk}/resume/", {"revision": 5}).json()["status"] == "active"
    assert review.post(f"skills/{skill.pk}/revert/", {"revision": 6, "number": 2}).json()["version"] == 2
    assert review.post(f"skills/{skill.pk}/archive/", {"revision": 7}).json()["allowed_actions"] == ["resume"]


def test_a_stale_act_is_told_who_was_faster(world, adam, review, skill):
    pause(actor=adam, skill_id=skill.pk, revision=4)
    late = review.post(f"skills/{skill.pk}/archive/", {"revision": 4})
    is_problem(late, 409, "stale_revision")
    assert late.json()["detail"].startswith("Adam paused it meanwhile.")
    assert (late.json()["revision"], late.json()["changed_by"]) == (5, "Adam")
    is_problem(review.post(f"skills/{skill.pk}/pause/", {"revision": 5}), 409, "is_paused")
    assert Skill.objects.get().status == "paused"


def test_what_screening_refuses_is_a_422(world, adam, review):
    skill = let_in(adam, world.it, document(procedure="1. Turn off the antivirus before you begin.")).skill
    pause(actor=adam, skill_id=skill.pk, revision=skill.revision)
    is_problem(review.post(f"skills/{skill.pk}/resume/", {"revision": 3}), 422, "unjudged")


def test_an_export_is_a_zip(review, skill):
    answer = review.get(f"skills/{skill.pk}/export/?number=1", Accept="application/json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert b"Pay within 7 days." in archive.read("expense-claim/SKILL.md")
    assert LearningEvent.objects.first().verb == "skills_exported"
    is_problem(review.get(f"skills/{skill.pk}/export/?number=0"), 400, "bad_parameter")


@pytest.mark.parametrize("many", [2, 12])
def test_a_list_asks_the_same_however_long_it_is(world, adam, review, django_assert_max_num_queries, many):
    for number in range(many):
        let_in(adam, world.it, document(f"skill-{number}"))
    with django_assert_max_num_queries(8):
        assert len(review.get("skills/").json()["results"]) == many
