"""Writing what is known by hand: keys, ceilings, versions, and who may. Ada manages IT."""

import re

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Full, Invalid, NotFound, Refused
from digitalworker.common.types import worker_actor
from learning.actions.remember import delete_memory, edit_memory, remember, restore_memory, supersede
from learning.choices import MemoryStatus
from learning.models import Memory
from tests.learning import proposals

pytestmark = pytest.mark.django_db


@pytest.fixture
def gate(world, ada):
    return remember(actor=ada, role_agent=world.it, content="Gate two", key="gate")


def last_verb() -> str:
    return LearningEvent.objects.order_by("-id").values_list("verb", flat=True).first()


# --- who may ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["ben", "cleo", "dan", "gus"])
def test_who_does_not_decide_does_not_write(world, gate, name):
    actor = world.actor(getattr(world, name))
    calls = (
        lambda: remember(actor=actor, role_agent=world.it, content="Gate nine"),
        lambda: edit_memory(actor=actor, memory_id=gate.pk, content="Gate nine", revision=1),
        lambda: supersede(actor=actor, memory_id=gate.pk, content="Gate nine", revision=1),
        lambda: delete_memory(actor=actor, memory_id=gate.pk, revision=1),
        lambda: restore_memory(actor=actor, memory_id=gate.pk, revision=1),
    )
    for call in calls:
        with pytest.raises((Denied, NotFound)):
            call()
    assert list(Memory.objects.values_list("content", "status")) == [("Gate two", MemoryStatus.ACTIVE)]
    assert list(LearningEvent.objects.values_list("verb", flat=True)) == [Verb.MEMORY_SAVED]


def test_no_worker_writes_by_hand(world):
    with pytest.raises(Denied):
        remember(actor=worker_actor(world.acme.pk, world.it.pk), role_agent=world.it, content="Gate nine")


@pytest.mark.parametrize(("scope", "sensitive"), [("organization", False), ("role_agent", True)])
def test_what_only_admins_write(world, ada, scope, sensitive):
    with pytest.raises(Denied):
        remember(actor=ada, role_agent=world.it, content="Closed", scope=scope, sensitive=sensitive)
    saved = remember(
        actor=world.actor(world.adam), role_agent=world.it, content="Closed", scope=scope, sensitive=sensitive
    )
    assert saved.role_agent == (None if scope == "organization" else world.it)


def test_what_everyone_knows_needs_no_agent(world):
    saved = remember(actor=world.actor(world.olga), role_agent=None, content="Closed", scope="organization")
    assert (saved.organization, saved.role_agent) == (world.acme, None)
    assert LearningEvent.objects.get().role_agent_id is None
    with pytest.raises(NotFound):
        remember(actor=world.actor(world.olga), role_agent=None, content="Closed", scope="role_agent")


def test_the_person_must_be_the_agents_own(world, ada):
    with pytest.raises(NotFound):
        remember(actor=ada, role_agent=world.it, content="38", scope="person", person=proposals.person_of(world.hr))
    with pytest.raises(NotFound):
        remember(actor=ada, role_agent=world.it, content="38", scope="person")


# --- keys ---------------------------------------------------------------------------------------------------------
def test_a_key_holds_one_value_and_the_old_one_stays_readable(world, ada, gate):
    fresh = remember(actor=ada, role_agent=world.it, content="Gate three", key="gate")
    gate.refresh_from_db()
    assert (gate.status, gate.superseded_by) == (MemoryStatus.SUPERSEDED, fresh)
    assert last_verb() == Verb.MEMORY_SUPERSEDED
    assert Memory.objects.live().get() == fresh


def test_the_same_again_changes_nothing(world, ada, gate):
    before = LearningEvent.objects.count()
    assert remember(actor=ada, role_agent=world.it, content=" Gate two ", key="GATE") == gate
    assert (Memory.objects.count(), LearningEvent.objects.count()) == (1, before)


