"""Asking an agent: what is recorded, what the model is given, and what happens when it fails."""

import threading

import pytest
from django.utils import timezone

from digitalworker.agents.choices import Feature
from digitalworker.agents.models import ChatEvent, FeatureAccess, FeatureUsage, RoleAgent
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound
from digitalworker.runtime import ask as asking
from digitalworker.runtime.ask import ask, close_abandoned
from digitalworker.runtime.models import AgentRun, RunMemory, RunStatus
from learning.actions.remember import remember
from learning.models import LearningItem, Memory
from tests.factories import make_world
from tests.runtime.saying import calls, says


@pytest.fixture
def world(db):
    world = make_world()
    RoleAgent.objects.filter(pk=world.shop.pk).update(people_learning="review")
    world.shop.refresh_from_db()
    return world


def instructions_of(seen):
    return seen.calls[0][1].instructions


def test_dan_who_manages_nothing_and_cleo_who_audits_can_not_ask(world):
    for user in (world.dan, world.cleo):
        with pytest.raises(Denied, match="You may read about IT Agent, and not talk to it here."):
            ask(actor=world.actor(user), role_agent=world.it, question="hello")
    assert not ChatEvent.objects.exists()


def test_without_a_model_the_local_responder_answers_and_says_so(world):
    remember(actor=world.actor(world.ada), role_agent=world.it, content="The London office uses gateway 2")
    answer = ask(actor=world.actor(world.ada), role_agent=world.it, question="Which gateway does London use?")
    assert answer.text.startswith("No language model is configured")
    assert "The London office uses gateway 2" in answer.text
    run = AgentRun.objects.get()
    assert (run.status, run.route, run.notices) == (RunStatus.COMPLETED, "local", ["no_model"])
    assert run.question.text == "Which gateway does London use?"
    assert run.reply.text == answer.text and run.reply.thread_id == run.question.thread_id


def test_each_memory_that_was_given_is_counted_once_and_listed_with_the_run(world):
    memory = remember(actor=world.actor(world.ada), role_agent=world.it, content="Use gateway 2")
    run = ask(actor=world.actor(world.ada), role_agent=world.it, question="gateway?").run
    memory.refresh_from_db()
    assert memory.use_count == 1 and memory.last_used_at is not None
    assert list(RunMemory.objects.values_list("run_id", "memory_id", "digest")) == [(run.pk, memory.pk, memory.digest)]
    assert memory.history.count() == 1, "being used is no change of what is known"


def test_the_model_is_given_the_pack_and_the_threads_earlier_turns(world, scripted):
    remember(actor=world.actor(world.ada), role_agent=world.it, content="Use gateway 2")
    seen = scripted(lambda messages, info: says("Gateway 2."))
    first = ask(actor=world.actor(world.ada), role_agent=world.it, question="Which gateway?", external_user_id="ABC")
    ask(
        actor=world.actor(world.ada),
        role_agent=world.it,
        question="And in Lisbon?",
        external_user_id="ABC",
        thread_id=first.thread_id,
    )
    assert first.text == "Gateway 2."
    assert "- Use gateway 2" in instructions_of(seen)
    texts = [part.content for message in seen.calls[1][0] for part in message.parts]
    assert texts == ["Which gateway?", "Gateway 2.", "And in Lisbon?"]
    assert (first.run.route, first.run.status) == ("model", "completed")
    usage = FeatureUsage.objects.get()
    assert (usage.feature, usage.calls, usage.failed) == (Feature.ASK, 2, 0)
    assert usage.output_tokens > 0


def test_remember_fact_proposes_changes_nothing_now_and_answers_neutrally(world, scripted):
    answers = []

    def play(messages, info):
        if len(answers) == 0:
            answers.append(None)
            return calls("remember_fact", key="size", content="38")
        answers.append(messages[-1].parts[0].content)
        return says("Noted.")

    scripted(play)
    ben = world.actor(world.olga)
    answer = ask(actor=ben, role_agent=world.shop, question="Anything in blue for me?", external_user_id="ABC")
    assert answers == [None, "Saved for review."]
    item = LearningItem.objects.get()
    assert (item.title, item.status, item.source) == ("size = 38", "pending", "tool")
    assert item.proposed_by_label == "Shop Assistant"
    assert item.event_id == answer.run.question_id
    assert not Memory.objects.exists()
    assert (answer.run.memory_proposed, answer.run.tool_calls[0]["tool"]) == (1, "remember_fact")
    assert set(answer.run.tool_calls[0]) == {"tool", "ok", "ms"}, "what people said stays out of the trace"


def test_a_secret_the_model_wants_to_keep_is_refused_and_the_model_learns_nothing_of_it(world, scripted):
    heard = []

    def play(messages, info):
        if not heard:
            heard.append(None)
            return calls("remember_fact", key="login", content="my password is " + "Tr0ub4dor" + "&3xyz")
        heard.append(messages[-1].parts[0].content)
        return says("Fine.")

    scripted(play)
    answer = ask(actor=world.actor(world.olga), role_agent=world.shop, question="Remember it", external_user_id="ABC")
    assert heard[1] == "Saved for review."
    assert not LearningItem.objects.exists()
    assert answer.run.memory_proposed == 0


