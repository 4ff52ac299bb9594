"""Why did it say that? What the page of an answer tells, to whom."""

import re
import uuid

import pytest
from django.urls import reverse

from digitalworker.agents.models import ChatEvent, Organization
from digitalworker.audit import links
from digitalworker.common.append_only import erasing
from digitalworker.runtime.ask import ask
from digitalworker.runtime.models import AgentRun, RunStatus
from digitalworker.runtime.selectors.prompts import rebuilt_prompt
from digitalworker.runtime.selectors.runs import story_of, week
from learning.actions.remember import delete_memory, edit_memory, remember
from learning.actions.review import approve
from learning.models import LearningItem, Memory
from learning.tasks import run_detection

QUESTION = "what jerseys would you recommend?"


def asked(world, question=QUESTION, who="ben", **more):
    more.setdefault("external_user_id", "ABC")
    return ask(actor=world.actor(getattr(world, who)), role_agent=world.shop, question=question, **more).run


def learned_size(world):
    asked(world, "do you have these pants in my size, 38?")
    run_detection()
    item = LearningItem.objects.get()
    return approve(actor=world.actor(world.ben), item_id=item.pk, revision=item.revision, digest_seen=item.digest)


def page(as_user, user, run) -> str:
    answer = as_user(user).get(reverse("runtime:run", args=[run.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("who", ["ada", "dan", "gus"])
def test_whoever_does_not_see_the_agent_finds_no_run(shop, as_user, who):
    run = asked(shop)
    client = as_user(getattr(shop, who))
    assert client.get(reverse("runtime:run", args=[run.pk])).status_code == 404
    assert client.get(reverse("runtime:runs"), {"agent": "shop"}).status_code == 404


def test_a_run_that_never_was_is_not_there(shop, as_user):
    assert as_user(shop.olga).get(reverse("runtime:run", args=[uuid.uuid4()])).status_code == 404


@pytest.mark.parametrize("who", ["ben", "olga", "adam", "cleo"])
def test_it_says_where_a_memory_comes_from_and_who_approved_it(shop, as_user, who):
    item = learned_size(shop)
    run = asked(shop)
    text = page(as_user, getattr(shop, who), run)
    assert "size: 38" in text
    assert "Profile of this person, always given" in text
    assert "Approved</a> by" in text or "Approved by <b>Ben</b>" in text
    assert links.href("chatevent", str(item.event_id)) in text
    assert links.href("learningitem", str(item.pk)) in text
    assert links.href("memory", str(item.memory_id)) in text


def test_what_it_knows_about_the_person_comes_before_what_everyone_knows(shop, as_user):
    learned_size(shop)
    olga = shop.actor(shop.olga)
    remember(actor=olga, role_agent=shop.shop, content="Jerseys run small")
    remember(actor=olga, role_agent=None, content="Jerseys are exchanged for a month", scope="organization")
    text = page(as_user, shop.ben, asked(shop))
    heads = re.findall("<h2>(What [^<]+ knows[^<]*)</h2>", text)
    assert heads == ["What it knows about ABC", "What Shop Assistant knows", "What everyone at Acme knows"]


def test_it_shows_the_words_as_they_were_then(shop, as_user):
    memory = remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content="Jerseys are knitted in Porto")
    run = asked(shop)
    edit_memory(actor=shop.actor(shop.ben), memory_id=memory.pk, content="Jerseys are knitted in Braga", revision=None)
    text = page(as_user, shop.ben, run)
    assert "Jerseys are knitted in Porto" in text and "Braga" not in text
    assert "its words changed since" in text


def test_a_memory_deleted_meanwhile_is_shown_and_marked(shop, as_user):
    memory = remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content="Jerseys are knitted in Porto")
    run = asked(shop)
    delete_memory(actor=shop.actor(shop.ben), memory_id=memory.pk, revision=None)
    assert "It is deleted by now." in page(as_user, shop.ben, run)


def test_an_erased_memory_leaves_a_gap_that_says_so(shop, as_user):
    memory = remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content="Jerseys are knitted in Porto")
    run = asked(shop)
    ChatEvent.objects.filter(pk=run.reply_id).update(text="")
    erasing()
    Memory.history.filter(id=memory.pk).delete()
    Memory.objects.filter(pk=memory.pk).delete()
    text = page(as_user, shop.ben, run)
    assert "Porto" not in text
    assert "(erased since)" in text


