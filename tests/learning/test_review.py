"""Deciding: one decision holds, whoever comes second is told, and an undo leaves nothing behind. Ada manages IT."""

import re
from uuid import uuid4

import pytest

from digitalworker.agents import policies
from digitalworker.agents.choices import Role
from digitalworker.agents.models import Membership
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Full, Invalid, NotFound, Refused
from digitalworker.common.types import system_actor, worker_actor
from learning.actions.propose import Proposal, propose
from learning.actions.remember import remember
from learning.actions.review import approve, edit, reject, reopen
from learning.choices import ItemKind, ItemStatus, MemoryScope, MemoryStatus
from learning.models import LearningItem, Memory
from learning.policies import TRANSITIONS, allowed_actions, require_transition
from tests.learning import proposals

pytestmark = pytest.mark.django_db


def let_in(actor, item, **more) -> LearningItem:
    return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **more)


def turn_down(actor, item, **more) -> LearningItem:
    return reject(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **more)


def verbs() -> list[str]:
    return list(LearningEvent.objects.order_by("id").values_list("verb", flat=True))


# --- who may ------------------------------------------------------------------------------------------------------
ANYBODY = ("ada", "adam", "olga", "ben", "cleo", "dan", "gus")


@pytest.mark.parametrize("name", ANYBODY)
@pytest.mark.parametrize(
    ("what", "deciders", "readers"),
    [
        ("of the agent", {"ada", "adam", "olga"}, {"cleo"}),
        ("about a person", {"ada", "adam", "olga"}, {"cleo"}),
        ("sensitive", {"adam", "olga"}, {"ada", "cleo"}),
        ("for everyone", {"adam", "olga"}, {"ada", "cleo"}),
    ],
)
@pytest.mark.parametrize("decide", [let_in, turn_down])
def test_who_decides_what(world, name, what, deciders, readers, decide):
    item = {
        "of the agent": lambda: proposals.pending(world.it, "The printer is on floor two"),
        "about a person": lambda: proposals.size_of_abc(world.it),
        "sensitive": lambda: proposals.pending(world.it, "The boss is ill", sensitive=True),
        "for everyone": lambda: proposals.pending(world.it, "Closed on Friday", scope=MemoryScope.ORGANIZATION),
    }[what]()
    actor = world.actor(getattr(world, name))
    if name in deciders:
        assert decide(actor, item).status in {ItemStatus.APPROVED, ItemStatus.REJECTED}
        return
    with pytest.raises(Denied if name in readers else NotFound):
        decide(actor, item)
    item.refresh_from_db()
    assert item.is_pending and not Memory.objects.exists()
    assert verbs() == [Verb.LEARNING_PROPOSED]
    assert allowed_actions(actor, item) == []


@pytest.mark.parametrize("make", [lambda w: worker_actor(w.acme.pk, w.it.pk), lambda w: system_actor(w.acme.pk)])
def test_no_machine_decides(world, size, make):
    with pytest.raises(Denied, match=re.escape("Only a manager of IT Agent, an admin or an owner may decide this.")):
        let_in(make(world), size)


def test_rights_are_those_of_this_moment(world, size, ada):
    policies.revoke_manager(world.ada, world.it)
    with pytest.raises(NotFound):
        let_in(ada, size)
    adam = world.actor(world.adam)
    Membership.objects.filter(user=world.adam).update(role=Role.MEMBER)
    hidden = proposals.pending(world.it, "The boss is ill", sensitive=True)
    with pytest.raises(Denied, match=re.escape("This is sensitive; an owner or an admin decides it.")):
        let_in(adam, hidden)


# --- approving ----------------------------------------------------------------------------------------------------
def test_an_approval_makes_one_memory_that_knows_its_past(size, ada, world):
    item = let_in(ada, size, reason="she said so")
    memory = Memory.objects.get()
    assert (memory.scope, memory.kind, memory.key, memory.content) == ("person", "profile", "size", "38")
    assert (memory.item_id, memory.event_id, memory.person_id) == (size.pk, size.event_id, size.person_id)
    assert (memory.reviewer_label, memory.created_by_label) == ("Ada", "IT Agent")
    assert (item.status, item.memory_id, item.decided_by_label, item.decision_reason) == (
        ItemStatus.APPROVED, memory.pk, "Ada", "she said so",
    )  # fmt: skip
    event = LearningEvent.objects.get(verb=Verb.APPROVED)
    assert event.details == {"memory": str(memory.pk), "edited": False}
    assert event.source_refs[0]["id"] == str(size.event_id)
    assert "38" not in event.object_label and set(event.source_refs[0]) == {"type", "id", "thread", "start", "end"}


def test_an_approval_replaces_what_its_key_held(world, ada):
    old = proposals.known(world.it, "Hamburg", key="ships_from")
    item = proposals.pending(world.it, "Rotterdam", key="ships_from")
    let_in(ada, item)
    old.refresh_from_db()
    assert (old.status, old.superseded_by) == (MemoryStatus.SUPERSEDED, Memory.objects.live().get())


