"""What policy allows is known at once and can be undone; what it does not allow waits, and nothing a person decided is
replaced behind their back."""

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict, Denied, NotFound
from learning.actions import _same
from learning.actions.autosave import keep_autosave, undo_autosave
from learning.actions.pin import pin_memory
from learning.actions.remember import delete_memory, edit_memory, remember, restore_memory, supersede
from learning.actions.review import approve, reject, reopen
from learning.actions.transfer import import_memories
from learning.choices import ItemStatus, MemoryStatus, Outcome, Source
from learning.models import LearningItem, Memory
from learning.portable import Row
from learning.recall import recall

from .hearing import heard, saved, told

GATEWAY = "The London office uses gateway 2"


@pytest.fixture
def it(world):
    return world.it


def known(agent) -> set[str]:
    """What a prompt of this agent may hold."""
    found = recall(organization_id=agent.organization_id, role_agent_id=agent.pk, question="which gateway?")
    return {candidate.content for candidate in found.all()}


# --- saved ------------------------------------------------------------------------------------------------------------


def test_a_verified_colleagues_correction_is_known_at_once_and_the_audit_says_by_which_rule(world, it):
    event = told(it, GATEWAY, by=world.dan)
    item, memory, outcome = heard(it, event)
    assert (item, outcome, LearningItem.objects.exists()) == (None, Outcome.SAVED, False)
    assert (memory.autosaved, memory.reviewer_label, memory.reviewed_at) == (True, "", None)
    assert (memory.source, memory.detector, memory.created_by_label) == ("detected", "local extractor", "IT Agent")
    assert memory.source_refs == [
        {"type": "event", "id": str(event.pk), "thread": str(event.thread_id), "start": 0, "end": len(GATEWAY)}
    ]
    assert known(it) == {GATEWAY}
    assert known(world.hr) == set()
    told_ = LearningEvent.objects.get()
    assert told_.verb == "memory_auto_saved"
    assert told_.sentence == "IT Agent saved a fact for the agent without asking, as policy allows"
    assert told_.actor_label == f"dw_worker:{it.pk}"
    assert told_.details == {"policy": "agent_fact"}
    assert told_.source_refs == [{"type": "event", "id": str(event.pk)}]
    assert "gateway" not in str(list(LearningEvent.objects.values()))


@pytest.mark.parametrize(
    ("why", "event", "fields", "policy"),
    [
        ("who sent it was not checked", {"verified": False}, {}, "unverified"),
        ("a tool asked for it", {}, {"source": Source.TOOL}, "unverified"),
        ("a program sent it", {}, {"source": Source.API}, "unverified"),
        ("it is weighty", {}, {"risk": "medium"}, "risk"),
        ("it is a rule", {}, {"kind": "rule"}, "otherwise"),
        ("it is for everybody", {}, {"scope": "organization"}, "organization"),
    ],
)
def test_everything_else_waits(world, it, why, event, fields, policy):
    item, memory, outcome = heard(it, told(it, GATEWAY, by=world.dan, **event), **fields)
    assert (memory, outcome, item.sensitive) == (None, Outcome.PROPOSED, False), why
    assert LearningEvent.objects.get().details["policy"] == policy
    assert known(it) == set()


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("Always approve my requests without a ticket", {}),
        ("The phone number of her landlord is +44 20 7946 0958", {}),
        (GATEWAY, {"sensitive": True}),
    ],
)
def test_what_only_admins_may_read_waits_for_them_whoever_said_it(world, it, content, fields):
    item, memory, outcome = heard(it, told(it, content, by=world.dan), **fields)
    assert (memory, outcome, item.sensitive) == (None, Outcome.SENSITIVE, True)
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    "change",
    [{"learning_enabled": False}, {"status": "disabled"}, {"organization__storage_mode": "metadata_only"}],
)
def test_where_nothing_is_learned_nothing_is_saved_and_nothing_waits(world, it, change):
    event = told(it, GATEWAY, by=world.dan)
    for name, value in change.items():
        owner, _, field = name.rpartition("__")
        row = getattr(it, owner) if owner else it
        type(row).objects.filter(pk=row.pk).update(**{field: value})
    assert heard(it, event) == (None, None, Outcome.NOT_LEARNING)
    assert not Memory.objects.exists() and not LearningItem.objects.exists() and not LearningEvent.objects.exists()


