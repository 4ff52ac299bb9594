"""A worker's later look: whose a national id is, it reads from the words around, and says so as an act of its own."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied
from learning.actions import look_through
from learning.actions.remember import edit_memory, remember
from learning.actions.review import approve, edit, reject
from learning.actions.sensitivity import unmark_sensitive
from learning.models import LearningItem, Memory, Unread
from learning.screening import pii
from learning.screening.personal import Personal
from learning.screening.sensitive import find_of_others, find_sensitive
from learning.tasks import look_for_pii
from tests import factories
from tests.learning.proposals import pending
from tests.learning.test_review_races import all_at_once

pytestmark = pytest.mark.django_db

HERS = "Her AB 12 34 56 C goes on the form"  # nothing but its form tells what it is, so only a worker finds it
MARKED = "IT Agent marked this as sensitive meanwhile. An owner or an admin decides it now. Nothing was changed."


def marks():
    return LearningEvent.objects.filter(verb=Verb.ITEM_MARKED_SENSITIVE)


def let_in(actor, item, **more):
    return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **more)


def test_an_id_of_somebody_else_takes_the_proposal_from_who_had_it_open(world):
    shown = pending(world.it, HERS)
    assert not shown.sensitive and find_sensitive(HERS) == []
    LearningItem.objects.filter(pk=shown.pk).update(assigned_to=world.ada)
    assert look_for_pii() == 1
    with pytest.raises(Conflict, match=re.escape(MARKED)):
        let_in(world.actor(world.ada), shown)
    item = LearningItem.objects.get(pk=shown.pk)
    assert (item.sensitive, item.revision, item.pii_entities, item.assigned_to) == (True, 2, ["UK_NINO"], None)
    [finding] = item.findings
    assert finding["why"] == "it holds the number of a paper or an insurance of somebody else"
    assert HERS[finding["start"] : finding["end"]] == "AB 12 34 56 C"
    with pytest.raises(Denied, match=r"^This is sensitive; an owner or an admin decides it\.$"):
        let_in(world.actor(world.ada), item)
    event = marks().get()
    assert (event.actor_kind, event.role_agent_id) == ("worker", world.it.pk)
    assert "AB 12" not in f"{event.details} {event.object_label} {event.reason}"
    assert look_for_pii() == 0
    assert let_in(world.actor(world.adam), item).memory.sensitive


@pytest.mark.parametrize(
    "text",
    [
        *("My AB 12 34 56 C goes on the form", "The shop has 86095742719", "86095742719 is what the form says"),
        *("Her order number is 86095742719", "Ada Lovelace moved to room 5", "AB 12 34 56 C"),
    ],
)
def test_an_id_or_a_name_alone_does_not_tell_whose_it_is(world, text):
    item = pending(world.it, text)
    sensitive = item.sensitive
    look_for_pii()
    item.refresh_from_db()
    assert (item.sensitive, item.revision, sensitive) == (False, 1, False)
    assert not marks().exists()


def test_places_are_those_of_the_text_as_it_is_written():
    text = "Her ＡＢ 12 34 56 \u200bC goes on the form, as ever"
    [finding] = find_of_others(text, pii.find_places(text))
    assert text[finding.start : finding.end] == "ＡＢ 12 34 56 \u200bC"


def test_what_is_known_or_decided_is_only_labelled(world):
    memory = remember(actor=world.actor(world.ada), role_agent=world.it, content=HERS)
    item = reject(actor=world.actor(world.ada), item_id=pending(world.it, f"{HERS} too").pk, revision=1)
    assert look_for_pii() == 2
    for row in (memory, item):
        before = row.revision
        row.refresh_from_db()
        assert (row.sensitive, row.revision, row.pii_entities) == (False, before, ["UK_NINO"])
    assert not marks().exists()


def test_what_an_admin_found_harmless_is_not_marked_again(world):
    text = "Her tax id is 86095742719"
    item = pending(world.it, text)
    assert item.sensitive
    unmark_sensitive(actor=world.actor(world.olga), item_id=item.pk, revision=1, reason="It is on the website.")
    assert look_for_pii() == 1
    item.refresh_from_db()
    assert (item.sensitive, item.revision, item.pii_entities) == (False, 2, ["DE_TAX_ID"])
    assert not marks().exists()


def test_a_finding_without_a_place_is_read_and_a_row_that_is_not_whole_keeps_no_other_waiting(world, caplog):
    broken, placeless, last = (pending(world.it, f"{HERS}, {n}") for n in "abc")
    LearningItem.objects.filter(pk=broken.pk).update(findings=[{"why": "no rule"}])
    LearningItem.objects.filter(pk=placeless.pk).update(findings=[{"rule": "pii.third-party", "why": "x"}])
    memory = remember(actor=world.actor(world.ada), role_agent=world.it, content=HERS)
    assert look_for_pii() == 3
    for row in (placeless, last, memory):
        row.refresh_from_db()
        assert row.pii_entities == ["UK_NINO"]
    assert (placeless.sensitive, last.sensitive) == (True, True)
    broken.refresh_from_db()
    assert (broken.pii_digest == broken.digest, broken.sensitive, broken.revision) == (False, False, 1)
    (told,) = [record.getMessage() for record in caplog.records if "not looked through" in record.getMessage()]
    assert str(broken.pk) in told and "KeyError" in told and "AB 12" not in told


def test_what_fails_is_tried_less_often_and_does_not_take_the_place_of_what_is_behind_it(world, monkeypatch):
    tries = []

    def fails(text, **_):
        tries.append(text)
        if "broken" in text:
            raise ValueError(text)
        return []

    monkeypatch.setattr(look_through, "find_places", fails)
    monkeypatch.setattr(look_through, "MOST", 1)
    ada = world.actor(world.ada)
    item, memory = pending(world.it, "broken one"), remember(actor=ada, role_agent=world.it, content="broken two")
    later = pending(world.it, "whole")
    assert [look_for_pii() for _ in range(4)] == [0, 1, 0, 0]
    assert tries == ["broken one", "broken two", "whole"]
    later.refresh_from_db()
    assert later.pii_digest == later.digest
    for attempts in range(2, 16):
        Unread.objects.update(due_at=timezone.now())
        assert look_for_pii() == 0
        assert set(Unread.objects.values_list("attempts", flat=True)) == {attempts}
    pauses = [row.due_at - timezone.now() for row in Unread.objects.all()]
    assert all(timedelta(hours=23) < pause <= timedelta(days=1) for pause in pauses)
    edit_memory(actor=ada, memory_id=memory.pk, revision=1, content="broken in other words")
    assert len(tries) == 3 + 2 * 14 and look_for_pii() == 0 and tries[-1] == "broken in other words"
    assert sorted(Unread.objects.values_list("attempts", flat=True)) == [1, 15]
    edit(actor=ada, item_id=item.pk, revision=1, changes={"content": "mended"})
    memory.delete()
    assert look_for_pii() == 1 and not Unread.objects.exists()


@pytest.mark.parametrize("name", ["approve", "edit"])
def test_who_decides_or_edits_while_the_worker_reads_is_not_overruled(world, monkeypatch, name):
    ada, item = world.actor(world.ada), pending(world.it, HERS)

    def meanwhile(text, **_):
        item.refresh_from_db()
        if item.revision == 1 and name == "approve":
            let_in(ada, item)
        elif item.revision == 1:
            edit(actor=ada, item_id=item.pk, revision=1, changes={"content": "The shop moved"})
        return [Personal("UK_NINO", 4, 17)] if text == HERS else []

    with monkeypatch.context() as race:
        race.setattr(look_through, "find_places", meanwhile)
        look_for_pii()
    item.refresh_from_db()
    assert (item.sensitive, item.status) == (False, "approved" if name == "approve" else "pending")
    assert not marks().exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_and_a_reviewer_at_once_each_does_it_once_or_not_at_all(transactional_db):
    world = factories.make_world()
    pii.find_pii("x")  # the engine is loaded once, before anybody starts
    for number in range(5):
        item = pending(world.it, f"{HERS} number {number}")
        jobs = [look_for_pii, look_for_pii, lambda item=item: let_in(world.actor(world.ada), item)]
        answers = all_at_once(lambda job: job(), jobs)
        item.refresh_from_db()
        marked = marks().filter(object_id=str(item.pk)).count()
        assert (marked, item.sensitive) == ((1, True) if item.is_pending else (0, False))
        assert isinstance(answers[2], Conflict) == item.is_pending
        assert Memory.objects.filter(item=item).count() == (0 if item.is_pending else 1)