def test_edit_and_approve_changes_words_but_never_scope_or_person(world, size, ada):
    changes = {"content": "39", "kind": "fact", "scope": "organization", "person": None, "role_agent": None}
    item = let_in(ada, size, edited=changes)
    memory = Memory.objects.get()
    assert (memory.content, memory.kind, memory.scope, memory.person_id) == ("39", "fact", "person", size.person_id)
    assert item.edited and item.digest == memory.digest
    assert LearningEvent.objects.get(verb=Verb.APPROVED).details["edited"] is True


def test_an_approval_is_of_the_text_that_was_read(size, ada, world):
    edit(actor=world.actor(world.adam), item_id=size.pk, revision=size.revision, changes={"content": "40"})
    with pytest.raises(
        Conflict, match=re.escape("Adam edited this meanwhile. Read it again, then decide. Nothing was changed.")
    ):
        let_in(ada, size)
    with pytest.raises(Conflict):  # the right revision of another text
        approve(actor=ada, item_id=size.pk, revision=size.revision + 1, digest_seen=size.digest)
    assert not Memory.objects.exists()


def test_what_is_added_meanwhile_as_evidence_does_not_stop_a_decision(world, size, ada):
    again = proposals.said(world.it, "as I said, my size is 38", person=size.person)
    proposals.pending(world.it, "38", key="size", kind="profile", person=size.person, event=again)
    assert let_in(ada, size).evidence_count == 2


def test_a_secret_typed_at_approval_is_refused_and_kept_nowhere(size, ada):
    with pytest.raises(Refused):
        let_in(ada, size, edited={"content": "password is hunter2-Xy77qq"})
    size.refresh_from_db()
    assert size.is_pending and not Memory.objects.exists()
    assert verbs()[-1] == Verb.LEARNING_REFUSED


def test_no_room_no_memory_and_the_item_waits_on(world, ada):
    world.it.memory_limit = 1
    world.it.save()
    proposals.known(world.it, "The old printer is green")
    item = proposals.pending(world.it, "The printer is on floor two")
    with pytest.raises(Full, match="ceiling of 1 memories"):
        let_in(ada, item)
    item.refresh_from_db()
    assert item.is_pending and Memory.objects.count() == 1
    assert verbs() == [Verb.LEARNING_PROPOSED]


def test_an_approval_does_not_replace_a_sensitive_memory_behind_a_managers_back(world, ada):
    proposals.known(world.it, "Smith, who is ill", key="boss", sensitive=True)
    item = proposals.pending(world.it, "Miller", key="boss")
    with pytest.raises(Denied, match="This is sensitive"):
        let_in(ada, item)
    assert let_in(world.actor(world.adam), item).memory.content == "Miller"


# --- the second of two --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("first", "did"), [(let_in, "approved"), (turn_down, "rejected")])
@pytest.mark.parametrize("second", [let_in, turn_down])
def test_the_second_is_told_who_did_what(world, size, ada, first, did, second):
    first(world.actor(world.adam), size)
    before = verbs()
    with pytest.raises(Conflict) as caught:
        second(ada, size)
    assert caught.value.detail == f"Adam {did} this already. Nothing was changed."
    assert caught.value.extra["decided_by"] == "Adam"
    assert verbs() == before


@pytest.mark.parametrize("name", TRANSITIONS)
@pytest.mark.parametrize("status", ItemStatus.values)
@pytest.mark.parametrize("kind", ItemKind.values)
@pytest.mark.parametrize("sensitive", [False, True])
@pytest.mark.parametrize("about", ["the agent", "a person"])
def test_the_table_says_what_can_be_done_in_which_state(name, status, kind, sensitive, about):
    person_id = uuid4() if about == "a person" else None
    item = LearningItem(status=status, kind=kind, sensitive=sensitive, person_id=person_id)
    transition = TRANSITIONS[name]
    allowed = status in transition.sources
    allowed &= name != "mark_sensitive" or not sensitive
    allowed &= name != "unmark_sensitive" or sensitive
    allowed &= name != "convert" or (about == "the agent" and kind in {"memory_proposal", "skill_proposal"})
    assert transition.fits(item) is allowed
    if allowed:
        assert require_transition(item, name) is transition
    else:
        with pytest.raises(Conflict):
            require_transition(item, name)


# --- rejecting ----------------------------------------------------------------------------------------------------
def test_a_rejection_keeps_its_reason_and_learns_nothing(size, ada, world):
    item = turn_down(ada, size, reason="asked for a friend")
    assert (item.status, item.decision_reason) == (ItemStatus.REJECTED, "asked for a friend")
    assert not Memory.objects.exists()
    again = proposals.pending(world.it, "38", key="size", kind="profile", person=size.person)
    assert again is None  # the same words are not asked about again for a while


def test_too_long_a_reason_is_refused_not_cut(size, ada):
    with pytest.raises(Invalid, match="501 characters are too many"):
        turn_down(ada, size, reason="x" * 501)
    size.refresh_from_db()
    assert size.is_pending


