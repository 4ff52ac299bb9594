"""Besides deciding: who may read a proposal, and whose turn it is. What kind of thing it is: test_triage_kind. Ada manages IT."""

import re

import pytest

from digitalworker.agents import policies
from digitalworker.agents.actions.managers import remove_manager
from digitalworker.agents.actions.organizations import change_role, remove_member
from digitalworker.agents.models import Membership
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound
from digitalworker.common.types import system_actor, worker_actor
from learning.actions.convert import convert
from learning.actions.propose import Proposal, propose
from learning.actions.reassign import reassign
from learning.actions.review import approve, edit, reject, reopen
from learning.actions.sensitivity import mark_sensitive, unmark_sensitive
from learning.choices import MemoryScope, Outcome
from learning.models import LearningItem, Memory
from learning.policies import allowed_actions, may_decide, possible_reviewers
from tests.learning import proposals

pytestmark = pytest.mark.django_db
ANYBODY = ("ada", "adam", "olga", "ben", "cleo", "dan", "gus")


@pytest.fixture
def ill(world):
    return proposals.pending(world.it, "The boss is ill", sensitive=True)


def mark(actor, item, **more):
    return mark_sensitive(actor=actor, item_id=item.pk, revision=item.revision, **more)


def unmark(actor, item, reason="it is public knowledge"):
    return unmark_sensitive(actor=actor, item_id=item.pk, revision=item.revision, reason=reason)


def give(actor, item, to=None):
    return reassign(actor=actor, item_id=item.pk, revision=item.revision, user_id=to.pk if to else None)


def turn(actor, item):
    return convert(actor=actor, item_id=item.pk, revision=item.revision)


def let_in(actor, item, **more):
    return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **more)


def verbs() -> list[str]:
    return list(LearningEvent.objects.order_by("id").values_list("verb", flat=True))


def names(people) -> list[str]:
    return [str(person) for person in people]


# --- who may ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ANYBODY)
@pytest.mark.parametrize("act", [mark, give, turn])
@pytest.mark.parametrize(
    ("what", "deciders", "readers"),
    [
        ("of the agent", {"ada", "adam", "olga"}, {"cleo"}),
        ("for everyone", {"adam", "olga"}, {"ada", "cleo"}),
    ],
)
def test_whoever_may_decide_it_may_do_this(world, name, act, what, deciders, readers):
    scope = MemoryScope.ORGANIZATION if what == "for everyone" else None
    item = proposals.pending(world.it, "Closed on Friday", scope=scope)
    actor = world.actor(getattr(world, name))
    if name in deciders:
        act(actor, item)
        return
    with pytest.raises(Denied if name in readers else NotFound):
        act(actor, item)
    item.refresh_from_db()
    assert (item.revision, item.sensitive, item.kind) == (1, False, "memory_proposal")
    assert verbs() == [Verb.LEARNING_PROPOSED]


@pytest.mark.parametrize("name", ANYBODY)
@pytest.mark.parametrize("act", [unmark, give, turn])
def test_with_something_sensitive_only_an_owner_or_admin_does(world, ill, name, act):
    actor = world.actor(getattr(world, name))
    if name in {"adam", "olga"}:
        act(actor, ill)
        return
    with pytest.raises(Denied if name in {"ada", "cleo"} else NotFound):
        act(actor, ill)
    ill.refresh_from_db()
    assert (ill.revision, ill.sensitive) == (1, True)
    assert allowed_actions(actor, ill) == []


@pytest.mark.parametrize("make", [lambda w: worker_actor(w.acme.pk, w.it.pk), lambda w: system_actor(w.acme.pk)])
@pytest.mark.parametrize("act", [mark, give, turn])
def test_no_machine_does(world, printer, make, act):
    with pytest.raises(Denied):
        act(make(world), printer)


