"""Whose data it is decides who reads a proposal; a worker completes what is known of it. Never a word of it is kept."""

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Denied, Refused
from learning.actions import look_through, remember
from learning.actions.review import approve, edit, reject
from learning.actions.sensitivity import unmark_sensitive
from learning.choices import ItemStatus, MemoryStatus
from learning.models import LearningItem, Memory
from learning.screening import pii
from learning.screening.personal import Personal
from learning.tasks import look_for_pii
from tests.factories import let_shop_learn
from tests.learning.proposals import known, pending, person_of, said

SECRET = "my password is " + "hunt" + "er2"
OF_BOSS = "My boss can be reached at ada.lovelace@example.org"
TAX_ID = "The tax number of the shop is 86095742719"  # known by its check digit alone, so only to a worker


@pytest.fixture
def no_engine(monkeypatch):
    """Whoever asks the engine fails: it takes seconds to load, and a page must not wait for it."""

    def refuse(*_):
        raise AssertionError("the engine was loaded")

    monkeypatch.setattr(pii, "_engine", refuse)


def test_data_of_somebody_else_waits_for_an_admin_with_what_was_found(world, no_engine):
    item = pending(world.it, OF_BOSS, event=said(world.it, OF_BOSS))
    assert item.sensitive
    assert [finding["rule"] for finding in item.findings] == ["pii.third-party"]
    assert item.pii_entities == ["EMAIL_ADDRESS"]
    assert "ada.lovelace" not in str(item.findings)
    with pytest.raises(Denied, match="This is sensitive; an owner or an admin decides it."):
        approve(actor=world.actor(world.ada), item_id=item.pk, revision=None, digest_seen=item.digest)
    approve(actor=world.actor(world.adam), item_id=item.pk, revision=None, digest_seen=item.digest)
    memory = Memory.objects.get()
    assert memory.sensitive
    assert memory.pii_entities == ["EMAIL_ADDRESS"]


def test_what_people_say_of_themselves_is_an_ordinary_proposal(world, no_engine):
    let_shop_learn(world)
    person = person_of(world.shop)
    item = pending(world.shop, "ada@example.org", key="email", person=person)
    assert not item.sensitive
    assert item.findings == []
    assert item.pii_entities == ["EMAIL_ADDRESS"]


def test_health_is_for_admins_also_when_somebody_says_it_of_themself(world):
    let_shop_learn(world)
    item = pending(world.shop, "peanuts", key="allergy", person=person_of(world.shop))
    assert item.sensitive
    assert [finding["rule"] for finding in item.findings] == ["category.health"]


def test_a_manager_can_not_edit_somebody_elses_data_into_a_proposal(world):
    item = pending(world.it, "The printer is on floor two")
    with pytest.raises(Denied, match="This is sensitive; an owner or an admin decides it."):
        edit(actor=world.actor(world.ada), item_id=item.pk, revision=1, changes={"content": OF_BOSS})
    with pytest.raises(Denied, match="This is sensitive; an owner or an admin decides it."):
        approve(
            actor=world.actor(world.ada),
            item_id=item.pk,
            revision=1,
            digest_seen=item.digest,
            edited={"content": OF_BOSS},
        )
    item.refresh_from_db()
    assert (item.status, item.sensitive, item.revision) == (ItemStatus.PENDING, False, 1)
    edit(actor=world.actor(world.adam), item_id=item.pk, revision=1, changes={"content": OF_BOSS})
    item.refresh_from_db()
    assert item.sensitive
    assert item.pii_entities == ["EMAIL_ADDRESS"]


def test_what_an_admin_found_harmless_a_manager_may_approve(world):
    item = pending(world.it, OF_BOSS)
    unmark_sensitive(actor=world.actor(world.olga), item_id=item.pk, revision=1, reason="It is on the website.")
    item = approve(actor=world.actor(world.ada), item_id=item.pk, revision=2, digest_seen=item.digest)
    assert item.status == ItemStatus.APPROVED


def test_what_an_admin_found_harmless_lets_no_other_address_pass(world):
    """Judged is one rule about the same words, not the rule."""
    item = pending(world.it, OF_BOSS)
    unmark_sensitive(actor=world.actor(world.olga), item_id=item.pk, revision=1, reason="It is on the website.")
    ada, other = world.actor(world.ada), OF_BOSS.replace("ada.lovelace", "ben.miller")
    assert other != OF_BOSS
    seen = {"actor": ada, "item_id": item.pk, "revision": 2}
    with pytest.raises(Denied, match=r"This is sensitive; an owner or an admin decides it\."):
        approve(**seen, digest_seen=item.digest, edited={"content": other})
    with pytest.raises(Denied, match=r"This is sensitive; an owner or an admin decides it\."):
        edit(**seen, changes={"content": f"{OF_BOSS}. {other}"})
    assert not Memory.objects.exists()
    item.refresh_from_db()
    assert (item.sensitive, item.revision) == (False, 2)
    edit(actor=world.actor(world.adam), item_id=item.pk, revision=2, changes={"content": other})
    item.refresh_from_db()
    assert item.sensitive
    with pytest.raises(Denied, match=r"This is sensitive; an owner or an admin decides it\."):
        approve(actor=ada, item_id=item.pk, revision=3, digest_seen=item.digest)