# --- editing ------------------------------------------------------------------------------------------------------
def test_an_edit_leaves_it_pending_under_a_new_revision(size, ada):
    item = edit(actor=ada, item_id=size.pk, revision=size.revision, changes={"content": "39"})
    assert (item.is_pending, item.edited, item.revision) == (True, True, size.revision + 1)
    assert item.digest != size.digest and not Memory.objects.exists()
    assert [row.proposed_payload["content"] for row in item.history.order_by("history_id")] == ["38", "39"]


def test_an_edit_that_changes_nothing_is_none(size, ada):
    item = edit(actor=ada, item_id=size.pk, revision=size.revision, changes={"content": " 38 "})
    assert item.revision == size.revision and verbs() == [Verb.LEARNING_PROPOSED]


def test_an_edit_may_not_end_in_what_another_item_says(world, ada):
    proposals.pending(world.it, "The printer is on floor two")
    item = proposals.pending(world.it, "The printer is on floor three")
    with pytest.raises(Conflict, match=re.escape("Another pending item says exactly this already.")):
        edit(actor=ada, item_id=item.pk, revision=item.revision, changes={"content": "the printer is on floor TWO"})
    item.refresh_from_db()
    assert item.proposed_payload["content"] == "The printer is on floor three"


def test_a_decided_item_is_not_edited(size, ada):
    turn_down(ada, size)
    with pytest.raises(Conflict, match="Ada rejected this already"):
        edit(actor=ada, item_id=size.pk, revision=None, changes={"content": "39"})


# --- undo ---------------------------------------------------------------------------------------------------------
def test_reopening_an_approval_takes_its_memory_out_and_gives_the_key_back(world, ada):
    old = proposals.known(world.it, "Hamburg", key="ships_from")
    item = let_in(ada, proposals.pending(world.it, "Rotterdam", key="ships_from"))
    fresh = item.memory
    item = reopen(actor=ada, item_id=item.pk, revision=item.revision)
    old.refresh_from_db()
    fresh.refresh_from_db()
    assert (item.status, item.decided_by_label, item.memory) == (ItemStatus.PENDING, "", None)
    assert (old.status, fresh.status) == (MemoryStatus.ACTIVE, MemoryStatus.DELETED)
    assert LearningEvent.objects.get(verb=Verb.REOPENED).details == {"withdrawn": str(fresh.pk)}
    assert let_in(ada, item).memory.content == "Rotterdam"


def test_an_approval_that_found_it_known_takes_nothing_out(world, ada):
    item = proposals.pending(world.it, "The printer is on floor two")
    known = proposals.known(world.it, "The printer is on floor two")
    item = let_in(ada, item)
    assert item.memory_id == known.pk
    reopen(actor=ada, item_id=item.pk, revision=item.revision)
    known.refresh_from_db()
    assert known.is_live


def test_reopening_after_the_memory_was_replaced_leaves_the_newer_one(world, ada):
    item = let_in(ada, proposals.pending(world.it, "Rotterdam", key="ships_from"))
    newer = let_in(ada, proposals.pending(world.it, "Antwerp", key="ships_from")).memory
    reopen(actor=ada, item_id=item.pk, revision=item.revision)
    newer.refresh_from_db()
    assert newer.is_live


def test_reopening_twice_or_while_it_was_proposed_anew_is_a_conflict(world, size, ada):
    item = turn_down(ada, size)
    reopen(actor=ada, item_id=item.pk, revision=item.revision)
    with pytest.raises(Conflict):
        reopen(actor=ada, item_id=item.pk, revision=item.revision)
    # Turned down and edited apart, then the first words are proposed again.
    size.refresh_from_db()
    item = let_in(ada, size)
    Memory.objects.update(status=MemoryStatus.DELETED)
    proposals.pending(world.it, "38", key="size", kind="profile", person=size.person)
    with pytest.raises(Conflict, match=re.escape("The same thing was proposed again meanwhile.")):
        reopen(actor=ada, item_id=item.pk, revision=item.revision)


@pytest.mark.parametrize("name", ["ben", "cleo", "dan", "gus"])
def test_who_may_not_decide_may_not_undo(world, size, ada, name):
    item = let_in(ada, size)
    with pytest.raises((Denied, NotFound)):
        reopen(actor=world.actor(getattr(world, name)), item_id=item.pk, revision=item.revision)
    assert Memory.objects.get().is_live


def test_undoing_two_approvals_of_one_key_brings_back_neither(world, ada):
    """Whichever is undone first: no prompt holds words whose approval was taken back."""
    worker = worker_actor(world.acme.pk, world.it.pk)
    for order in (1, -1):
        Memory.objects.all().delete()
        by_hand = remember(actor=ada, role_agent=world.it, content="Gate one", key="gate")
        items = []
        for words in ("Gate two", "Gate three"):
            said = Proposal(scope="role_agent", kind="fact", key="gate", content=f"{words} {order}")
            items.append(let_in(ada, propose(actor=worker, role_agent=world.it, proposal=said).item))
        for item in items[::order]:
            reopen(actor=ada, item_id=item.pk, revision=item.revision)
            assert not Memory.objects.live().filter(item__status=ItemStatus.PENDING).exists()
        assert Memory.objects.live().get() == by_hand
