"""Two people decide about one skill in the same moment."""

import pytest
from django.db import transaction

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict
from learning.actions.propose_skill import SkillProposal, propose_skill
from learning.choices import Outcome
from learning.models import LearningItem
from skills.models import Skill, SkillVersion
from tests.factories import make_world
from tests.learning.skill_proposals import document, let_in, proposed
from tests.learning.test_review_races import all_at_once


@pytest.fixture
def world(transactional_db):
    with transaction.atomic():
        return make_world()


def split(answers):
    return [each for each in answers if not isinstance(each, Conflict)], [
        each for each in answers if isinstance(each, Conflict)
    ]


def test_of_two_reviewers_one_decides_and_the_other_is_told_who(world):
    ada, adam = world.actor(world.ada), world.actor(world.adam)
    item = proposed(ada, world.it)
    done, told = split(all_at_once(lambda actor: let_in(actor, item, replaces_seen=""), [ada, adam]))
    assert (len(done), len(told), told[0].code) == (1, 1, "already_decided")
    assert told[0].extra["decided_by"] == done[0].decided_by_label
    assert SkillVersion.objects.count() == 1
    assert LearningEvent.objects.filter(verb=Verb.SKILL_ACTIVATED).count() == 1


def test_two_admins_who_approve_different_updates_leave_one_version_in_use_and_one_conflict(world):
    olga, adam = world.actor(world.olga), world.actor(world.adam)
    skill = let_in(olga, proposed(olga, world.it)).skill
    updates = {
        actor.user_id: proposed(olga, world.it, document(procedure=f"1. Pay within {actor.user_id} days."))
        for actor in (olga, adam)
    }
    answers = all_at_once(
        lambda actor: let_in(actor, updates[actor.user_id], replaces_seen=updates[actor.user_id].replaces_seen),
        [olga, adam],
    )
    done, told = split(answers)
    assert (len(done), len(told), told[0].status, told[0].code) == (1, 1, 409, "stale_revision")
    skill.refresh_from_db()
    assert (skill.active_version_id, skill.versions.count()) == (done[0].skill_version_id, 2)
    assert LearningItem.objects.filter(status="pending").count() == 1


def test_two_new_skills_of_one_name_leave_one_skill_and_one_conflict(world):
    olga, adam = world.actor(world.olga), world.actor(world.adam)
    items = {
        actor.user_id: proposed(olga, world.it, document(procedure=f"1. Pay within {actor.user_id} days."))
        for actor in (olga, adam)
    }
    done, told = split(all_at_once(lambda actor: let_in(actor, items[actor.user_id], replaces_seen=""), [olga, adam]))
    assert (len(done), len(told), told[0].code) == (1, 1, "name_taken")
    assert Skill.objects.count() == 1


def test_two_who_propose_the_same_share_one_item(world):
    source = document()
    answers = all_at_once(
        lambda actor: propose_skill(actor=actor, role_agent=world.it, proposal=SkillProposal(source)),
        [world.actor(world.ada), world.actor(world.adam), world.actor(world.olga)],
    )
    assert len({answer.item.pk for answer in answers}) == 1
    assert sorted(answer.outcome for answer in answers) == [Outcome.KNOWN, Outcome.KNOWN, Outcome.PROPOSED]
