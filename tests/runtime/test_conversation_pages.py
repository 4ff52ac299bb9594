"""Reading conversations: whose they are, the message a link points at, and words that were said."""

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from digitalworker.agents.actions.channels import assign_channel
from digitalworker.agents.actions.conversations import EventDraft
from digitalworker.agents.models import ChatEvent, Organization, Thread
from digitalworker.audit import links
from digitalworker.common.types import worker_actor
from learning.actions.intake import take_in
from learning.models import LearningItem
from learning.tasks import run_detection
from tests.learning import proposals

SIZE = "do you have these pants in my size, 38?"


def said(world, *texts, agent=None, person="ABC", **more) -> Thread:
    agent = agent or world.shop
    begun = timezone.now() - timedelta(days=2)
    drafts = [
        EventDraft(
            kind="message",
            text=text,
            author_kind="person",
            external_user_id=person,
            occurred_at=begun + timedelta(minutes=number),
            **more,
        )
        for number, text in enumerate(texts)
    ]
    recorded = take_in(actor=worker_actor(agent.organization_id, agent.pk), role_agent=agent, drafts=drafts)
    return recorded[0].event.thread


def read(client, thread, **query):
    return client.get(reverse("runtime:conversation", args=[thread.pk], query=query))


@pytest.mark.parametrize("who", ["ada", "dan", "gus"])
def test_whoever_does_not_see_the_agent_finds_no_conversation(shop, as_user, who):
    thread = said(shop, SIZE)
    client = as_user(getattr(shop, who))
    assert read(client, thread).status_code == 404
    event = ChatEvent.objects.get()
    assert client.get(reverse("runtime:message", args=[event.pk])).status_code == 404
    assert client.get(reverse("runtime:conversations"), {"agent": "shop"}).status_code == 404
    assert SIZE not in client.get(reverse("runtime:conversations")).content.decode()


@pytest.mark.parametrize("who", ["ben", "olga", "adam", "cleo"])
def test_managers_admins_and_auditors_read_it(shop, as_user, who):
    thread = said(shop, SIZE)
    assert SIZE in read(as_user(getattr(shop, who)), thread).content.decode()


def test_a_link_to_a_message_opens_the_page_that_holds_it(shop, as_user):
    thread = said(shop, *[f"message number {number}." for number in range(160)])
    event = ChatEvent.objects.get(text="message number 40.")
    client = as_user(shop.ben)
    moved = client.get(reverse("runtime:message", args=[event.pk]))
    assert moved.headers["Location"] == (
        reverse("runtime:conversation", args=[thread.pk]) + f"?event={event.pk}#e-{event.pk}"
    )
    text = client.get(moved.headers["Location"]).content.decode()
    assert f'id="e-{event.pk}"' in text and "is-target" in text
    assert "message number 54." in text and "message number 55." not in text  # some of what came after
    assert "Earlier messages" in text and "Later messages" in text


@pytest.mark.parametrize("number", [0, 1, 100, 148, 159])
def test_whichever_message_it_is(shop, as_user, number):
    thread = said(shop, *[f"message number {each}." for each in range(160)])
    event = ChatEvent.objects.get(text=f"message number {number}.")
    assert f'id="e-{event.pk}"' in read(as_user(shop.ben), thread, event=event.pk).content.decode()


def test_a_link_to_a_message_of_another_conversation_leads_nowhere(shop, as_user):
    thread, other = said(shop, SIZE), said(shop, "hello", person="XYZ")
    client = as_user(shop.ben)
    assert read(client, thread, event=other.events.get().pk).status_code == 404
    assert read(client, thread, event="nonsense").status_code == 404
    assert read(client, thread, event=uuid.uuid4()).status_code == 404
    assert read(client, thread, cursor="nonsense").status_code == 400


def test_paging_walks_through_everything_once(shop, as_user):
    thread = said(shop, *[f"message number {number}." for number in range(160)])
    client, seen, cursor = as_user(shop.ben), [], ""
    for _ in range(4):
        page = read(client, thread, cursor=cursor).context["page"]
        seen = [event.text for event in page.rows] + seen
        cursor = page.next
    assert cursor is None
    assert seen == [f"message number {number}." for number in range(160)]