# --- sensitive ----------------------------------------------------------------------------------------------------
def test_marking_takes_it_from_the_managers_and_is_audited(world, ada, adam, printer):
    item = mark(ada, give(ada, printer, world.ada))
    assert (item.sensitive, item.assigned_to, item.revision, item.status) == (True, None, 3, "pending")
    event = LearningEvent.objects.get(verb=Verb.ITEM_MARKED_SENSITIVE)
    assert event.sentence == "Ada marked a memory as sensitive"
    assert event.details == {"changed": {"reviewer": ["Ada", None]}} and event.reason == ""
    assert item.history.latest().history_change_reason == "Ada: marked as sensitive"
    assert allowed_actions(ada, item) == []
    with pytest.raises(Denied, match=re.escape("This is sensitive; an owner or an admin decides it.")):
        let_in(ada, item)
    assert let_in(adam, item).memory.sensitive


def test_an_admin_keeps_what_they_were_assigned(world, adam, printer):
    assert mark(adam, give(adam, printer, world.adam)).assigned_to == world.adam


def test_marking_twice_and_unmarking_what_is_not_marked_are_conflicts(adam, printer, ill):
    with pytest.raises(Conflict, match=re.escape("This is sensitive already. Nothing was changed.")):
        mark(adam, ill)
    with pytest.raises(Conflict, match=re.escape("This is not sensitive. Nothing was changed.")):
        unmark(adam, printer)


def test_a_manager_does_not_take_their_marking_back(ada, printer):
    item = mark(ada, printer)
    with pytest.raises(Denied, match="This is sensitive"):
        unmark(ada, item)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_clearing_it_needs_a_reason(adam, ill, reason):
    with pytest.raises(Invalid, match=r"reason: (write something|501 characters are too many)"):
        unmark(adam, ill, reason)
    ill.refresh_from_db()
    assert ill.sensitive and verbs() == [Verb.LEARNING_PROPOSED]


def test_clearing_it_says_why_and_gives_it_back_to_the_managers(ada, adam, ill):
    item = unmark(adam, ill)
    event = LearningEvent.objects.get(verb=Verb.ITEM_UNMARKED_SENSITIVE)
    assert (event.sentence, event.reason) == ("Adam found a memory not to be sensitive", "it is public knowledge")
    assert let_in(ada, item).memory.sensitive is False


def test_a_rejected_proposal_can_still_be_hidden_and_an_approved_one_is_known(ada, adam, printer, world):
    item = reject(actor=ada, item_id=printer.pk, revision=1, why="too_personal")
    item = mark(ada, item)
    assert (item.sensitive, item.status) == (True, "rejected")
    with pytest.raises(Denied):
        reopen(actor=ada, item_id=item.pk, revision=item.revision)
    other = let_in(ada, proposals.pending(world.it, "Badges come from Facilities"))
    with pytest.raises(Conflict, match="Ada approved this already"):
        mark(ada, other)


def test_who_had_it_open_is_told_that_it_is_not_theirs_any_more_and_nothing_else(ada, adam, printer):
    edit(actor=adam, item_id=printer.pk, revision=1, changes={"content": "The printer of the sick boss"})
    mark(adam, LearningItem.objects.get())
    for act in (
        lambda: let_in(ada, printer),
        lambda: reject(actor=ada, item_id=printer.pk, revision=1),
        lambda: edit(actor=ada, item_id=printer.pk, revision=1, changes={"content": "x"}),
        lambda: mark(ada, printer),
        lambda: give(ada, printer),
        lambda: turn(ada, printer),
    ):
        with pytest.raises(Conflict) as caught:
            act()
        told = caught.value
        assert told.detail == (
            "Adam marked this as sensitive meanwhile. An owner or an admin decides it now. Nothing was changed."
        )
        assert told.extra == {"revision": 3}  # no digest: with it words could be guessed
    assert not Memory.objects.exists()


