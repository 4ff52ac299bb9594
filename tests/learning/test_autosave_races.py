"""Several workers hear the same, or say otherwise, in the same moment: one memory, nothing lost, nobody fails."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict
from learning.actions.autosave import keep_autosave, undo_autosave
from learning.choices import MemoryStatus, Outcome
from learning.models import LearningItem, Memory
from tests import factories

from .hearing import heard, saved, told

GATEWAY = "The London office uses gateway 2"


@pytest.fixture
def world(transactional_db):
    return factories.make_world()


def at_once(work, each):
    """What every call answered or raised; all start together, each on a connection of its own."""
    gate = Barrier(len(each))

    def one(argument):
        try:
            gate.wait(timeout=60)
            return work(argument)
        except Conflict as conflict:
            return conflict
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(each)) as pool:
        return list(pool.map(one, each))


def test_eight_workers_that_hear_the_same_save_it_once_with_all_their_evidence(world):
    events = [told(world.it, GATEWAY, by=world.dan) for _ in range(8)]
    outcomes = [answer.outcome for answer in at_once(lambda event: heard(world.it, event), events)]
    assert sorted(outcomes) == [Outcome.KNOWN] * 7 + [Outcome.SAVED]
    memory = Memory.objects.get()
    assert memory.evidence_count == 8
    assert {ref["id"] for ref in memory.source_refs} == {str(event.pk) for event in events}
    assert LearningEvent.objects.filter(verb="memory_auto_saved").count() == 1
    assert not LearningItem.objects.exists()


def test_one_message_detected_twice_at_once_is_one_memory_with_one_piece_of_evidence(world):
    event = told(world.it, GATEWAY, by=world.dan)
    outcomes = [answer.outcome for answer in at_once(lambda _: heard(world.it, event), range(6))]
    assert sorted(outcomes) == [Outcome.KNOWN] * 5 + [Outcome.SAVED]
    assert Memory.objects.get().evidence_count == 1


@pytest.mark.parametrize("key", [None, "london_gateway"])
def test_eight_values_at_once_from_one_sender_leave_one_and_a_line_of_those_before(world, key):
    events = [told(world.it, f"The London office uses gateway {n}", by=world.dan) for n in range(8)]
    outcomes = [answer.outcome for answer in at_once(lambda event: heard(world.it, event, key=key), events)]
    assert outcomes == [Outcome.SAVED] * 8
    assert Memory.objects.filter(status=MemoryStatus.ACTIVE).count() == 1
    assert Memory.objects.filter(status=MemoryStatus.SUPERSEDED).values("superseded_by").distinct().count() == 7


def test_eight_senders_who_disagree_at_once_save_one_and_leave_seven_to_a_person(world):
    events = [told(world.it, f"The London office uses gateway {n}", by=f"P{n}", kind="message") for n in range(8)]
    outcomes = [answer.outcome for answer in at_once(lambda event: heard(world.it, event), events)]
    assert sorted(outcomes) == [Outcome.PROPOSED] * 7 + [Outcome.SAVED]
    memory = Memory.objects.get()
    assert set(LearningItem.objects.values_list("replaces", flat=True)) == {memory.pk}


def test_the_last_place_is_taken_once_and_the_rest_waits(world):
    type(world.it).objects.filter(pk=world.it.pk).update(memory_limit=1)
    events = [told(world.it, f"Gate{n} leads to hall{n}", by=world.dan) for n in range(6)]
    outcomes = [answer.outcome for answer in at_once(lambda event: heard(world.it, event), events)]
    assert sorted(outcomes) == [Outcome.PROPOSED] * 5 + [Outcome.SAVED]
    assert Memory.objects.count() == 1


def test_undone_and_kept_at_once_is_one_of_the_two(world):
    memory = saved(world.it, GATEWAY, by=world.dan)
    ada = world.actor(world.ada)
    acts = [undo_autosave, keep_autosave] * 3
    answers = at_once(lambda act: act(actor=ada, memory_id=memory.pk, revision=1), acts)
    assert sum(isinstance(answer, Memory) for answer in answers) == 1
    assert LearningEvent.objects.filter(verb__in=["autosave_undone", "autosave_kept"]).count() == 1


def test_undone_while_it_is_said_again_is_undone(world):
    """Whoever comes second finds what the first left: evidence for what is then undone, or words just turned down."""
    memory = saved(world.it, GATEWAY, by=world.dan)
    ada, event = world.actor(world.ada), told(world.it, GATEWAY, by=world.ben)
    acts = [
        lambda: undo_autosave(actor=ada, memory_id=memory.pk, revision=1),
        lambda: heard(world.it, event).outcome,
    ]
    _, outcome = at_once(lambda act: act(), acts)
    assert outcome == Outcome.KNOWN
    assert not Memory.objects.filter(status=MemoryStatus.ACTIVE).exists()
    assert not LearningItem.objects.exists()