def test_sensitive_words_are_for_those_who_may_read_them(shop, as_user):
    olga = shop.actor(shop.olga)
    remember(actor=olga, role_agent=shop.shop, content="The jersey supplier is being sued", sensitive=True)
    run = asked(shop)
    ChatEvent.objects.filter(pk=run.reply_id).update(text="no words")
    assert "being sued" not in page(as_user, shop.ben, run)
    assert "(sensitive, not shown to you)" in page(as_user, shop.ben, run)
    assert "being sued" in page(as_user, shop.cleo, run)
    assert "being sued" not in rebuilt_prompt(story_of(shop.actor(shop.ben), run)).text


def test_what_was_left_out_is_named_with_its_reason_and_what_won(shop, as_user):
    remember(actor=shop.actor(shop.olga), role_agent=None, scope="organization", key="delivery", content="Three days")
    remember(actor=shop.actor(shop.ben), role_agent=shop.shop, key="delivery", content="Two days")
    text = page(as_user, shop.ben, asked(shop, "how long does delivery take?"))
    assert "delivery: Two days" in text
    assert "Whole organisation says something else under the same key." in text
    assert "Given instead: delivery: Three days" in text


def test_failures_are_told_in_plain_words(shop, as_user):
    run = asked(shop)
    AgentRun.objects.filter(pk=run.pk).update(status=RunStatus.FAILED, error_code="timeout", route="model")
    assert "I could not answer in time." in page(as_user, shop.ben, run)
    AgentRun.objects.filter(pk=run.pk).update(error_code="interrupted", reply=None)
    assert "The process ended while the answer was made." in page(as_user, shop.ben, run)


def test_the_prompt_put_together_again_is_the_one_that_was_given(shop):
    remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content="Jerseys are knitted in Porto")
    answer = ask(actor=shop.actor(shop.ben), role_agent=shop.shop, question=QUESTION, external_user_id="ABC")
    run = AgentRun.objects.get(pk=answer.run.pk)
    assert rebuilt_prompt(story_of(shop.actor(shop.ben), run)).text == answer.pack.rendered


def test_an_organisation_that_keeps_no_text_says_so(shop, as_user):
    Organization.objects.filter(pk=shop.acme.pk).update(storage_mode="metadata_only")
    shop.shop.refresh_from_db()
    run = asked(shop)
    text = page(as_user, shop.ben, run)
    assert "keeps metadata only" in text and QUESTION not in text


def test_the_week_counts_days_and_the_share_with_a_memory_of_its_own(shop):
    remember(actor=shop.actor(shop.olga), role_agent=shop.shop, scope="organization", content="We close at six")
    asked(shop)
    remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content="Jerseys are knitted in Porto")
    asked(shop)
    found = week(AgentRun.objects.all())
    assert (found.days[-1], found.answers, found.with_memory, found.share) == (2, 2, 1, 50)


def test_the_list_is_filtered_and_shows_only_ones_own(shop, as_user):
    asked(shop)
    client = as_user(shop.ben)
    assert QUESTION in client.get(reverse("runtime:runs"), {"agent": "shop"}).content.decode()
    assert QUESTION not in client.get(reverse("runtime:runs"), {"status": "failed"}).content.decode()
    assert QUESTION not in as_user(shop.ada).get(reverse("runtime:runs")).content.decode()


def test_a_memory_page_lists_the_answers_that_used_it(shop, as_user):
    memory = remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content="Jerseys are knitted in Porto")
    run = asked(shop)
    text = as_user(shop.ben).get(links.href("memory", str(memory.pk))).content.decode()
    assert reverse("runtime:run", args=[run.pk]) in text


@pytest.mark.parametrize("memories", [3, 60])
def test_the_pages_cost_at_most_twelve_queries(shop, as_user, django_assert_max_num_queries, memories):
    rows = [
        remember(actor=shop.actor(shop.ben), role_agent=shop.shop, content=f"Jersey number {number} is made of cotton")
        for number in range(memories)
    ]
    for _ in range(memories // 3):
        run = asked(shop, f"which jersey is number {memories}?")
    for memory in rows[:3]:
        edit_memory(actor=shop.actor(shop.ben), memory_id=memory.pk, content=f"{memory.content} again", revision=None)
    client = as_user(shop.ben)
    for url in (
        reverse("runtime:run", args=[run.pk]),
        reverse("runtime:runs"),
        reverse("runtime:runs") + "?agent=shop",
    ):
        with django_assert_max_num_queries(12):
            assert client.get(url).status_code == 200
