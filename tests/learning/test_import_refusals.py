"""What a file may not bring in, and that a refusal repeats none of it. Ben manages the shop, Ada IT."""

import json

import pytest

from digitalworker.agents.models import Person
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.models import Memory
from tests.factories import let_shop_learn
from tests.learning.test_memory_files import SECRET, taken

pytestmark = pytest.mark.django_db


def test_nobody_is_made_whose_id_holds_a_secret(world):
    let_shop_learn(world)
    row = json.dumps({"content": "likes tea", "scope": "person", "person": SECRET})
    report = taken(world, row, by=world.ben, agent="shop")
    assert [bad.reason[:42] for bad in report.refused] == ["This text holds what looks like a password"]
    assert LearningEvent.objects.get(verb=Verb.LEARNING_REFUSED).details == {"kinds": ["password"]}
    assert not Person.objects.exists() and not Memory.objects.exists()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"content": "x", "status": []}, "status: this must be text"),
        ({"content": "x", "status": {"a": 1}}, "status: this must be text"),
        ({"content": "x", "\ud800": "y"}, "there is an unknown field; known are "),
        ({"content": "x", SECRET: "y"}, "there is an unknown field; known are "),
    ],
)
def test_a_line_of_another_shape_is_refused_without_its_words(world, line, reason):
    report = taken(world, json.dumps(line) + '\n{"content": "The printer is on floor two"}')
    assert report.counts == {"rows": 2, "added": 1, "replaced": 0, "unchanged": 0, "refused": 1}
    assert report.refused[0].reason.startswith(reason)
    assert "hunter2" not in str(report) and str(report).isascii()


@pytest.mark.parametrize("person", ["\u200b", "\u2800 \u3164"])
def test_nobody_is_made_whose_id_nobody_can_see(world, person):
    let_shop_learn(world)
    row = json.dumps({"content": "likes tea", "scope": "person", "person": person})
    assert [bad.reason for bad in taken(world, row, by=world.ben, agent="shop").refused] == ["person: write something"]
    assert not Person.objects.exists() and not Memory.objects.exists()