def test_a_message_leads_to_what_was_proposed_and_marks_why(shop, as_user):
    thread = said(shop, SIZE)
    run_detection()
    item = LearningItem.objects.get()
    text = read(as_user(shop.ben), thread).content.decode()
    assert links.href("learningitem", str(item.pk)) in text
    assert "my size, 38</mark>?" in text


def test_a_sensitive_proposal_is_there_and_its_words_are_not(shop, as_user):
    thread = said(shop, "hello, I'm allergic to wool.")
    run_detection()
    assert LearningItem.objects.get().sensitive
    text = read(as_user(shop.ben), thread).content.decode()
    assert "a sensitive proposal" in text and "allergy = wool" not in text
    assert "allergy = wool" in read(as_user(shop.cleo), thread).content.decode()


def test_hidden_characters_and_markup_are_shown_and_do_nothing(shop, as_user):
    thread = said(shop, "<script>alert(1)</script> size\u200b\u202e 38")
    text = read(as_user(shop.ben), thread).content.decode()
    assert "<script>alert(1)</script>" not in text
    assert "&lt;script&gt;" in text and 'class="reveal"' in text


def test_unverified_senders_are_marked(shop, as_user):
    assert "identity not verified" in read(as_user(shop.ben), said(shop, SIZE)).content.decode()
    verified = said(shop, SIZE, person="KLM", verified=True)
    assert "identity not verified" not in read(as_user(shop.ben), verified).content.decode()


def test_an_organisation_that_keeps_no_text_says_so(shop, as_user):
    Organization.objects.filter(pk=shop.acme.pk).update(storage_mode="metadata_only")
    thread = said(shop, SIZE)
    text = read(as_user(shop.ben), thread).content.decode()
    assert "This organisation stores no text" in text and SIZE not in text
    assert "text not kept" in as_user(shop.ben).get(reverse("runtime:conversations")).content.decode()


def test_the_list_is_narrowed_by_agent_and_channel(shop, as_user):
    channel = assign_channel(
        actor=shop.actor(shop.olga), agent_id=shop.shop.pk, provider="web", external_id="web", name="Web shop"
    )
    said(shop, "in the web shop", person="one", channel="web")
    said(shop, "nowhere in particular", person="two")
    said(shop, "about leave", agent=shop.hr, person="three")
    client = as_user(shop.ben)
    everything = client.get(reverse("runtime:conversations")).content.decode()
    assert all(text in everything for text in ("in the web shop", "nowhere in particular", "about leave"))
    of_shop = client.get(reverse("runtime:conversations"), {"agent": "shop"}).content.decode()
    assert "about leave" not in of_shop and "in the web shop" in of_shop
    in_channel = client.get(reverse("runtime:conversations"), {"agent": "shop", "channel": channel.pk}).content.decode()
    assert "nowhere in particular" not in in_channel and "in the web shop" in in_channel


def test_words_are_found_marked_and_only_in_ones_own_agents(shop, as_user):
    said(shop, "Where do orders ship from?", "somewhere else entirely")
    client = as_user(shop.ben)
    found = client.get(reverse("runtime:conversations"), {"agent": "shop", "q": "shipping"}).content.decode()
    assert "<mark>ship</mark>" in found
    assert reverse("runtime:message", args=[ChatEvent.objects.get(text__startswith="Where").pk]) in found
    assert (
        "Nothing was found"
        in client.get(reverse("runtime:conversations"), {"agent": "shop", "q": "zebra"}).content.decode()
    )
    assert "Choose a role-agent" in client.get(reverse("runtime:conversations"), {"q": "ship"}).content.decode()
    assert as_user(shop.ada).get(reverse("runtime:conversations"), {"agent": "shop", "q": "ship"}).status_code == 404


def look(client, **query):
    return client.get(reverse("runtime:conversations"), {"agent": "shop", **query}).content.decode()