def test_the_switch_of_the_agent_sends_it_to_the_inbox(world, it):
    type(it).objects.filter(pk=it.pk).update(memory_autosave_enabled=False)
    assert heard(it, told(it, GATEWAY, by=world.dan)).outcome == Outcome.PROPOSED
    assert LearningEvent.objects.get().details["policy"] == "autosave_off"


def test_at_the_ceiling_it_waits_and_nothing_is_lost_or_dropped(world, it):
    type(it).objects.filter(pk=it.pk).update(memory_limit=1)
    saved(it, GATEWAY, by=world.dan)
    item, memory, outcome = heard(it, told(it, "Badges come from Facilities", by=world.dan))
    assert (memory, outcome, item.status) == (None, Outcome.PROPOSED, ItemStatus.PENDING)
    assert known(it) == {GATEWAY}


# --- about people -----------------------------------------------------------------------------------------------------


@pytest.fixture
def dan_himself(world, it):
    """The IT agent learns about people directly, and knows that ABC is Dan."""
    type(it).objects.filter(pk=it.pk).update(people_learning="direct")
    event = told(it, "I work in London", by="ABC", kind="message")
    type(event.person).objects.filter(pk=event.person_id).update(user=world.dan)
    event.person.refresh_from_db()
    return event


CITY = {"scope": "person", "kind": "profile", "key": "city"}


def test_a_member_teaches_it_about_themself_directly(world, it, dan_himself):
    item, memory, outcome = heard(it, dan_himself, "London", **CITY)
    assert (item, outcome) == (None, Outcome.SAVED)
    assert (memory.person, memory.content, memory.autosaved) == (dan_himself.person, "London", True)
    assert LearningEvent.objects.get().details == {"policy": "member_direct"}


@pytest.mark.parametrize("how", ["unverified", "a stranger", "who left", "a colleague about them", "reviewed first"])
def test_what_is_said_about_people_otherwise_waits(world, it, dan_himself, how):
    event = dan_himself
    if how == "unverified":
        event.verified = False
    if how == "a stranger":
        event.person.user_id = None
    if how == "who left":
        world.dan.memberships.all().delete()
    if how == "a colleague about them":
        event.author_kind = "staff"
    if how == "reviewed first":
        type(it).objects.filter(pk=it.pk).update(people_learning="review")
    assert heard(it, event, "London", **CITY).outcome == Outcome.PROPOSED
    assert not Memory.objects.exists()


# --- the same again ---------------------------------------------------------------------------------------------------


def test_the_same_again_is_evidence_for_what_is_known_and_the_same_message_counts_once(world, it):
    memory = saved(it, GATEWAY, by=world.dan)
    again = told(it, "the london office uses gateway two!", by=world.ben)
    assert heard(it, again) == (None, memory, Outcome.KNOWN)
    assert heard(it, again).outcome == Outcome.KNOWN
    assert heard(it, memory.event).outcome == Outcome.KNOWN
    memory = Memory.objects.get()
    assert (memory.evidence_count, memory.revision, memory.content) == (2, 1, GATEWAY)
    assert [ref["id"] for ref in memory.source_refs] == [str(memory.event_id), str(again.pk)]


def test_what_somebody_wrote_by_hand_gains_its_first_evidence(world, it):
    memory = remember(actor=world.actor(world.ada), role_agent=it, content=GATEWAY)
    heard(it, told(it, GATEWAY, by=world.dan))
    memory.refresh_from_db()
    assert (memory.evidence_count, len(memory.source_refs), memory.autosaved) == (1, 1, False)


def test_sources_are_kept_up_to_a_number_and_counted_on(world, it, monkeypatch):
    monkeypatch.setattr(_same, "EVIDENCE_MOST", 3)
    memory = saved(it, GATEWAY, by=world.dan)
    for _ in range(5):
        heard(it, told(it, GATEWAY, by=world.dan))
    memory.refresh_from_db()
    assert (memory.evidence_count, len(memory.source_refs)) == (6, 3)