def test_why_something_sensitive_was_decided_stays_out_of_the_audit(adam, ill, world):
    said = "she has the flu"
    item = reject(actor=adam, item_id=ill.pk, revision=1, why="too_personal", reason=said)
    assert item.decision_reason == f"Too personal: {said}"
    event = LearningEvent.objects.get(verb=Verb.REJECTED)
    assert (event.reason, event.details) == ("", {"why": "too_personal"})
    let_in(adam, proposals.pending(world.it, "The boss is well", sensitive=True), reason=said)
    assert said not in "".join(f"{event.reason}{event.details}" for event in LearningEvent.objects.all())


def test_who_guesses_hidden_words_is_told_nothing(world, ada, adam, printer, ill):
    """A refusal because something sensitive says the same would tell what it says."""
    guess = edit(actor=ada, item_id=printer.pk, revision=1, changes={"content": "The boss is ill"})
    assert (guess.proposed_payload["content"], guess.digest) == ("The boss is ill", ill.digest)
    heard = proposals.said(world.it, "the boss is ill")
    again = Proposal(scope="role_agent", kind="fact", content="The boss is ill")
    worker = worker_actor(world.acme.pk, world.it.pk)
    assert propose(actor=worker, role_agent=world.it, proposal=again, event=heard).outcome == Outcome.KNOWN
    ill.refresh_from_db()
    guess.refresh_from_db()
    assert (ill.source_refs != [], guess.source_refs) == (True, [])  # the evidence is the hidden one's
    other = proposals.pending(world.it, "The printer is on floor nine")
    with pytest.raises(Conflict, match=re.escape("Another pending item says exactly this already.")):
        edit(actor=adam, item_id=other.pk, revision=1, changes={"content": "The boss is ill"})


# --- whose turn ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("what", "people"),
    [
        ("of the agent", ["Ada", "Adam", "Olga"]),
        ("sensitive", ["Adam", "Olga"]),
        ("for everyone", ["Adam", "Olga"]),
    ],
)
def test_those_to_choose_from_are_those_who_may_decide(world, what, people):
    scope = MemoryScope.ORGANIZATION if what == "for everyone" else None
    item = proposals.pending(world.it, "Closed on Friday", scope=scope, sensitive=what == "sensitive")
    assert names(possible_reviewers(item)) == people
    for name in ANYBODY:
        user = getattr(world, name)
        decides = may_decide(
            world.actor(user),
            role_agent=world.it,
            scope=item.proposed_payload["scope"],
            sensitive=item.sensitive,
        )
        assert decides is possible_reviewers(item).filter(pk=user.pk).exists(), name


@pytest.mark.parametrize("name", ["ben", "cleo", "dan", "gus"])
def test_it_is_given_to_nobody_who_may_not_decide_it(world, ada, printer, name):
    for how in ({"user_id": getattr(world, name).pk}, {"email": getattr(world, name).email}, {"user_id": -1}):
        with pytest.raises(Invalid, match=re.escape("Choose somebody who may decide this.")) as caught:
            reassign(actor=ada, item_id=printer.pk, revision=1, **how)
        assert list(caught.value.errors) == ["to"]
    printer.refresh_from_db()
    assert (printer.assigned_to, printer.revision) == (None, 1)


def test_giving_taking_and_giving_to_nobody_are_audited(world, ada, printer):
    item = give(ada, printer, world.adam)
    item = reassign(actor=ada, item_id=item.pk, revision=item.revision, email="OLGA@acme.test")
    item = give(ada, item)
    assert (item.assigned_to, item.revision) == (None, 4)
    events = LearningEvent.objects.filter(verb=Verb.ITEM_REASSIGNED).order_by("id")
    assert [event.details["changed"]["reviewer"] for event in events] == [
        [None, "Adam"],
        ["Adam", "Olga"],
        ["Olga", None],
    ]
    assert give(ada, item).revision == 4  # nobody already
    assert events.count() == 3


def test_the_second_of_two_who_assign_is_told(world, ada, adam, printer):
    give(adam, printer, world.adam)
    with pytest.raises(Conflict, match=re.escape("Adam reassigned this meanwhile.")):
        give(ada, printer, world.ada)
    printer.refresh_from_db()
    assert printer.assigned_to == world.adam