@pytest.mark.parametrize("external_user_id", [None, "ABC"])
def test_remember_fact_is_offered_only_where_the_person_may_be_learned_about(world, scripted, external_user_id):
    seen = scripted(lambda messages, info: says("Hi."))
    agent = world.it if external_user_id else world.shop
    ask(actor=world.actor(world.olga), role_agent=agent, question="hello", external_user_id=external_user_id)
    assert [tool.name for tool in seen.calls[0][1].function_tools] == ["search_agent_history"]


def test_one_persons_words_are_no_search_hit_for_another(world, scripted):
    found = []

    def play(messages, info):
        if len(messages) == 1:
            return calls("search_agent_history", query="zebra trousers")
        found.append(messages[-1].parts[0].content)
        return says("Done.")

    scripted(play)
    olga = world.actor(world.olga)
    ask(actor=olga, role_agent=world.shop, question="I bought zebra trousers", external_user_id="XYZ")
    ask(actor=olga, role_agent=world.shop, question="what did I buy?", external_user_id="ABC")
    ask(actor=olga, role_agent=world.shop, question="what was it I bought?", external_user_id="XYZ")
    assert "zebra" not in found[1]
    assert "zebra" in found[2]


@pytest.mark.parametrize("problem, code", [("timeout", "timeout"), ("http", "rate_limited"), ("empty", "empty")])
def test_a_failing_model_gives_a_clear_answer_a_failed_run_and_loses_no_event(world, scripted, problem, code):
    from pydantic_ai.exceptions import ModelHTTPError

    def play(messages, info):
        if problem == "timeout":
            raise TimeoutError
        if problem == "http":
            raise ModelHTTPError(429, "scripted")
        return says("  ")

    scripted(play)
    answer = ask(actor=world.actor(world.ada), role_agent=world.it, question="hello?")
    assert answer.text.endswith("Your message is kept; you can ask again.")
    run = AgentRun.objects.get()
    assert (run.status, run.error_code) == (RunStatus.FAILED, code)
    assert list(run.thread.events.order_by("id").values_list("kind", flat=True)) == ["message", "reply"]
    assert FeatureUsage.objects.get().failed == 1


def test_our_own_mistake_is_not_hidden_and_the_run_says_it_failed(world, scripted, monkeypatch):
    def broken(**kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr(asking, "build_context", broken)
    with pytest.raises(ZeroDivisionError):
        ask(actor=world.actor(world.ada), role_agent=world.it, question="hello?")
    assert AgentRun.objects.get().error_code == "internal"
    assert ChatEvent.objects.get().text == "hello?"


def test_over_budget_the_local_responder_answers_and_says_why(world, scripted):
    seen = scripted(lambda messages, info: says("never"))
    FeatureAccess.objects.create(organization=world.acme, feature=Feature.ASK, daily_calls=0)
    answer = ask(actor=world.actor(world.ada), role_agent=world.it, question="hello?")
    assert seen.calls == []
    assert (answer.run.route, answer.run.error_code, answer.run.status) == ("local", "over_budget", "completed")


def test_a_disabled_agent_a_foreign_thread_and_an_empty_question_are_refused(world):
    ada = world.actor(world.ada)
    theirs = ask(actor=world.actor(world.olga), role_agent=world.hr, question="hi").thread_id
    with pytest.raises(NotFound):
        ask(actor=ada, role_agent=world.it, question="hi", thread_id=theirs)
    with pytest.raises(Invalid):
        ask(actor=ada, role_agent=world.it, question=" \x00 ")
    RoleAgent.objects.filter(pk=world.it.pk).update(status="disabled")
    with pytest.raises(Conflict, match="IT Agent is disabled"):
        ask(actor=ada, role_agent=world.it, question="hi")


def test_a_run_whose_process_died_does_not_seem_to_run_for_ever(world):
    run = ask(actor=world.actor(world.ada), role_agent=world.it, question="hello?").run
    long_ago = timezone.now() - asking.ABANDONED_AFTER * 2
    AgentRun.objects.filter(pk=run.pk).update(status=RunStatus.RUNNING, created_at=long_ago)
    assert close_abandoned() == 1
    run.refresh_from_db()
    assert (run.status, run.error_code) == (RunStatus.FAILED, "interrupted")


@pytest.mark.django_db(transaction=True)
def test_two_answers_at_once_that_use_the_same_memories_count_both(scripted):
    from django.db import connection

    world = make_world()
    for number in range(15):
        remember(actor=world.actor(world.ada), role_agent=world.it, content=f"Gateway note {number}")
    failures = []

    def one():
        try:
            ask(actor=world.actor(world.ada), role_agent=world.it, question="gateway")
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []
    assert set(Memory.objects.values_list("use_count", flat=True)) == {6}
