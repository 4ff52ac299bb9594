"""The same question under two souls, in the playground: heard side by side, and nowhere kept."""

import pytest
from django.urls import reverse

from digitalworker.agents.models import ChatEvent
from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Denied, Invalid
from digitalworker.runtime.compare import compare
from digitalworker.runtime.models import AgentRun
from learning.models import LearningItem
from tests.servers import completion
from tests.souls.making import approved, proposed, soul_named

pytestmark = pytest.mark.django_db


def both(w, *codes):
    return tuple(soul_named(w.acme, code) for code in codes or ("balanced_helper", "concise_expert"))


def kept() -> tuple:
    return tuple(model.objects.count() for model in (ChatEvent, AgentRun, LearningItem, LearningEvent))


def test_who_may_not_talk_to_the_agent_compares_nothing(world):
    with pytest.raises(Denied, match=r"^You may read about IT Agent, and not talk to it here\.$"):
        compare(actor=world.actor(world.cleo), role_agent=world.it, question="Which gateway?", souls=both(world))


def test_a_soul_that_may_not_be_read_is_not_heard(world):
    hidden = approved(world, world.olga, proposed(world, world.olga, sensitive=True)).soul
    with pytest.raises(Denied, match=r"^This is sensitive"):
        compare(actor=world.actor(world.ada), role_agent=world.it, question="Which?", souls=(hidden, *both(world)[:1]))


def test_without_a_model_both_prompts_stand_beside_each_other_and_nothing_is_kept(world):
    before = kept()
    first, second = compare(
        actor=world.actor(world.ada), role_agent=world.it, question="Which gateway?", souls=both(world)
    )
    assert "Answer the question in the first sentence" in first.posture
    assert "Lead with the result" in second.posture and first.posture != second.posture
    assert first.answer == second.answer and first.notice.startswith("No language model is configured")
    assert kept() == before
    with pytest.raises(Invalid, match="question"):
        compare(actor=world.actor(world.ada), role_agent=world.it, question=" ", souls=both(world))


def test_a_model_is_asked_once_under_each_without_tools(world, model_server):
    model_server.script = [(200, completion("Gateway 2, kindly.")), (200, completion("Gateway 2."))]
    before = kept()
    heard = compare(actor=world.actor(world.ada), role_agent=world.it, question="Which gateway?", souls=both(world))
    assert [one.answer for one in heard] == ["Gateway 2, kindly.", "Gateway 2."]
    first, second = model_server.requests
    assert not first.get("tools") and not second.get("tools")
    assert "Lead with the result" in str(second["messages"]) and "Lead with the result" not in str(first["messages"])
    assert kept() == before


def test_the_page_shows_both_and_offers_what_may_be_read(world, as_user):
    here = reverse("runtime:compare_souls", args=["it"])
    approved(world, world.olga, proposed(world, world.olga, sensitive=True))
    page = as_user(world.ada).get(here).content.decode()
    assert "Concise expert" in page and "Night porter" not in page
    answer = as_user(world.ada).post(here, {"question": "Which?", "first": "plain_writer", "second": "friendly_host"})
    page = answer.content.decode()
    assert page.count("What the model is told of it") == 2 and "Greet people by name" in page
    bad = as_user(world.ada).post(here, {"question": ""})
    assert bad.status_code == 400 and "write something" in bad.content.decode()