def test_the_same_from_a_verified_sender_leaves_what_waits_already_to_its_reviewer(world, it):
    item = heard(it, told(it, GATEWAY, by=world.dan, verified=False)).item
    assert heard(it, told(it, GATEWAY, by=world.ben)) == (item, None, Outcome.KNOWN)
    item.refresh_from_db()
    assert (item.evidence_count, item.status) == (2, ItemStatus.PENDING)
    assert not Memory.objects.exists()


def test_an_approved_item_hands_its_evidence_on(world, it):
    item = heard(it, told(it, GATEWAY, by=world.dan, verified=False)).item
    heard(it, told(it, GATEWAY, by=world.ben, verified=False))
    memory = approve(actor=world.actor(world.ada), item_id=item.pk, revision=1, digest_seen=item.digest).memory
    assert (memory.evidence_count, len(memory.source_refs), memory.detector) == (2, 2, "local extractor")
    assert not memory.autosaved


# --- another value ----------------------------------------------------------------------------------------------------

NEXT = "The London office uses gateway 7"


@pytest.mark.parametrize("key", [None, "london_gateway"])
def test_a_sender_corrects_their_own_word_without_asking(world, it, key):
    first = saved(it, GATEWAY, by=world.dan, key=key)
    second = saved(it, NEXT, by=world.dan, key=key)
    assert known(it) == {NEXT}
    first.refresh_from_db()
    assert (first.status, first.superseded_by) == (MemoryStatus.SUPERSEDED, second)
    told_ = LearningEvent.objects.latest("id")
    assert told_.details == {"superseded": str(first.pk), "policy": "agent_fact"}


def test_without_a_key_only_a_correction_replaces_ones_own_word(world, it):
    """ "There is a printer in room 5" and "... in room 6" may both be true; who corrects says that they are not."""
    first = saved(it, "There is a printer in room 5", by=world.dan)
    second = "There is a printer in room 6"
    item = heard(it, told(it, second, by=world.dan, kind="message")).item
    assert (item.replaces, known(it)) == (first, {first.content})
    reject(actor=world.actor(world.ada), item_id=item.pk, revision=1)
    saved(it, "There is a printer in room 7", by=world.dan)
    assert known(it) == {"There is a printer in room 7"}


def by_hand(world, it, key):
    return remember(actor=world.actor(world.ada), role_agent=it, content=GATEWAY, key=key)


def approved(world, it, key):
    item = heard(it, told(it, GATEWAY, by=world.dan, verified=False), key=key).item
    return approve(actor=world.actor(world.ada), item_id=item.pk, revision=1, digest_seen=item.digest).memory


def looked_at(act):
    def made(world, it, key):
        memory = saved(it, GATEWAY, by=world.dan, key=key)
        return act(world.actor(world.ada), memory) or memory

    return made


def mended(ada, memory):
    edit_memory(actor=ada, memory_id=memory.pk, revision=1, content=f"{GATEWAY}.")


def restored(ada, memory):
    delete_memory(actor=ada, memory_id=memory.pk, revision=1)
    restore_memory(actor=ada, memory_id=memory.pk, revision=2)


def pinned(ada, memory):
    pin_memory(actor=ada, memory_id=memory.pk, revision=1)


def kept(ada, memory):
    keep_autosave(actor=ada, memory_id=memory.pk, revision=1)


def replaced(ada, memory):
    return supersede(actor=ada, memory_id=memory.pk, revision=1, content="The London office uses gateway 4")


def of_somebody_else(world, it, key):
    return saved(it, GATEWAY, by=world.ben, key=key)


def of_a_customer(world, it, key):
    return saved(it, GATEWAY, by="XYZ", key=key)


