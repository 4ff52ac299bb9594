"""Prompts have built-in words; an organisation may put its own in front, and take them back."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.urls import reverse

from digitalworker.agents.actions import prompts
from digitalworker.agents.models import PromptVersion
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound

DEFAULT = 'You are {name}.\nAnswer as JSON: {"answer": 1}'


@pytest.fixture(autouse=True)
def greeting(monkeypatch):
    monkeypatch.setattr(prompts, "_prompts", {})
    return prompts.register_prompt("greeting", DEFAULT, ["name"])


@pytest.mark.parametrize("who", ["dan", "ada", "cleo"])
def test_only_admins_change_words(world, who):
    with pytest.raises(Denied):
        prompts.save_prompt(actor=world.actor(getattr(world, who)), key="greeting", body="Hi {name}")


def test_versions_count_up_and_the_built_in_words_come_back(world):
    olga = world.actor(world.olga)
    assert prompts.active_prompt(world.acme.pk, "greeting") == (DEFAULT, "built-in")
    prompts.save_prompt(actor=olga, key="greeting", body="Hello, {name}")
    prompts.save_prompt(actor=olga, key="greeting", body="Hi, {name}", seen_version=1)
    assert prompts.active_prompt(world.acme.pk, "greeting") == ("Hi, {name}", "version 2")
    assert prompts.active_prompt(world.globex.pk, "greeting") == (DEFAULT, "built-in")
    prompts.reset_prompt(actor=olga, key="greeting")
    assert prompts.active_prompt(world.acme.pk, "greeting") == (DEFAULT, "built-in")
    assert PromptVersion.objects.count() == 2
    event = LearningEvent.objects.latest("id")
    assert (event.verb, event.details) == (Verb.PROMPT_CHANGED, {"changed": {"active_version": [2, "built-in"]}})


def test_a_version_never_changes(world):
    version = prompts.save_prompt(actor=world.actor(world.olga), key="greeting", body="Hello, {name}")
    version.body = "Goodbye"
    with pytest.raises(DatabaseError, match="Cannot update"):
        version.save()


def test_the_second_author_is_told(world):
    prompts.save_prompt(actor=world.actor(world.olga), key="greeting", body="Hello, {name}", seen_version=None)
    with pytest.raises(Conflict, match="Somebody changed this prompt since you opened it"):
        prompts.save_prompt(actor=world.actor(world.adam), key="greeting", body="Hi, {name}", seen_version=None)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("Hello", "The text must keep {name}."),
        ("{name} {secret}", "{secret} means nothing here. Known: {name}."),
        ("", "Write something."),
        ("{name}" + "x" * 20_000, "are too many"),
    ],
)
def test_words_that_would_break_the_prompt_are_refused(world, body, says):
    with pytest.raises(Invalid) as caught:
        prompts.save_prompt(actor=world.actor(world.olga), key="greeting", body=body)
    assert says in caught.value.errors["body"][0]


def test_filling_is_one_pass_and_leaves_other_braces_alone():
    assert prompts.fill(DEFAULT, name="{name} {x}") == 'You are {name} {x}.\nAnswer as JSON: {"answer": 1}'


def test_an_unknown_prompt_is_not_there_and_a_double_one_a_mistake(world):
    with pytest.raises(NotFound):
        prompts.active_prompt(world.acme.pk, "other")
    with pytest.raises(ImproperlyConfigured, match="registered twice"):
        prompts.register_prompt("greeting", "Other {name}", ["name"])
    with pytest.raises(ImproperlyConfigured, match="must keep"):
        prompts.register_prompt("other", "No placeholder", ["name"])


def test_the_page_saves_shows_what_changed_and_resets(world, as_user):
    client, url = as_user(world.olga), reverse("agents:prompt", args=["greeting"])
    assert client.post(url, {"body": "Hi {name}", "seen": ""}).status_code == 302
    assert "Your version 1 is in use." in client.get(url).content.decode()
    stale = client.post(url, {"body": "Ho {name}", "seen": ""})
    assert stale.status_code == 422
    assert "Somebody changed this prompt since you opened it" in stale.content.decode()
    assert "Ho {name}" in stale.content.decode()
    client.post(reverse("agents:reset_prompt", args=["greeting"]))
    assert "The built-in words are in use." in client.get(url).content.decode()
    assert as_user(world.ada).get(url).status_code == 404
