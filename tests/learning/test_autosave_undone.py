"""What was saved without asking and is undone, or kept."""

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict, Denied, NotFound
from learning.actions import _same
from learning.actions.autosave import keep_autosave, undo_autosave
from learning.actions.remember import delete_memory, remember, restore_memory
from learning.actions.review import approve, reject, reopen
from learning.actions.transfer import import_memories
from learning.choices import ItemStatus, MemoryStatus, Outcome
from learning.models import LearningItem, Memory
from learning.portable import Row

from .hearing import heard, saved, told
from .test_autosave import GATEWAY, NEXT, approved, known


@pytest.fixture
def it(world):
    return world.it


# --- undone -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "error"), [("cleo", Denied), ("ben", NotFound), ("dan", NotFound), ("gus", NotFound)])
def test_who_does_not_decide_for_the_agent_undoes_and_keeps_nothing(world, it, who, error):
    memory = saved(it, GATEWAY, by=world.dan)
    actor = world.actor(getattr(world, who))
    for act in (undo_autosave, keep_autosave):
        with pytest.raises(error):
            act(actor=actor, memory_id=memory.pk, revision=1)
    assert known(it) == {GATEWAY}


def test_undo_brings_back_what_it_had_replaced(world, it):
    first = saved(it, GATEWAY, by=world.dan)
    second = saved(it, NEXT, by=world.dan)
    undone = undo_autosave(actor=world.actor(world.ada), memory_id=second.pk, revision=1)
    assert (undone.status, undone.revision, known(it)) == (MemoryStatus.DELETED, 2, {GATEWAY})
    told_ = LearningEvent.objects.latest("id")
    assert told_.sentence == "Ada undid a fact for the agent that was saved without asking"
    assert told_.details == {"restored": [str(first.pk)]}
    steps = undone.history.values_list("history_change_reason", flat=True)
    assert steps[0] == "Ada: saving undone"


def test_undoing_one_that_was_replaced_since_leaves_the_newest_and_its_undo_skips_it(world, it):
    first = saved(it, GATEWAY, by=world.dan)
    second = saved(it, NEXT, by=world.dan)
    third = saved(it, "The London office uses gateway 9", by=world.dan)
    second.refresh_from_db()
    undo_autosave(actor=world.actor(world.ada), memory_id=second.pk, revision=second.revision)
    assert known(it) == {third.content}
    undo_autosave(actor=world.actor(world.ada), memory_id=third.pk, revision=1)
    assert known(it) == {first.content}


def test_the_same_words_are_dropped_for_a_month_after_an_undo(world, it):
    memory = saved(it, GATEWAY, by=world.dan)
    undo_autosave(actor=world.actor(world.ada), memory_id=memory.pk, revision=1)
    assert heard(it, told(it, "London office uses gateway two", by=world.dan)) == (None, None, Outcome.KNOWN)
    assert heard(it, told(it, GATEWAY, by=world.ben, verified=False)) == (None, None, Outcome.KNOWN)
    assert known(it) == set() and not LearningItem.objects.exists()
    saved(it, NEXT, by=world.dan)  # other words are other words
    past = memory.created_at - _same.REFUSAL_HOLDS * 2
    Memory.objects.filter(pk=memory.pk).update(deleted_at=past)
    assert heard(it, told(it, GATEWAY, by=world.dan)).outcome == Outcome.SAVED


@pytest.mark.parametrize("heard_with", [None, "london_gateway"])
@pytest.mark.parametrize("made", ["by hand", "saved and kept", "approved", "under a key"])
def test_what_a_person_deleted_is_neither_saved_nor_asked_about_for_a_month(world, it, made, heard_with):
    """However it came to be known, and whether or not it is heard under a name."""
    ada = world.actor(world.ada)
    if made == "saved and kept":
        memory = keep_autosave(actor=ada, memory_id=saved(it, GATEWAY, by=world.dan).pk, revision=1)
    elif made == "approved":
        memory = approved(world, it, None)
    else:
        key = "london_gateway" if made == "under a key" else None
        memory = remember(actor=ada, role_agent=it, content=GATEWAY, key=key)
    delete_memory(actor=ada, memory_id=memory.pk, revision=memory.revision)
    for verified in (True, False):
        again = told(it, "the london office uses gateway two.", by=world.ben, verified=verified)
        assert heard(it, again, key=heard_with) == (None, None, Outcome.KNOWN)
    assert known(it) == set() and not LearningItem.objects.filter(status=ItemStatus.PENDING).exists()
    Memory.objects.filter(pk=memory.pk).update(deleted_at=memory.created_at - _same.REFUSAL_HOLDS * 2)
    assert heard(it, told(it, GATEWAY, by=world.dan), key=heard_with).outcome == Outcome.SAVED