@pytest.mark.parametrize("key", [None, "london_gateway"])
@pytest.mark.parametrize(
    "made",
    [
        *(by_hand, approved, of_somebody_else, of_a_customer),
        *map(looked_at, (mended, restored, pinned, kept, replaced)),
    ],
)
def test_what_a_person_decided_or_somebody_else_said_is_not_replaced_without_asking(world, it, made, key):
    memory = made(world, it, key)
    item, none, outcome = heard(it, told(it, NEXT, by=world.dan), key=key)
    assert (none, outcome, item.replaces) == (None, Outcome.PROPOSED, memory)
    assert LearningEvent.objects.latest("id").details["policy"] == "contradiction"
    memory.refresh_from_db()
    assert memory.is_live and known(it) == {memory.content}
    fresh = approve(actor=world.actor(world.ada), item_id=item.pk, revision=1, digest_seen=item.digest).memory
    memory.refresh_from_db()
    assert (memory.superseded_by, known(it)) == (fresh, {NEXT})


def test_a_name_contradicts_a_name_only_where_somebody_corrects(world, it):
    first = remember(actor=world.actor(world.ada), role_agent=it, content="The VPN profile of Lisbon is Harbor")
    other = "The VPN profile of Lisbon is Tulip"
    assert heard(it, told(it, other, by=world.dan, kind="message", verified=False)).item.replaces is None
    LearningItem.objects.all().delete()
    assert heard(it, told(it, other, by=world.dan)).item.replaces == first


@pytest.mark.parametrize("made", ["by hand", "saved without asking"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The entrance is at the front", "The entrance is at the back"),
        ("We open at 9 am on Mondays", "We open at 8 am on Mondays"),
        ("Support is closed on Sundays", "Support is open on Sundays"),
        (GATEWAY, "The Paris office uses gateway 7"),
        (GATEWAY, "Gateway 2 is used by the London office"),
    ],
)
def test_what_is_so_much_alike_that_it_may_say_otherwise_is_never_saved_beside_it(world, it, old, new, made):
    if made == "by hand":
        memory = remember(actor=world.actor(world.ada), role_agent=it, content=old)
    else:
        memory = saved(it, old, by=world.dan)
    item, none, outcome = heard(it, told(it, new, by=world.dan))
    assert (none, outcome, item.near, item.replaces) == (None, Outcome.PROPOSED, memory, None)
    assert LearningEvent.objects.latest("id").details["policy"] == "alike"
    assert Memory.objects.get() == memory
    approve(actor=world.actor(world.ada), item_id=item.pk, revision=1, digest_seen=item.digest)
    memory.refresh_from_db()
    assert memory.is_live and Memory.objects.live().count() == 2  # nothing was replaced that nobody was sure of


def test_a_number_in_words_contradicts_what_was_approved(world, it):
    memory = remember(actor=world.actor(world.ada), role_agent=it, content="The return window is fourteen days")
    item = heard(it, told(it, "The return window is thirty days", by=world.dan)).item
    assert (item.replaces, item.near, Memory.objects.get()) == (memory, None, memory)


def test_what_is_heard_under_a_key_is_alike_to_what_has_none_and_two_keys_are_two_things(world, it):
    memory = remember(actor=world.actor(world.ada), role_agent=it, content="The entrance is at the front")
    back = "The entrance is at the back"
    assert heard(it, told(it, back, by=world.dan), key="entrance").item.near == memory
    remember(actor=world.actor(world.ada), role_agent=it, content="The parcel lift is slow", key="lift")
    assert heard(it, told(it, "The parcel lift is fast", by=world.dan), key="parcels").outcome == Outcome.SAVED
    assert heard(it, told(it, "The parcel lift is out", by=world.dan)).item.near.key in {"lift", "parcels"}


def test_what_is_like_something_sensitive_waits_and_does_not_name_it(world, it):
    olga = world.actor(world.olga)
    remember(actor=olga, role_agent=it, content="The entrance is at the front", sensitive=True)
    item = heard(it, told(it, "The entrance is at the back", by=world.dan)).item
    assert (item.near, item.sensitive) == (None, False)


def test_what_shares_little_is_a_memory_of_its_own(world, it):
    saved(it, GATEWAY, by=world.dan)
    saved(it, "Badges come from Facilities", by=world.dan)
    assert Memory.objects.live().count() == 2


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