def test_owners_do_not_share_keys(world, ada, gate):
    person, other = proposals.person_of(world.it), proposals.person_of(world.it, "XYZ")
    for owner in ({"person": person, "scope": "person"}, {"person": other, "scope": "person"}):
        remember(actor=ada, role_agent=world.it, content="Gate nine", key="gate", **owner)
    remember(actor=world.actor(world.adam), role_agent=world.it, content="Gate ten", key="gate", scope="organization")
    assert Memory.objects.live().filter(key="gate").count() == 4


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": "\u0000 \n"}, "content"),
        ({"content": "x" * 1001}, "content"),
        ({"content": "38", "key": "größe"}, "key"),
        ({"content": "38", "key": "x" * 81}, "key"),
        ({"content": "38", "kind": "profile"}, "key"),
        ({"content": "38", "kind": "opinion"}, "kind"),
        ({"content": "38", "scope": "planet"}, "scope"),
    ],
)
def test_what_does_not_fit_is_refused_by_field(world, ada, words, field):
    with pytest.raises(Invalid) as caught:
        remember(actor=ada, role_agent=world.it, **words)
    assert list(caught.value.errors) == [field]
    assert not Memory.objects.exists()


# --- ceilings and secrets -----------------------------------------------------------------------------------------
def test_past_the_ceiling_a_write_is_refused_and_nothing_is_dropped(world, ada, gate):
    world.it.memory_limit = world.it.person_memory_limit = 1
    world.it.save()
    with pytest.raises(
        Full, match=re.escape("IT Agent has reached its ceiling of 1 memories. Delete or replace one first")
    ):
        remember(actor=ada, role_agent=world.it, content="One more")
    assert remember(actor=ada, role_agent=world.it, content="Gate three", key="gate").is_live  # takes no new place
    person = proposals.person_of(world.it)
    remember(actor=ada, role_agent=world.it, content="38", scope="person", person=person)
    with pytest.raises(Full):
        remember(actor=ada, role_agent=world.it, content="39", scope="person", person=person)


def test_a_secret_is_refused_on_every_way_in(world, ada, gate):
    words = "password is hunter2-Xy77qq"
    for call in (
        lambda: remember(actor=ada, role_agent=world.it, content=words),
        lambda: edit_memory(actor=ada, memory_id=gate.pk, content=words, revision=1),
        lambda: supersede(actor=ada, memory_id=gate.pk, content=words, revision=1),
    ):
        with pytest.raises(Refused):
            call()
        assert last_verb() == Verb.LEARNING_REFUSED
    assert not Memory.history.filter(content__contains="hunter2").exists()
    assert "hunter2" not in str(list(LearningEvent.objects.values()))


# --- changing -----------------------------------------------------------------------------------------------------
def test_mending_keeps_provenance_and_history(world, gate, ada):
    mended = edit_memory(actor=world.actor(world.adam), memory_id=gate.pk, content="Gate 2", revision=1)
    assert (mended.pk, mended.revision, mended.reviewer_label, mended.created_by_label) == (gate.pk, 2, "Adam", "Ada")
    steps = list(gate.history.order_by("history_id").values_list("content", "history_change_reason"))
    assert steps == [("Gate two", "Ada: saved"), ("Gate 2", "Adam: edited")]


def test_a_stale_picture_changes_nothing(world, gate, ada):
    edit_memory(actor=world.actor(world.adam), memory_id=gate.pk, content="Gate 2", revision=1)
    for call in (edit_memory, supersede):
        with pytest.raises(Conflict, match="changed since you opened it"):
            call(actor=ada, memory_id=gate.pk, content="Gate two!", revision=1)
    with pytest.raises(Conflict):
        delete_memory(actor=ada, memory_id=gate.pk, revision=1)
    gate.refresh_from_db()
    assert gate.content == "Gate 2" and gate.is_live


def test_replacing_keeps_scope_key_and_sensitivity(world):
    adam = world.actor(world.adam)
    old = remember(actor=adam, role_agent=world.it, content="Smith", key="boss", sensitive=True, risk="high")
    fresh = supersede(actor=adam, memory_id=old.pk, content="Miller", revision=1, reason="promoted")
    assert (fresh.key, fresh.sensitive, fresh.risk, fresh.role_agent) == ("boss", True, "high", world.it)
    assert LearningEvent.objects.get(verb=Verb.MEMORY_SUPERSEDED).reason == ""  # it is sensitive
    assert fresh.history.get().history_change_reason == "Adam: replaced an older memory: promoted"
    with pytest.raises(Invalid, match="this is what it says already"):
        supersede(actor=adam, memory_id=fresh.pk, content="Miller", revision=1)


