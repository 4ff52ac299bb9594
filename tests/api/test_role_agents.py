import pytest

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.models import LearningEvent

from .conftest import is_problem


def test_a_key_lists_the_agents_it_reaches(key, world):
    assert [row["code"] for row in key("runtime").get("role-agents/").json()["results"]] == ["it", "hr", "shop"]
    assert [row["code"] for row in key("runtime", world.hr).get("role-agents/").json()["results"]] == ["hr"]


def test_an_agent_outside_the_key_is_not_there(key, world):
    told = is_problem(key("admin", world.hr).get("role-agents/it/"), 404, "not_found")
    assert told["detail"] == "There is no such role-agent."
    is_problem(key("admin", world.hr).patch("role-agents/it/", {"revision": 1, "name": "Mine"}), 404, "not_found")


def test_an_agent_is_set_up_and_the_audit_says_by_which_key(key, world):
    response = key("admin").post("role-agents/", {"code": "legal", "name": "Legal", "people_learning": "review"})
    assert response.status_code == 201, response.content
    agent = response.json()
    assert (agent["code"], agent["people_learning"], agent["revision"]) == ("legal", "review", 1)
    event = LearningEvent.objects.get(verb="agent_created")
    assert event.actor_label == "API key test key of Olga"


def test_a_key_for_some_agents_creates_none(key, world):
    is_problem(key("admin", world.hr).post("role-agents/", {"code": "legal", "name": "Legal"}), 403, "denied")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("code", "Has Spaces"),
        ("code", ""),
        ("name", "x" * 81),
        ("people_learning", "always"),
        ("people_learning", "direct"),
        ("retention_days", 30),
        ("memory_limit", 0),
        ("memory_limit", True),
        ("organization", "globex"),
        ("learning_enabled", False),
    ],
)
def test_what_can_not_be_set_is_named(key, field, value):
    body = {"code": "legal", "name": "Legal"} | {field: value}
    assert field in is_problem(key("admin").post("role-agents/", body), 400, "invalid")["errors"]
    assert not RoleAgent.objects.filter(code="legal").exists()


def test_saving_without_asking_is_switched_off(key, world):
    admin = key("admin")
    agent = admin.get("role-agents/it/").json()
    assert agent["memory_autosave_enabled"] is True
    change = {"revision": agent["revision"], "memory_autosave_enabled": False}
    assert admin.patch("role-agents/it/", change).json()["memory_autosave_enabled"] is False
    told = LearningEvent.objects.get(verb="settings_changed")
    assert told.details == {"changed": {"memory_autosave_enabled": [True, False]}}
    told = is_problem(admin.patch("role-agents/it/", {"revision": 2, "memory_autosave_enabled": "off"}), 400, "invalid")
    assert told["errors"] == {"memory_autosave_enabled": ["Use true or false."]}


def test_a_code_that_is_taken(key):
    told = is_problem(key("admin").post("role-agents/", {"code": "it", "name": "Second"}), 409, "code_taken")
    assert "code" in told["errors"]


def test_a_change_needs_the_revision(key):
    assert "revision" in is_problem(key("admin").patch("role-agents/it/", {"name": "X"}), 400, "invalid")["errors"]


def test_a_change_on_an_old_picture_is_refused_and_says_which_is_new(key):
    admin = key("admin")
    changed = admin.patch("role-agents/it/", {"revision": 1, "name": "IT Desk", "memory_limit": 30}).json()
    assert (changed["name"], changed["memory_limit"], changed["revision"]) == ("IT Desk", 30, 2)
    told = is_problem(admin.patch("role-agents/it/", {"revision": 1, "name": "Other"}), 409, "stale_revision")
    assert (told["seen"], told["revision"]) == (1, 2)
    assert admin.get("role-agents/it/").json()["name"] == "IT Desk"


def test_filtering_by_status(key, world):
    RoleAgent.objects.filter(pk=world.hr.pk).update(status="disabled")
    rows = key("runtime").get("role-agents/?status=disabled").json()["results"]
    assert [row["code"] for row in rows] == ["hr"]