def test_what_an_admin_found_harmless_stays_so_in_other_words_around_it(world):
    item = pending(world.it, OF_BOSS)
    unmark_sensitive(actor=world.actor(world.olga), item_id=item.pk, revision=1, reason="It is on the website.")
    item = edit(actor=world.actor(world.ada), item_id=item.pk, revision=2, changes={"content": f"Note: {OF_BOSS}"})
    assert not item.sensitive
    item = approve(actor=world.actor(world.ada), item_id=item.pk, revision=3, digest_seen=item.digest)
    assert item.status == ItemStatus.APPROVED


def test_a_memory_written_by_hand_is_labelled_at_once_by_form_and_later_by_a_worker(world, monkeypatch):
    actor = world.actor(world.ada)
    with monkeypatch.context() as without:
        without.setattr(pii, "_engine", lambda *_: pytest.fail("the engine was loaded"))
        memory = remember.remember(actor=actor, role_agent=world.it, content=TAX_ID + ", mail tax@example.org")
    assert memory.pii_entities == ["EMAIL_ADDRESS"]
    history = Memory.history.count()
    assert look_for_pii() == 1
    memory.refresh_from_db()
    assert memory.pii_entities == ["DE_TAX_ID", "EMAIL_ADDRESS"]
    assert memory.revision == 1
    assert Memory.history.count() == history
    assert look_for_pii() == 0


def test_words_that_changed_are_looked_through_again(world):
    actor = world.actor(world.ada)
    memory = remember.remember(actor=actor, role_agent=world.it, content=TAX_ID)
    look_for_pii()
    remember.edit_memory(actor=actor, memory_id=memory.pk, content="The shop has no tax number", revision=1)
    memory.refresh_from_db()
    assert memory.pii_entities == []
    assert look_for_pii() == 1


def test_nothing_is_written_about_words_that_are_others_by_now(world, monkeypatch):
    item = pending(world.it, TAX_ID)

    def meanwhile(text, **_):
        edit(actor=world.actor(world.ada), item_id=item.pk, revision=1, changes={"content": "The shop moved"})
        return [Personal("DE_TAX_ID", 0, 3)]

    with monkeypatch.context() as race:
        race.setattr(look_through, "find_places", meanwhile)
        assert look_for_pii() == 0
    item.refresh_from_db()
    assert (item.pii_entities, item.pii_digest) == ([], "")
    assert look_for_pii() == 1
    item.refresh_from_db()
    assert item.pii_digest == item.digest


def test_a_worker_whose_time_is_up_leaves_the_rest_to_the_next(world):
    pending(world.it, TAX_ID)
    assert look_through.look_through(until=0) == 0
    assert LearningItem.objects.get().pii_digest == ""
    assert look_for_pii() == 1


def test_a_reason_that_holds_a_secret_is_refused_and_nothing_is_decided(world):
    item = pending(world.it, "The printer is on floor two")
    before = LearningEvent.objects.count()
    with pytest.raises(Refused) as refusal:
        reject(actor=world.actor(world.ada), item_id=item.pk, revision=1, reason=f"Wrong, {SECRET}")
    message = "This text holds what looks like a password, so it was not stored. Take it out and try again."
    assert refusal.value.detail == f"reason: {message}"
    assert refusal.value.errors == {"reason": [message]}
    item.refresh_from_db()
    assert item.status == ItemStatus.PENDING
    assert LearningEvent.objects.count() == before


def test_the_reason_for_a_sensitive_decision_stays_on_the_item_and_holds_no_secret_either(world):
    item = pending(world.it, OF_BOSS)
    with pytest.raises(Refused, match="reason: This text holds what looks like a password"):
        reject(actor=world.actor(world.olga), item_id=item.pk, revision=1, reason=SECRET)


def test_words_that_would_be_refused_today_are_not_restored(world):
    memory = known(world.it, SECRET, status=MemoryStatus.DELETED)
    with pytest.raises(Refused, match="This text holds what looks like a password"):
        remember.restore_memory(actor=world.actor(world.ada), memory_id=memory.pk, revision=1)
    memory.refresh_from_db()
    assert memory.status == MemoryStatus.DELETED
    refused = LearningEvent.objects.get()
    assert (refused.verb, refused.object_label) == ("learning_refused", "a text that held password")


@pytest.mark.parametrize("key", ["wifi_password", "password_router", "password.router", "kennwort-router"])
def test_a_value_is_the_secret_that_its_key_says_it_is(world, key):
    with pytest.raises(Refused, match="This text holds what looks like a password"):
        remember.remember(
            actor=world.actor(world.ada), role_agent=world.it, key=key, content="sun" + "shine", kind="fact"
        )
    assert not Memory.objects.exists()
