"""What is known and was sensitive is found not to be: an owner's or admin's act, with a reason. Ada manages IT, Ben HR."""

import re

import pytest
from django.urls import reverse

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound, Refused
from learning.actions.remember import delete_memory, edit_memory, remember, restore_memory
from learning.actions.sensitivity import unmark_memory
from learning.models import Memory
from tests.learning import proposals

pytestmark = pytest.mark.django_db
ILL = "Anna Berg was diagnosed with asthma"


@pytest.fixture
def ill(world, adam):
    return remember(actor=adam, role_agent=world.it, content=ILL)


def unmark(actor, memory, reason="she told everybody", revision=None):
    return unmark_memory(actor=actor, memory_id=memory.pk, revision=revision or memory.revision, reason=reason)


def at(name, memory):
    return reverse(f"learning:{name}", args=[memory.pk])


def nothing_changed(memory):
    memory.refresh_from_db()
    return memory.sensitive and memory.revision == 1


@pytest.mark.parametrize(
    ("name", "error"), [("ada", Denied), ("cleo", Denied), ("ben", NotFound), ("dan", NotFound), ("gus", NotFound)]
)
def test_nobody_but_owners_and_admins_does(world, ill, name, error):
    with pytest.raises(error):
        unmark(world.actor(getattr(world, name)), ill)
    assert nothing_changed(ill)
    assert not LearningEvent.objects.filter(verb=Verb.MEMORY_UNMARKED_SENSITIVE).exists()


@pytest.mark.parametrize("reason", ["", " \u200b", "x" * 501])
def test_it_takes_a_reason(adam, ill, reason):
    with pytest.raises(Invalid, match="reason"):
        unmark(adam, ill, reason)
    with pytest.raises(Refused):
        unmark(adam, ill, "the password is " + "Hunter" + "22xy!")
    assert nothing_changed(ill)


def test_from_then_on_it_is_the_managers_and_the_audit_says_why(ada, adam, ill):
    memory = unmark(adam, ill)
    assert (memory.sensitive, memory.revision) == (False, 2)
    event = LearningEvent.objects.get(verb=Verb.MEMORY_UNMARKED_SENSITIVE)
    assert event.sentence == "Adam found a fact for the agent not to be sensitive"
    assert event.reason == "she told everybody"
    assert memory.history.latest().history_change_reason == "Adam: found not sensitive: she told everybody"
    with pytest.raises(Conflict, match=re.escape("This is not sensitive. Nothing was changed.")):
        unmark(adam, memory)
    assert not edit_memory(actor=ada, memory_id=ill.pk, revision=2, content=f"{ILL}.").sensitive


def test_about_a_person_the_reason_stays_in_the_history(world, adam):
    memory = proposals.known(world.it, ILL, person=proposals.person_of(world.it), sensitive=True)
    unmark(adam, memory)
    assert LearningEvent.objects.get(verb=Verb.MEMORY_UNMARKED_SENSITIVE).reason == ""


def test_an_older_revision_changes_nothing(adam, ill):
    edit_memory(actor=adam, memory_id=ill.pk, revision=1, content=f"{ILL} in May")
    with pytest.raises(Conflict, match="changed since you opened it"):
        unmark(adam, ill, revision=1)
    assert Memory.objects.get().sensitive


def test_the_same_words_stand_beside_it_only_while_it_is_hidden(world, adam, ill):
    plain = proposals.known(world.it, ILL)
    with pytest.raises(Conflict, match="says exactly this already") as caught:
        unmark(adam, ill)
    assert caught.value.extra["holder"] == str(plain.pk)
    assert nothing_changed(ill)
    gone = delete_memory(actor=adam, memory_id=ill.pk, revision=1)
    assert not unmark(adam, gone).sensitive


def test_what_was_judged_is_not_asked_about_when_it_is_restored(world, ada, adam, ill):
    gone = delete_memory(actor=ada, memory_id=ill.pk, revision=unmark(adam, ill).revision)
    assert not restore_memory(actor=ada, memory_id=ill.pk, revision=gone.revision).sensitive
    late = proposals.known(world.it, f"{ILL} in June", status="deleted")  # nobody judged these words
    with pytest.raises(Denied, match="it tells of somebody's health"):
        restore_memory(actor=ada, memory_id=late.pk, revision=1)


def test_what_it_said_before_stays_hidden(as_user, world, adam):
    memory = remember(actor=adam, role_agent=world.it, content="Bob waits for ADMINWORD", sensitive=True, risk="high")
    edit_memory(actor=adam, memory_id=memory.pk, revision=1, content="Payroll closes on Friday")
    memory.refresh_from_db()
    unmark(adam, memory, reason="no WHYWORD is named")
    said = as_user(world.ada).get(at("memory", memory)).text
    assert "Payroll closes on Friday" in said and "Adam found it not to be sensitive" in said
    assert "ADMINWORD" not in said and "WHYWORD" not in said and "Adam mended the wording" in said
    event = LearningEvent.objects.get(verb=Verb.MEMORY_EDITED)
    assert "ADMINWORD" not in as_user(world.ada).get(reverse("agents:agent_audit", args=["it"])).text
    assert event.history_row
    for name in ("adam", "cleo"):
        said = as_user(getattr(world, name)).get(at("memory", memory)).text
        assert "ADMINWORD" in said and "WHYWORD" in said


def test_on_its_page_only_who_may_has_the_button(as_user, world, ill):
    for name, offered in (("olga", True), ("adam", True), ("cleo", False), ("ada", False)):
        assert (
            at("unmark_sensitive_memory", ill) in as_user(getattr(world, name)).get(at("memory", ill)).text
        ) is offered
    olga = as_user(world.olga)
    refused = olga.post(at("unmark_sensitive_memory", ill), {"revision": 1, "reason": ""})
    assert refused.status_code == 400 and "reason: write something" in refused.text
    page = olga.post(at("unmark_sensitive_memory", ill), {"revision": 1, "reason": "known"}, follow=True)
    assert "Not sensitive any more." in page.text
    assert at("unmark_sensitive_memory", ill) not in page.text
    assert ILL in as_user(world.ada).get(at("memory", ill)).text
