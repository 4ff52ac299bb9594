"""Fifty reviewers press Approve in the same moment."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.db import connection, connections, transaction

from digitalworker.agents import policies
from digitalworker.agents.actions.managers import remove_manager
from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict, Invalid
from digitalworker.common.types import worker_actor
from learning.actions.convert import convert
from learning.actions.propose import Proposal, propose
from learning.actions.reassign import reassign
from learning.actions.review import approve, edit, reject, reopen
from learning.actions.sensitivity import mark_sensitive
from learning.models import LearningItem, Memory
from tests import factories

AT_ONCE = 50


@pytest.fixture
def world(transactional_db):
    return factories.make_world()


@pytest.fixture
def item(world):
    proposal = Proposal(scope="role_agent", kind="fact", key="closing_time", content="The shop closes at six")
    return propose(actor=worker_actor(world.acme.pk, world.shop.pk), role_agent=world.shop, proposal=proposal).item


@pytest.fixture
def reviewers(world):
    """Ten managers of the shop, each with five hands."""
    people = [factories.make_user(f"Reviewer{n}") for n in range(10)]
    for person in people:
        factories.add(world.acme, person)
        policies.grant_manager(person, world.shop)
    return [world.actor(people[n % 10]) for n in range(AT_ONCE)]


def all_at_once(work, actors):
    """What each call answered or raised; all of them start together, each on its own connection."""
    barrier = Barrier(len(actors))

    def one(actor):
        try:
            barrier.wait(timeout=60)
            return work(actor)
        except Conflict as conflict:
            return conflict
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actors)) as pool:
        return list(pool.map(one, actors))


def test_one_memory_one_audit_row_and_49_who_are_told_the_winner(item, reviewers):
    answers = all_at_once(
        lambda actor: approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest), reviewers
    )
    winners = [answer for answer in answers if isinstance(answer, LearningItem)]
    conflicts = [answer for answer in answers if isinstance(answer, Conflict)]
    assert (len(winners), len(conflicts)) == (1, AT_ONCE - 1)
    item.refresh_from_db()
    winner = item.decided_by_label
    assert winner.startswith("Reviewer")
    assert {conflict.detail for conflict in conflicts} == {f"{winner} approved this already. Nothing was changed."}
    assert {conflict.extra["decided_by"] for conflict in conflicts} == {winner}
    memory = Memory.objects.get()
    assert (memory.content, memory.reviewer_label, memory.item_id) == ("The shop closes at six", winner, item.pk)
    (approved,) = LearningEvent.objects.filter(verb="approved")
    assert (approved.actor_label, approved.object_id) == (winner, str(item.pk))
    assert item.history.filter(status="approved").count() == 1


def test_approving_and_rejecting_at_once_leaves_one_decision(item, reviewers):
    def decide(actor):
        if actor.user_id % 2:
            return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest)
        return reject(actor=actor, item_id=item.pk, revision=item.revision)

    answers = all_at_once(decide, reviewers[:20])
    assert sum(isinstance(answer, LearningItem) for answer in answers) == 1
    item.refresh_from_db()
    assert Memory.objects.count() == (1 if item.status == "approved" else 0)
    assert LearningEvent.objects.filter(verb__in=["approved", "rejected"]).count() == 1
    for answer in answers:
        if isinstance(answer, Conflict):
            assert (answer.extra["decided_by"], answer.extra["decision"]) == (item.decided_by_label, item.status)


@pytest.mark.parametrize("round_", range(3))
def test_proposals_edited_into_the_same_words_at_once(world, reviewers, round_):
    """All but one are told, also those who looked before anything was saved."""
    worker = worker_actor(world.acme.pk, world.shop.pk)
    said = [Proposal(scope="role_agent", kind="fact", content=f"It closes at {hour}") for hour in range(8)]
    items = [propose(actor=worker, role_agent=world.shop, proposal=each).item for each in said]
    hands = dict(zip(items, reviewers, strict=False))
    same = {"content": "It closes early"}
    answers = all_at_once(lambda item: edit(actor=hands[item], item_id=item.pk, revision=1, changes=same), items)
    assert sum(isinstance(answer, LearningItem) for answer in answers) == 1
    assert {answer.code for answer in answers if isinstance(answer, Conflict)} == {"same_as_other"}


@pytest.mark.parametrize("round_", range(3))
def test_the_first_who_marks_it_as_sensitive_stops_every_manager_who_approves(world, item, reviewers, round_):
    """Whichever comes first holds; whoever had it open is told, and nobody learns what it says from the refusal."""
    olga = world.actor(world.olga)

    def act(actor):
        if actor is olga:
            return mark_sensitive(actor=olga, item_id=item.pk, revision=item.revision)
        return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest)

    answers = all_at_once(act, [olga, *reviewers[:9]])
    assert sum(isinstance(answer, LearningItem) for answer in answers) == 1
    item.refresh_from_db()
    conflicts = [answer for answer in answers if isinstance(answer, Conflict)]
    if item.sensitive:
        says = "Olga marked this as sensitive meanwhile. An owner or an admin decides it now. Nothing was changed."
        assert {conflict.detail for conflict in conflicts} == {says} and not Memory.objects.exists()
        assert all("digest" not in conflict.extra for conflict in conflicts)
    else:
        assert {conflict.code for conflict in conflicts} == {"already_decided"}
        assert Memory.objects.count() == 1


def test_of_all_who_assign_it_at_once_one_does(item, reviewers):
    answers = all_at_once(
        lambda actor: reassign(actor=actor, item_id=item.pk, revision=item.revision, user_id=actor.user_id),
        reviewers[:10],
    )
    (winner,) = [answer for answer in answers if isinstance(answer, LearningItem)]
    item.refresh_from_db()
    assert (item.assigned_to_id, item.revision) == (winner.assigned_to_id, 2)
    told = {conflict.detail for conflict in answers if isinstance(conflict, Conflict)}
    assert told == {f"{winner.assigned_to} reassigned this meanwhile. Read it again, then decide. Nothing was changed."}
    assert LearningEvent.objects.filter(verb="item_reassigned").count() == 1


@pytest.mark.parametrize("round_", range(5))
def test_nothing_is_left_with_a_manager_who_is_removed_while_it_is_given_to_them(world, item, reviewers, round_):
    olga, leaving = world.actor(world.olga), reviewers[1].user_id

    def act(actor):
        if actor is olga:
            return remove_manager(actor=olga, agent_id=world.shop.pk, user_id=leaving)
        try:
            return reassign(actor=actor, item_id=item.pk, revision=1, user_id=leaving)
        except Invalid as refused:
            return refused

    all_at_once(act, [olga, reviewers[0]])
    item.refresh_from_db()
    assert item.assigned_to is None


def test_of_all_who_convert_it_at_once_one_does(item, reviewers):
    answers = all_at_once(lambda actor: convert(actor=actor, item_id=item.pk, revision=item.revision), reviewers[:10])
    assert sum(isinstance(answer, LearningItem) for answer in answers) == 1
    item.refresh_from_db()
    assert (item.kind, item.revision) == ("skill_proposal", 2)


def test_an_undo_that_waited_for_the_approval_takes_back_what_it_made(world, item):
    """Asked for without the revision it saw, as a program may: it waits, and finds another item than it had read."""
    olga, held = world.actor(world.olga), Event()

    def approving(_):
        with transaction.atomic():
            approve(actor=olga, item_id=item.pk, revision=item.revision, digest_seen=item.digest)
            held.set()
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(1)")

    def undoing(_):
        assert held.wait(timeout=60)
        return reopen(actor=olga, item_id=item.pk, revision=None)

    all_at_once(lambda work: work(None), [approving, undoing])
    item.refresh_from_db()
    assert item.status == "pending"
    assert not Memory.objects.filter(status="active").exists()
