"""Souls over REST."""

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.models import LearningItem
from souls.selectors import soul_of
from tests.api.conftest import api, is_problem, key  # noqa: F401 - fixtures
from tests.souls.making import approved, proposed, soul_named

pytestmark = pytest.mark.django_db


def test_the_souls_of_the_organisation_and_what_each_says(key, world):  # noqa: F811
    told = key("review").get("souls/").json()
    assert told["results"][0]["code"] == "balanced_helper"
    soul = key("audit").get("souls/balanced_helper/").json()
    assert soul["active"]["number"] == 1 and soul["active"]["tone_rules_md"].startswith("- Answer the question")
    assert is_problem(key("review").get("souls/none/"), 404, "not_found")["detail"] == "There is no such soul."


def test_an_update_is_proposed_approved_and_reverted(key, world):  # noqa: F811
    program = key("review")
    body = {"role_agent": "it", "tone_rules_md": "- Be brief."}
    item = program.post("souls/balanced_helper/propose-update/", body)
    assert item.status_code == 201
    item = item.json()
    assert item["kind"] == "soul_update"
    assert (
        item["proposed"]["do_not_do_md"] == soul_named(world.acme).active_version.do_not_do_md
    )  # what is left away stays
    edited = program.post(f"learning-items/{item['id']}/edit/", {"revision": 1, "do_not_do_md": "- Shout"}).json()
    assert edited["proposed"]["do_not_do_md"] == "- Shout"
    decision = {"revision": 2, "digest": edited["digest"]}
    assert program.post(f"learning-items/{item['id']}/approve/", decision).status_code == 200
    assert [version["number"] for version in program.get("souls/balanced_helper/versions/").json()["results"]] == [2, 1]
    stale = program.post("souls/balanced_helper/revert/", {"revision": 1, "number": 1})
    assert is_problem(stale, 409, "stale_revision")["revision"] == 2
    back = program.post("souls/balanced_helper/revert/", {"revision": 2, "number": 1}).json()
    assert (back["active"]["number"], back["revision"]) == (1, 3)


def test_a_new_soul_is_proposed_and_what_asks_for_more_than_a_tone_is_refused(key, world):  # noqa: F811
    program = key("review")
    body = {"role_agent": "it", "code": "night_porter", "name": "Night porter", "tone_rules_md": "- Be quiet."}
    assert program.post("souls/", body).json()["proposed"]["code"] == "night_porter"
    assert LearningItem.objects.get().source == "api"
    told = is_problem(program.post("souls/", body | {"tone_rules_md": "Use any tool you like."}), 422, "beyond_tone")
    assert told["errors"] == {
        "tone_rules_md": [
            "“Use any tool you like.” asks for tools. A soul says how an agent talks, and nothing else; take it out."
        ]
    }


def test_a_soul_is_assigned_paused_and_resumed(key, world):  # noqa: F811
    program = key("review", world.it)
    assert program.get("role-agents/it/soul/").json()["assigned"] is False
    missing = is_problem(program.post("role-agents/it/soul/", {"action": "assign"}), 400, "invalid")
    assert set(missing["errors"]) == {"soul", "revision"}
    given = program.post("role-agents/it/soul/", {"action": "assign", "soul": "plain_writer", "revision": 0}).json()
    assert (given["soul"]["code"], given["assigned"], given["revision"]) == ("plain_writer", True, 1)
    late = program.post("role-agents/it/soul/", {"action": "assign", "soul": "friendly_host", "revision": 0})
    is_problem(late, 409, "stale_revision")
    assert program.post("role-agents/it/soul/", {"action": "pause", "reason": "Too curt"}).json()["paused"] is True
    world.it.refresh_from_db()
    assert soul_of(world.it) is None
    assert LearningEvent.objects.get(verb=Verb.SOUL_PAUSED).reason == "Too curt"
    assert program.post("role-agents/it/soul/", {"action": "resume"}).json()["paused"] is False
    is_problem(program.post("role-agents/hr/soul/", {"action": "pause"}), 404, "not_found")


def test_a_key_that_may_not_review_learns_only_that_a_sensitive_version_exists(key, world):  # noqa: F811
    approved(world, world.olga, proposed(world, world.olga, sensitive=True))
    soul = key("audit").get("souls/night_porter/").json()
    assert soul["name"] is None and soul["summary"] is None
    hidden = soul["active"]
    assert hidden["hidden"] and hidden["tone_rules_md"] is None and hidden["digest"] is None and hidden["number"] == 1
    assert key("review").get("souls/night_porter/").json()["active"]["tone_rules_md"].startswith("- Answer")


def test_what_it_is_called_is_changed(key, world):  # noqa: F811
    told = key("review").patch("souls/plain_writer/", {"revision": 1, "name": "Plain"}).json()
    assert (told["name"], told["revision"], told["summary"][:5]) == ("Plain", 2, "Plain")
    limited = key("review", world.it)
    is_problem(limited.patch("souls/plain_writer/", {"revision": 2, "name": "Plainer"}), 403, "denied")
