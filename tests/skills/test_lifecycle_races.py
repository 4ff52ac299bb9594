"""Several people decide about one skill in the same moment."""

from itertools import cycle

import pytest
from django.db import transaction

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict
from skills.actions.activate import as_seen
from skills.actions.lifecycle import pause, revert
from skills.models import Skill, SkillVersion
from tests import factories
from tests.learning.test_review_races import all_at_once
from tests.skills.making import document, let_in, three_versions


@pytest.fixture
def world(transactional_db):
    with transaction.atomic():
        return factories.make_world()


@pytest.fixture
def skill(world):
    return three_versions(world.actor(world.adam), world.it)


@pytest.mark.parametrize("round_", range(3))
def test_two_admins_who_revert_to_different_versions_leave_one_and_one_conflict(world, skill, round_):
    wanted = {world.adam.pk: 1, world.olga.pk: 2}

    def act(actor):
        return revert(actor=actor, skill_id=skill.pk, revision=4, number=wanted[actor.user_id])

    answers = all_at_once(act, [world.actor(world.adam), world.actor(world.olga)])
    (winner,) = [answer for answer in answers if isinstance(answer, Skill)]
    (conflict,) = [answer for answer in answers if isinstance(answer, Conflict)]
    skill.refresh_from_db()
    (told,) = LearningEvent.objects.filter(verb="skill_reverted")
    assert skill.active_version_id == winner.active_version_id and skill.revision == 5
    number = skill.active_version.number
    assert {1: "Adam", 2: "Olga"}[number] == told.actor_label
    assert conflict.detail == (
        f"{told.actor_label} reverted it to version {number} meanwhile. Look at it again, then decide. "
        "Nothing was changed."
    )


@pytest.mark.parametrize("round_", range(3))
def test_one_who_lets_a_new_version_in_and_one_who_reverts_leave_one_and_one_conflict(world, skill, round_):
    olga = world.actor(world.olga)
    seen = as_seen(skill)

    def act(actor):
        if actor is olga:
            source = document(procedure="1. Pay at once.")
            return let_in(actor, world.it, source, skill=skill, seen=seen)
        return revert(actor=actor, skill_id=skill.pk, revision=4, number=1)

    answers = all_at_once(act, [olga, world.actor(world.adam)])
    assert sum(isinstance(answer, Conflict) for answer in answers) == 1
    skill.refresh_from_db()
    assert skill.revision == 5
    let_in_ = isinstance(answers[0], SkillVersion)
    assert skill.active_version.number == (4 if let_in_ else 1)
    assert SkillVersion.objects.count() == (4 if let_in_ else 3)


def test_of_many_who_pause_it_at_once_one_does(world, skill):
    people = cycle([world.actor(world.adam), world.actor(world.olga), world.actor(world.ada)])
    actors = [next(people) for _ in range(12)]
    answers = all_at_once(lambda actor: pause(actor=actor, skill_id=skill.pk, revision=4), actors)
    assert sum(isinstance(answer, Skill) for answer in answers) == 1
    (told,) = LearningEvent.objects.filter(verb="skill_paused")
    assert {answer.detail for answer in answers if isinstance(answer, Conflict)} == {
        f"This skill is paused already, by {told.actor_label}. Nothing was changed."
    }
