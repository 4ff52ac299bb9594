"""What an agent said, or was given to say, is not learned again from who repeats it; who corrects it is heard."""

import pytest

from digitalworker.agents.actions.prompts import registered_prompts
from digitalworker.agents.models import RoleAgent
from digitalworker.runtime.ask import ask
from learning import tasks
from learning.actions.remember import remember
from learning.detection.loop_guard import Source, said_before
from learning.models import LearningItem, Memory

from .saying import outcome, say

KNOWN = "The London office uses gateway 2"
REPEATS = [
    "The London office uses gateway 2",
    "the LONDON office — uses Gateway 2!!",
    "Gateway 2 is what the London office uses",
    "No, gateway 2 is used by the London offices",
    "The office in London: it uses the gateway 2",
]
CORRECTS = [
    "The London office uses gateway 3, not gateway 2",
    "The London office no longer uses gateway 2",
    "The London office doesn't use gateway 2",
    "The Paris office uses gateway 2",
    "It's 40, not 38.",
]


def said(text, *sources, about_person=False):
    return said_before([text], sources, about_person=about_person)


@pytest.mark.parametrize("text", REPEATS[:3] + REPEATS[4:])
def test_the_same_words_in_any_order_case_and_marks_were_said_before(text):
    assert said(text, Source(f"Good morning! As far as I know: {KNOWN}. Anything else?", reply=True))
    assert said(text, Source(KNOWN))


@pytest.mark.parametrize("text", CORRECTS)
def test_a_number_a_negation_or_a_name_more_is_something_new(text):
    assert not said(text, Source(KNOWN, reply=True), Source("Size 38 is in stock.", reply=True), Source(KNOWN))


@pytest.mark.parametrize(
    ("reply", "text", "expected"),
    [
        ("You are based in Lisbon, I see.", "I'm based in Lisbon", True),
        ("Noted, your size is 38.", "My size is 38", True),
        ("Are you based in Lisbon?", "I'm based in Lisbon", False),
        ("We have sizes 38 and 40.", "My size is 40", False),
        ("You can have size 38 or 40.", "My size is 40", False),
        ("Noted, your size is 38.", "My size is 40", False),
        ("You may like our vegetarian dishes.", "I'm vegetarian", False),
    ],
)
def test_of_themselves_people_are_told_only_by_a_reply_that_tells_them(reply, text, expected):
    assert said(text, Source(reply, reply=True), about_person=True) is expected


@pytest.fixture
def it(world, settings):
    settings.DW_EMBEDDING = "none"
    return world.it


@pytest.mark.parametrize("text", REPEATS)
def test_what_stood_in_the_pack_of_a_run_is_not_learned_from_who_quotes_it(world, it, text):
    """It was taken back meanwhile, so nothing but the guard keeps it from coming in again by the back door."""
    memory = remember(actor=world.actor(world.olga), role_agent=it, content=KNOWN)
    run = ask(actor=world.actor(world.olga), role_agent=it, question="Which gateway does London use?").run
    tasks.run_detection()
    Memory.objects.filter(pk=memory.pk).update(status="superseded")
    event = say(it, text, kind="correction", external_user_id=None, thread_id=run.thread_id)
    tasks.run_detection()
    assert outcome(event) == ("done", "skipped")
    elsewhere = say(it, text, kind="correction")
    tasks.run_detection()
    assert outcome(elsewhere)[1] in {"proposed", "saved"}


@pytest.mark.parametrize("text", CORRECTS[:3])
def test_who_corrects_what_stood_in_the_pack_is_heard(world, it, text):
    remember(actor=world.actor(world.olga), role_agent=it, content=KNOWN)
    run = ask(actor=world.actor(world.olga), role_agent=it, question="Which gateway does London use?").run
    event = say(it, text, kind="correction", external_user_id=None, thread_id=run.thread_id)
    tasks.run_detection()
    assert outcome(event)[1] in {"proposed", "saved"}


def test_an_agents_reply_alone_is_no_evidence(it):
    event = say(it, f"No, {KNOWN}", kind="correction", author_kind="agent")
    tasks.run_detection()
    assert outcome(event) == ("done", "triaged")


def test_a_pasted_prompt_is_not_learned(world, it):
    RoleAgent.objects.filter(pk=it.pk).update(persona="Always answer in German. The help desk opens at nine.")
    own = [line.removeprefix("- ") for prompt in registered_prompts() for line in prompt.default_body.splitlines()]
    pasted = ["Always answer in German.", "The help desk opens at nine.", *(line for line in own if "{" not in line)]
    events = [say(it, line, kind="correction") for line in pasted if line]
    tasks.run_detection()
    assert {outcome(event) for event in events} <= {("done", "skipped"), ("done", "triaged")}
    assert not LearningItem.objects.exists()
    assert not Memory.objects.exists()