def test_a_removed_manager_gives_back_what_they_had_in_the_same_action(world, adam, printer):
    policies.grant_manager(world.ada, world.hr)
    give(adam, printer, world.ada)
    elsewhere = give(adam, proposals.pending(world.hr, "Holidays are asked for in the portal"), world.ada)
    remove_manager(actor=adam, agent_id=world.it.pk, user_id=world.ada.pk)
    printer.refresh_from_db()
    elsewhere.refresh_from_db()
    assert (printer.assigned_to, elsewhere.assigned_to) == (None, world.ada)
    assert verbs()[-2:] == [Verb.MANAGER_REMOVED, Verb.ITEM_REASSIGNED]
    assert LearningEvent.objects.latest("id").details["changed"] == {"reviewer": ["Ada", None]}


def test_a_hundred_items_are_given_back_in_as_many_queries_as_two(world, adam, django_assert_num_queries):
    """Each with a row of its history and one of the audit, as if it were given back alone."""
    for agent, number in ((world.it, 2), (world.shop, 100)):
        policies.grant_manager(world.ada, agent)
        proposals.many_pending(agent, number)
        proposals.pending(agent, "We are closed on Fridays", scope="organization")
        LearningItem.objects.filter(role_agent=agent).update(assigned_to=world.ada)
        with django_assert_num_queries(13):
            remove_manager(actor=adam, agent_id=agent.pk, user_id=world.ada.pk)
        items = LearningItem.objects.filter(role_agent=agent)
        assert set(items.values_list("assigned_to", "revision")) == {(None, 2)}
        assert all(item.updated_at > item.created_at for item in items)
        history = LearningItem.history.filter(role_agent=agent, history_type="~")
        assert set(history.values_list("assigned_to", "revision", "history_user_id", "history_change_reason")) == {
            (None, 2, world.adam.pk, "Adam: given back")
        }
        told = LearningEvent.objects.filter(verb=Verb.ITEM_REASSIGNED, role_agent_id=agent.pk)
        assert {(event.history_row, event.object_id) for event in told} == {
            (row.history_id, str(row.id)) for row in history
        }
        assert history.count() == told.count() == number + 1
        assert told[0].details == {"changed": {"reviewer": ["Ada", None]}, "to": None}


@pytest.mark.parametrize("leave", ["demoted", "removed"])
def test_so_does_an_admin_who_is_demoted_or_leaves(world, ill, leave):
    olga = world.actor(world.olga)
    give(olga, ill, world.adam)
    membership = Membership.objects.get(user=world.adam)
    if leave == "demoted":
        change_role(actor=olga, membership_id=membership.pk, role="member")
    else:
        remove_member(actor=olga, membership_id=membership.pk)
    ill.refresh_from_db()
    assert ill.assigned_to is None


def test_who_keeps_the_right_keeps_the_item(world, printer):
    olga = world.actor(world.olga)
    give(olga, printer, world.adam)
    change_role(actor=olga, membership_id=Membership.objects.get(user=world.adam).pk, role="owner")
    printer.refresh_from_db()
    assert printer.assigned_to == world.adam


# --- rejecting in one click ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"why": "wrong"}, "Wrong"),
        ({"why": "duplicate", "reason": "see the other"}, "Duplicate: see the other"),
        ({"reason": "see the other"}, "see the other"),
        ({}, ""),
    ],
)
def test_a_reason_is_one_of_the_usual_and_words_on_top(ada, printer, how, reason):
    item = reject(actor=ada, item_id=printer.pk, revision=1, **how)
    event = LearningEvent.objects.get(verb=Verb.REJECTED)
    assert (item.decision_reason, event.reason) == (reason, reason)
    assert event.details.get("why") == how.get("why")


def test_an_unusual_usual_reason_is_refused(ada, printer):
    with pytest.raises(Invalid) as caught:
        reject(actor=ada, item_id=printer.pk, revision=1, why="bored")
    assert caught.value.errors == {"why": ["Use one of: wrong, not_worth_keeping, too_personal, duplicate, steering."]}
