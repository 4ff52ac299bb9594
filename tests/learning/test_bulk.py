"""Many at once is each by itself: what stops one leaves the rest decided, and nothing happens twice. Ada manages IT."""

from dataclasses import replace

import pytest
from django.urls import reverse

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Full, Invalid, NotFound
from digitalworker.common.ids import uuid7
from learning import tally
from learning.actions import bulk
from learning.actions.bulk import Choice, decide, decided_by_same
from learning.actions.review import approve, edit
from learning.choices import ItemStatus, MemoryScope
from learning.models import LearningItem, Memory
from learning.policies import TRANSITIONS
from tests.learning import proposals

pytestmark = pytest.mark.django_db


def seen(*items) -> list[Choice]:
    return [Choice(item.pk, item.revision, item.digest) for item in items]


def some(agent, number: int) -> list[LearningItem]:
    return [proposals.pending(agent, f"The {place} is open at weekends") for place in PLACES[:number]]


PLACES = ["archive", "canteen", "garage", "workshop", "library", "laboratory", "gym", "reception"]


def states(results) -> list:
    return [result.error.status if result.error else 200 for result in results]


# --- who may ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "expected"),
    [("ben", 404), ("dan", 404), ("gus", 404), ("cleo", 403), ("ada", 200), ("adam", 200), ("olga", 200)],
)
def test_everybody_may_do_to_many_what_they_may_do_to_one(world, name, expected):
    items = some(world.it, 2)
    results = decide(actor=world.actor(getattr(world, name)), name="approve", choices=seen(*items))
    assert states(results) == [expected] * 2
    assert LearningEvent.objects.filter(verb=Verb.APPROVED).count() == (2 if expected == 200 else 0)


def test_what_is_not_ones_own_is_left_and_the_rest_is_done(world, ada):
    plain, edited, sensitive = *some(world.it, 2), proposals.pending(world.it, "Somebody is ill", sensitive=True)
    wide = proposals.pending(world.it, "Offices close at noon", scope=MemoryScope.ORGANIZATION)
    foreign = proposals.pending(world.hr, "Holidays are asked for in the portal")
    choices = seen(plain, edited, sensitive, wide, foreign)
    edit(actor=world.actor(world.adam), item_id=edited.pk, revision=edited.revision, changes={"content": "It moved"})

    results = decide(actor=ada, name="approve", choices=choices)
    assert states(results) == [200, 409, 403, 403, 404]
    assert [type(result.error) for result in results[1:]] == [Conflict, Denied, Denied, NotFound]
    errors = [result.error for result in results if result.error]
    assert tally.sentence("approve", 1, 0, errors) == "1 approved, 1 changed meanwhile, 2 not yours, 1 gone."
    assert list(LearningItem.objects.filter(status=ItemStatus.APPROVED)) == [plain]
    assert LearningEvent.objects.filter(verb=Verb.APPROVED).count() == 1


def test_no_digest_approves_nothing(world, ada):
    (item,) = some(world.it, 1)
    for digest in (None, "", "of another text"):
        (result,) = decide(actor=ada, name="approve", choices=[Choice(item.pk, item.revision, digest)])
        assert (result.error.status, result.error.code) == (409, "stale_revision")
    item.refresh_from_db()
    assert item.is_pending


# --- twice --------------------------------------------------------------------------------------------------------
def test_the_same_form_twice_decides_once(world, ada):
    items = some(world.it, 3)
    first = decide(actor=ada, name="reject", choices=seen(*items), reason="moved", why="wrong")
    again = decide(actor=ada, name="reject", choices=seen(*items), reason="moved", why="wrong")
    assert states(first) == [200] * 3 and states(again) == [409] * 3
    assert all(decided_by_same(result, ada, "reject") for result in again)
    assert not any(decided_by_same(result, world.actor(world.adam), "reject") for result in again)
    assert not any(decided_by_same(result, ada, "approve") for result in again)
    assert tally.sentence("reject", 0, 3, []) == "3 rejected already."
    assert LearningEvent.objects.filter(verb=Verb.REJECTED).count() == 3
    assert set(LearningItem.objects.values_list("decision_reason", flat=True)) == {"Wrong: moved"}


