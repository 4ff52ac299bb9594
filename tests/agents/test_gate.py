"""Every model call is counted before it is made, and no more are made than the budget allows."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from digitalworker.agents.actions import gate
from digitalworker.agents.choices import Feature
from digitalworker.agents.models import FeatureAccess, FeatureUsage
from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Denied, Invalid, Unavailable
from tests.factories import make_world


def enter(world, agent=None, feature=Feature.ASK):
    return gate.enter(organization_id=world.acme.pk, role_agent=agent or world.it, feature=feature)


def limit(world, **fields):
    return FeatureAccess.objects.update_or_create(organization=world.acme, feature=Feature.ASK, defaults=fields)[0]


def test_a_call_is_counted_before_and_settled_after(world):
    ticket = enter(world)
    usage = FeatureUsage.objects.get()
    assert (usage.calls, usage.refused, usage.day) == (1, 0, gate.today())
    gate.settle(ticket, input_tokens=120, output_tokens=30)
    gate.settle(enter(world), input_tokens=1, failed=True)
    usage.refresh_from_db()
    assert (usage.calls, usage.failed, usage.input_tokens, usage.output_tokens) == (2, 1, 121, 30)


def test_a_ticket_settles_once(world):
    ticket = enter(world)
    gate.settle(ticket, input_tokens=5)
    with pytest.raises(RuntimeError, match="settled already"):
        gate.settle(ticket, input_tokens=5)


def test_a_feature_that_is_off_is_refused_and_the_refusal_counted(world):
    limit(world, enabled=False)
    with pytest.raises(Unavailable, match="AI access for answering is switched off in this organisation") as caught:
        enter(world)
    assert caught.value.code == "feature_off"
    assert FeatureUsage.objects.values_list("calls", "refused").get() == (0, 1)
    enter(world, feature=Feature.LEARNING_DETECT)


def test_the_budget_is_the_organisations_over_all_its_agents(world):
    limit(world, daily_calls=2)
    enter(world, world.it)
    enter(world, world.hr)
    with pytest.raises(Unavailable, match="budget of calls for answering is used up") as caught:
        enter(world, world.shop)
    assert caught.value.code == "over_budget"
    gate.enter(organization_id=world.globex.pk, role_agent=world.their_it, feature=Feature.ASK)


def test_tokens_run_out_as_well(world):
    limit(world, daily_tokens=100)
    gate.settle(enter(world), input_tokens=90, output_tokens=10)
    with pytest.raises(Unavailable, match="budget of tokens for answering is used up"):
        enter(world)


def test_a_new_day_is_a_new_budget(world):
    limit(world, daily_calls=1)
    enter(world)
    FeatureUsage.objects.update(day=gate.today() - timedelta(days=1))
    enter(world)
    assert FeatureUsage.objects.count() == 2


def test_fifty_at_once_get_no_more_than_ten(transactional_db):
    world = make_world()
    limit(world, daily_calls=10)
    start, answers = threading.Barrier(50), []
    agents = [world.it, world.hr, world.shop]

    def go(n):
        start.wait()
        try:
            enter(world, agents[n % 3])
            answers.append("in")
        except Unavailable as error:
            answers.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=(n,)) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answers.count("in"), answers.count("over_budget")) == (10, 40)
    rows = FeatureUsage.objects.values_list("calls", "refused")
    assert (sum(calls for calls, _ in rows), sum(refused for _, refused in rows)) == (10, 40)


def test_it_may_not_be_entered_inside_a_transaction(transactional_db):
    world = make_world()
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        enter(world)


@pytest.mark.parametrize("who", ["ada", "cleo", "dan"])
def test_only_admins_change_budgets(world, who):
    with pytest.raises(Denied):
        gate.change_access(
            actor=world.actor(getattr(world, who)), feature=Feature.ASK, enabled=False, daily_calls=1, daily_tokens=1
        )


def test_adam_changes_a_budget_and_it_is_told(world):
    adam = world.actor(world.adam)
    gate.change_access(actor=adam, feature=Feature.ASK, enabled=True, daily_calls=5, daily_tokens=2_000_000)
    event = LearningEvent.objects.get()
    assert event.sentence == "Adam changed the settings of AI access to answering"
    assert event.details == {"changed": {"daily_calls": [2000, 5]}}
    with pytest.raises(Invalid) as caught:
        gate.change_access(actor=adam, feature=Feature.ASK, enabled=True, daily_calls=-1, daily_tokens=1)
    assert "daily_calls" in caught.value.errors