@pytest.mark.parametrize("how", ["deleted", "rejected"])
def test_what_a_person_turned_down_for_the_organisation_no_agent_asks_about_again(world, it, how):
    everyones = {"scope": "organization", "content": GATEWAY}
    adam = world.actor(world.adam)
    item = heard(it, told(it, GATEWAY, by=world.dan), **everyones).item
    if how == "deleted":
        memory = approve(actor=adam, item_id=item.pk, revision=1, digest_seen=item.digest).memory
        delete_memory(actor=adam, memory_id=memory.pk, revision=1)
    else:
        reject(actor=adam, item_id=item.pk, revision=1)
    for agent in (it, world.hr):
        assert heard(agent, told(agent, GATEWAY, by=world.dan), **everyones) == (None, None, Outcome.KNOWN)
    assert heard(world.hr, told(world.hr, GATEWAY, by=world.dan)).outcome == Outcome.SAVED  # of another owner


def test_an_approval_that_was_undone_waits_again_and_gains_evidence(world, it):
    memory = approved(world, it, None)
    item = reopen(actor=world.actor(world.ada), item_id=memory.item_id, revision=2)
    assert heard(it, told(it, GATEWAY, by=world.ben)) == (item, None, Outcome.KNOWN)
    item.refresh_from_db()
    assert item.evidence_count == 2


def test_a_rejected_proposal_is_not_saved_either(world, it):
    item = heard(it, told(it, GATEWAY, by=world.dan, verified=False)).item
    reject(actor=world.actor(world.ada), item_id=item.pk, revision=1)
    assert heard(it, told(it, GATEWAY, by=world.dan)) == (None, None, Outcome.KNOWN)


def test_undo_is_for_what_was_saved_without_asking_and_for_what_one_saw(world, it):
    ada = world.actor(world.ada)
    by_ada = remember(actor=ada, role_agent=it, content="Badges come from Facilities")
    with pytest.raises(Conflict, match=r"A person let this in, so there is nothing to undo\. Delete it instead\."):
        undo_autosave(actor=ada, memory_id=by_ada.pk, revision=1)
    memory = saved(it, GATEWAY, by=world.dan)
    keep_autosave(actor=ada, memory_id=memory.pk, revision=1)
    with pytest.raises(Conflict, match="changed since you opened it"):
        undo_autosave(actor=ada, memory_id=memory.pk, revision=1)
    undo_autosave(actor=ada, memory_id=memory.pk, revision=2)
    with pytest.raises(Conflict, match=r"This is undone or deleted already\. Nothing was changed\."):
        undo_autosave(actor=ada, memory_id=memory.pk, revision=3)
    assert LearningEvent.objects.filter(verb="autosave_undone").count() == 1


def test_keeping_is_a_persons_word_and_is_given_once(world, it):
    memory = saved(it, GATEWAY, by=world.dan)
    kept_one = keep_autosave(actor=world.actor(world.ada), memory_id=memory.pk, revision=1)
    assert (kept_one.reviewer_label, kept_one.revision, kept_one.autosaved) == ("Ada", 2, True)
    told_ = LearningEvent.objects.latest("id")
    assert told_.sentence == "Ada kept a fact for the agent that was saved without asking"
    with pytest.raises(Conflict, match=r"Ada looked at this already\. Nothing was changed\."):
        keep_autosave(actor=world.actor(world.olga), memory_id=memory.pk, revision=2)


def written(world, it):
    remember(actor=world.actor(world.ada), role_agent=it, content=GATEWAY)


def imported(world, it):
    row = Row("role_agent", "fact", None, GATEWAY, "low", sensitive=False)
    report = import_memories(actor=world.actor(world.ada), role_agent=it, rows=[(1, row)])
    assert report.unchanged == 1


def edited_and_approved(world, it):
    item = heard(it, told(it, "Ask Ben about cables", by=world.dan, verified=False)).item
    seen = {"item_id": item.pk, "revision": 1, "digest_seen": item.digest, "edited": {"content": GATEWAY}}
    approve(actor=world.actor(world.ada), **seen)


@pytest.mark.parametrize("agrees", [written, imported, edited_and_approved])
def test_who_says_themself_what_was_saved_without_asking_keeps_it(world, it, agrees):
    memory = saved(it, GATEWAY, by=world.dan)
    agrees(world, it)
    memory.refresh_from_db()
    assert (memory.reviewer_label, memory.reviewer, memory.revision) == ("Ada", world.ada, 2)
    assert memory.reviewed_at is not None and Memory.objects.count() == 1
    assert memory.history.values_list("history_change_reason", flat=True)[0] == "Ada: kept"
    sentence = "Ada kept a fact for the agent that was saved without asking"
    assert [row.sentence for row in LearningEvent.objects.filter(verb="autosave_kept")] == [sentence]
    agrees_again = remember(actor=world.actor(world.olga), role_agent=it, content=GATEWAY)
    assert (agrees_again.reviewer_label, agrees_again.revision) == ("Ada", 2)
    assert heard(it, told(it, NEXT, by=world.dan)).outcome == Outcome.PROPOSED


def test_a_restored_one_is_known_again_although_it_was_undone(world, it):
    ada = world.actor(world.ada)
    memory = saved(it, GATEWAY, by=world.dan)
    undo_autosave(actor=ada, memory_id=memory.pk, revision=1)
    restore_memory(actor=ada, memory_id=memory.pk, revision=2)
    assert known(it) == {GATEWAY}
    assert heard(it, told(it, GATEWAY, by=world.dan)).memory == memory