def test_who_decided_is_told_by_who_they_are_and_not_by_their_name(world, ada):
    (item,) = some(world.it, 1)
    decide(actor=ada, name="reject", choices=seen(item))
    (again,) = decide(actor=ada, name="reject", choices=seen(item))
    assert again.error.extra["decided_by_id"] == world.ada.pk
    assert decided_by_same(again, replace(ada, label="Ada Lovelace"), "reject")  # who was renamed meanwhile
    namesake = replace(world.actor(world.adam), label=ada.label)
    assert not decided_by_same(again, namesake, "reject")
    assert not decided_by_same(again, replace(ada, user_id=None), "reject")


def test_an_item_ticked_twice_counts_once(world, ada):
    (item,) = some(world.it, 1)
    assert states(decide(actor=ada, name="approve", choices=seen(item, item))) == [200]
    assert Memory.objects.count() == 1


def test_a_ceiling_stops_the_rest_and_says_so(world, ada):
    world.it.memory_limit = 2
    world.it.save()
    results = decide(actor=ada, name="approve", choices=seen(*some(world.it, 4)))
    assert states(results) == [200, 200, 409, 409]
    assert isinstance(results[3].error, Full)
    assert tally.sentence("approve", 2, 0, [r.error for r in results[2:]]) == "2 approved, 2 found no room."


# --- what can be done ---------------------------------------------------------------------------------------------
def test_each_action_leaves_one_audit_row_an_item(world):
    adam, items = world.actor(world.adam), some(world.it, 2)
    for name, how, verb in (
        ("reassign", {"user_id": world.ada.pk}, Verb.ITEM_REASSIGNED),
        ("mark_sensitive", {}, Verb.ITEM_MARKED_SENSITIVE),
        ("approve", {}, Verb.APPROVED),
        ("reopen", {}, Verb.REOPENED),
    ):
        results = decide(actor=adam, name=name, choices=seen(*items), **how)
        assert states(results) == [200, 200], name
        assert LearningEvent.objects.filter(verb=verb, actor_label="Adam").count() == 2
        items = [result.item for result in results]
    assert {item.status for item in items} == {ItemStatus.PENDING}
    assert not Memory.objects.live().exists()


def test_who_may_not_decide_is_given_nothing(world, ada):
    results = decide(actor=ada, name="reassign", choices=seen(*some(world.it, 2)), user_id=world.dan.pk)
    assert [str(result.error.detail) for result in results] == ["Choose somebody who may decide this."] * 2
    assert not LearningItem.objects.filter(assigned_to__isnull=False).exists()


def test_what_is_done_to_many_can_be_done_to_one():
    assert set(bulk.NAMES) <= set(TRANSITIONS)


def test_an_unknown_action_and_too_many_items_are_refused_before_anything_happens(world, ada):
    (item,) = some(world.it, 1)
    with pytest.raises(Invalid, match="Use one of: approve, reject, reassign, mark_sensitive, reopen"):
        decide(actor=ada, name="erase", choices=seen(item))
    many = [*seen(item), *(Choice(uuid7(), 1) for _ in range(bulk.MOST))]
    with pytest.raises(Invalid, match="At most 200 items at once; these are 201. Nothing was changed."):
        decide(actor=ada, name="approve", choices=many)
    item.refresh_from_db()
    assert item.is_pending


def test_an_approval_by_one_and_by_many_is_the_same(world, ada):
    one, other = some(world.it, 2)
    approve(actor=ada, item_id=one.pk, revision=one.revision, digest_seen=one.digest)
    decide(actor=ada, name="approve", choices=seen(other))
    rows = LearningEvent.objects.filter(verb=Verb.APPROVED).values_list("actor_label", "reason", "role_agent_id")
    assert len(set(rows)) == 1


def test_a_form_that_names_nobody_there_is_takes_nothing_from_anybody(world, as_user):
    LearningItem.objects.filter(pk__in=[item.pk for item in some(world.it, 2)]).update(assigned_to=world.ada)
    items = [f"{item.pk}.{item.revision}.{item.digest}" for item in LearningItem.objects.all()]
    for to in ("nonsense", "9" * 18, "-1", "\u0661"):
        as_user(world.ada).post(reverse("learning:bulk"), {"do": "reassign", "item": items, "to": to})
    assert set(LearningItem.objects.values_list("assigned_to", "revision")) == {(world.ada.pk, 1)}
    as_user(world.ada).post(reverse("learning:bulk"), {"do": "reassign", "item": items, "to": ""})
    assert set(LearningItem.objects.values_list("assigned_to", "revision")) == {(None, 2)}