def test_delete_and_restore(ada, gate, world):
    gone = delete_memory(actor=ada, memory_id=gate.pk, revision=1, reason="wrong")
    assert (gone.status, last_verb()) == (MemoryStatus.DELETED, Verb.MEMORY_DELETED)
    with pytest.raises(Conflict, match=re.escape("This memory is deleted already.")):
        delete_memory(actor=ada, memory_id=gate.pk, revision=2)
    back = restore_memory(actor=ada, memory_id=gate.pk, revision=2)
    assert (back.status, back.deleted_at, last_verb()) == (MemoryStatus.ACTIVE, None, Verb.MEMORY_RESTORED)
    with pytest.raises(Conflict, match="live already"):
        restore_memory(actor=ada, memory_id=gate.pk, revision=3)


def test_a_restored_memory_needs_its_key_and_room(ada, gate, world):
    fresh = remember(actor=ada, role_agent=world.it, content="Gate three", key="gate")
    gate.refresh_from_db()
    with pytest.raises(
        Conflict, match=re.escape("“gate” has a newer value. Delete that one first, then restore this.")
    ):
        restore_memory(actor=ada, memory_id=gate.pk, revision=gate.revision)
    delete_memory(actor=ada, memory_id=fresh.pk, revision=1)
    world.it.memory_limit = 1
    world.it.save()
    remember(actor=ada, role_agent=world.it, content="One more")
    with pytest.raises(Full):
        restore_memory(actor=ada, memory_id=gate.pk, revision=gate.revision)


# --- what is sensitive ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("content", ["He is away until May", "He is on holiday"])
def test_a_guess_at_a_sensitive_memory_is_not_confirmed(world, ada, content):
    adam = world.actor(world.adam)
    remember(actor=adam, role_agent=world.it, content="He is away until May", key="absence", sensitive=True)
    with pytest.raises(Denied):
        remember(actor=ada, role_agent=world.it, content=content, key="absence")


def test_a_guess_without_a_key_meets_nothing_either(world, ada):
    hidden = remember(
        actor=world.actor(world.adam), role_agent=world.it, content="He is away until May", sensitive=True
    )
    own = remember(actor=ada, role_agent=world.it, content="He is away until May")
    assert own != hidden and not own.sensitive


def test_the_same_words_can_become_sensitive(world, ada, gate):
    fresh = remember(actor=world.actor(world.adam), role_agent=world.it, content="Gate two", key="gate", sensitive=True)
    assert fresh != gate and fresh.sensitive
    assert Memory.objects.live().get() == fresh


def test_why_something_about_a_person_was_done_stays_where_erasing_reaches_it(world):
    said = "she moved to Lisbon"
    abc = proposals.person_of(world.shop)
    memory = remember(
        actor=world.actor(world.adam), role_agent=world.shop, content="38", key="size", scope="person", person=abc
    )
    newer = supersede(actor=world.actor(world.adam), memory_id=memory.pk, content="40", revision=1, reason=said)
    gone = delete_memory(actor=world.actor(world.adam), memory_id=newer.pk, revision=1, reason=said)
    assert said not in "".join(f"{event.reason}{event.details}" for event in LearningEvent.objects.all())
    assert [row.history_change_reason for row in gone.history.all()] == [
        f"Adam: deleted: {said}",
        f"Adam: replaced an older memory: {said}",
    ]


def test_a_reason_is_kept_by_the_audit_where_nobody_is_named_by_it(world):
    memory = remember(actor=world.actor(world.ada), role_agent=world.it, content="The printer is blue.")
    delete_memory(actor=world.actor(world.ada), memory_id=memory.pk, revision=1, reason="it was sold")
    assert LearningEvent.objects.get(verb=Verb.MEMORY_DELETED).reason == "it was sold"