def test_a_search_is_narrowed_by_person_author_and_days(shop, as_user):
    said(shop, "my jersey shrank", person="one")
    said(shop, "my jersey faded", person="two")
    client, today = as_user(shop.ben), timezone.localdate()
    assert "shrank" in (text := look(client, q="jersey", person="one").replace("<mark>", "")) and "faded" not in text
    assert "Nothing was found" in look(client, q="jersey", by="agent")
    assert "Nothing was found" in look(client, q="jersey", since=today)
    assert "shrank" in look(client, q="jersey", since=today - timedelta(days=2), until=today - timedelta(days=2))
    listed = look(client, person="two")
    assert "faded" in listed and "shrank" not in listed
    assert "No conversation here" in look(client, since=today)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"person": "stranger"}, "Shop Assistant knows no such person."),
        ({"since": "yesterday"}, "“yesterday” is no day."),
        ({"by": "robot"}, "There is no “robot”."),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "This day lies before the first one."),
    ],
)
def test_what_narrows_by_nothing_known_is_told_and_nothing_is_shown(shop, as_user, query, told):
    said(shop, "my jersey shrank")
    for words in ({}, {"q": "jersey"}):
        text = look(as_user(shop.ben), **query, **words)
        assert told in text and "Nothing was looked for" in text and "shrank" not in text


def test_a_person_of_another_agent_is_none_of_this_one(shop, as_user):
    said(shop, "about leave", agent=shop.hr, person="three")
    assert "knows no such person" in look(as_user(shop.ben), q="leave", person="three")


def test_misspelt_words_say_what_was_searched_for_instead(shop, as_user):
    said(shop, "my jersey shrank", "<b>so sad</b>")
    text = look(as_user(shop.ben), q="jersy")
    assert "Nobody said that" in text and '<b dir="auto">jersey</b>' in text
    assert "<b>so sad</b>" not in text and "&lt;b&gt;so sad&lt;/b&gt;" in text  # what came after the hit


def test_results_come_in_pages_and_an_end_that_says_so(shop, as_user):
    for number in range(60):
        said(shop, f"jersey {number}.", person=f"person-{number}")
    client = as_user(shop.ben)
    assert "Messages 1 to 25, the best first" in (text := look(client, q="jersey")) and "First page" not in text
    assert "There may be more" not in text
    last = look(client, q="jersey", cursor="25")
    assert "Messages 26 to 50" in last and "First page" in last and 'rel="next"' not in last
    assert "There may be more: the best 50 are shown." in last
    damaged = {"agent": "shop", "q": "x", "cursor": "nonsense"}
    assert client.get(reverse("runtime:conversations"), damaged).status_code == 400


@pytest.mark.parametrize("rows", [3, 60])
def test_the_pages_cost_at_most_thirteen_queries(shop, as_user, django_assert_max_num_queries, rows):
    thread = said(shop, *[f"my size is {36 + number}." for number in range(rows)])
    for number in range(rows):
        said(shop, SIZE, person=f"person-{number}")
    run_detection()
    client = as_user(shop.ben)
    event = thread.events.order_by("occurred_at").first()
    addresses = [
        reverse("runtime:conversations"),
        reverse("runtime:conversations", query={"agent": "shop"}),
        reverse("runtime:conversations", query={"agent": "shop", "q": "size"}),
        reverse("runtime:conversation", args=[thread.pk]),
        reverse("runtime:conversation", args=[thread.pk], query={"event": event.pk}),
    ]
    for address in addresses:
        with django_assert_max_num_queries(13):
            assert client.get(address).status_code == 200


def test_what_is_known_because_of_a_message_stands_below_it(shop, as_user):
    thread = said(shop, "we ship from Hamburg", "my blood group is zero")
    hamburg, blood = ChatEvent.objects.order_by("occurred_at")
    ref = {"type": "event", "id": str(hamburg.pk), "thread": str(thread.pk), "start": 13, "end": 20}
    saved = proposals.known(
        shop.shop,
        "Orders ship from Hamburg",
        event=hamburg,
        source_refs=[ref],
        autosaved=True,
        detector="local extractor",
    )
    hidden = proposals.known(shop.shop, "blood group zero", event=blood, sensitive=True)
    proposals.known(shop.shop, "Hamburg was closed", event=hamburg, status="deleted")
    page = read(as_user(shop.ben), thread).text
    href = reverse("learning:memory", args=[saved.pk])
    assert f'<a class="chip" data-tone="ok" href="{href}">Saved without asking: Orders ship from Hamburg</a>' in page
    assert "we ship from <mark>Hamburg</mark>" in page
    assert "Known: a sensitive memory" in page and "blood group zero" not in page.replace("my blood group is zero", "")
    assert "closed" not in page
    assert (
        f'href="{reverse("learning:memory", args=[hidden.pk])}">Known: blood group zero</a>'
        in read(as_user(shop.adam), thread).text
    )
