"""What did this agent know on that day? Answered from what every change left behind."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from digitalworker.agents.models import RoleAgent
from digitalworker.runtime.selectors import known
from learning.actions.remember import delete_memory, edit_memory, remember
from learning.models import Memory
from skills.actions.lifecycle import pause
from tests.skills import making


@pytest.fixture(autouse=True)
def words_alone(settings):
    settings.DW_EMBEDDING = "none"


@pytest.fixture
def ada(world):
    return world.actor(world.ada)


def lines(actor, world, at):
    return {row.line: row.now for row in known.memories_then(actor, world.it, at)}


def page(as_user, user, **query):
    return as_user(user).get(reverse("runtime:known", args=["it"]), query).content.decode()


def test_who_does_not_see_the_agent_sees_nothing_of_it(world, as_user):
    for user in (world.ben, world.dan):
        assert as_user(user).get(reverse("runtime:known", args=["it"])).status_code == 404


def test_words_are_as_they_were_and_what_became_of_them_is_said(world, ada):
    edited = remember(actor=ada, role_agent=world.it, content="The gateway is 2")
    deleted = remember(actor=ada, role_agent=world.it, content="Printers are on floor 3")
    remember(actor=ada, role_agent=world.it, content="Helpdesk opens at eight")
    then = timezone.now()
    edit_memory(actor=ada, memory_id=edited.pk, content="The gateway is 4", revision=edited.revision)
    delete_memory(actor=ada, memory_id=deleted.pk, revision=deleted.revision)
    remember(actor=ada, role_agent=world.it, content="A new one")
    assert lines(ada, world, then) == {
        "The gateway is 2": "other words",
        "Printers are on floor 3": "deleted",
        "Helpdesk opens at eight": "",
    }
    assert set(lines(ada, world, timezone.now())) == {"The gateway is 4", "Helpdesk opens at eight", "A new one"}
    assert lines(ada, world, then - timedelta(days=1)) == {}


def test_something_sensitive_then_or_now_is_not_told_to_a_manager(world, ada):
    memory = remember(actor=ada, role_agent=world.it, content="The gateway is 2")
    then = timezone.now()
    Memory.objects.filter(pk=memory.pk).update(sensitive=True)
    assert set(lines(ada, world, then)) == {"(sensitive, not shown to you)"}
    assert set(lines(world.actor(world.olga), world, then)) == {"The gateway is 2"}


def test_skills_and_soul_are_those_that_were_in_use(world, ada, as_user):
    adam = world.actor(world.adam)
    skill = making.three_versions(adam, world.it)
    then = timezone.now()
    pause(actor=adam, skill_id=skill.pk, revision=skill.revision)
    agent = RoleAgent.objects.get(pk=world.it.pk)
    agent.soul_paused = True
    agent.save()
    (was,) = known.skills_then(ada, world.it, then)
    assert (was.version.number, was.now) == (3, "paused")
    assert known.skills_then(ada, world.it, timezone.now()) == []
    assert known.set_up_then(ada, world.it, timezone.now()).soul_paused
    soul = known.set_up_then(ada, world.it, then).soul
    assert (soul.soul.code, soul.number) == ("balanced_helper", 1)


def test_the_page_takes_the_moment_of_a_browsers_field(world, ada, as_user):
    remember(actor=ada, role_agent=world.it, content="The gateway is 2")
    now = timezone.localtime()
    assert "The gateway is 2" in page(as_user, world.ada, at=now.strftime("%Y-%m-%dT%H:%M"))
    assert "It was not there yet" in page(as_user, world.ada, at="2001-01-01T00:00")
    assert "This is no moment" in page(as_user, world.ada, at="yesterday")
    assert "The gateway is 2" in page(as_user, world.cleo)


@pytest.mark.parametrize("at", ["9999-12-31T23:59", "0001-01-01T00:00", "2026-13-45T99:99", "2026-11-30", "١"])
def test_odd_moments_are_answered(world, as_user, at):
    assert as_user(world.ada).get(reverse("runtime:known", args=["it"]), {"at": at}).status_code == 200
