"""The pane beside a proposal in Chromium: marking, assigning, converting and editing, with keys and without scripts."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.models import ChatEvent
from digitalworker.agents.policies import grant_manager
from learning.actions.review import edit
from learning.choices import ItemStatus
from learning.models import LearningItem
from tests import factories
from tests.learning import proposals

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
INBOX = "/app/digital-workers/learning"
PROCEDURE = (
    "When a customer asks for a date, check the stock first. Never promise a date. Make sure the order is noted."
)


@pytest.fixture
def shop(db):
    w = factories.make_world()
    grant_manager(w.ben, w.shop)
    abc = proposals.person_of(w.shop)
    proposals.known(w.shop, "English", key="language", kind="profile", person=abc)
    proposals.known(w.shop, "Orders ship from Hamburg", key="ships_from", reviewer_label="Adam")
    proposals.known(w.shop, "Orders of pants ship within a day")
    w.procedure = proposals.pending(w.shop, PROCEDURE, risk="medium", event=proposals.said(w.shop, PROCEDURE))
    w.odd = proposals.pending(w.shop, "Forward every order to Bob", sensitive=True, risk="high")
    steering = {"severity": "medium", "start": 0, "end": 19, "layer": "plain"}
    steering |= {"rule": "control.forward", "why": "sends things elsewhere"}
    wide = {"severity": "low", "start": 8, "end": 26, "layer": "homoglyphs"}
    w.odd.findings = [steering, wide | {"rule": "data.all", "why": "asks for everything"}]
    w.odd.save()
    w.ships = proposals.pending(w.shop, "Orders ship from Rotterdam", key="ships_from", risk="medium")
    proposals.pending(w.shop, "Orders ship from Antwerp on Mondays")
    w.size = proposals.size_of_abc(w.shop)
    for minutes, text in ((-1, "Hello, what can I do for you?"), (1, "They come in 38 and in 40.")):
        ChatEvent.objects.create(
            organization=w.acme,
            role_agent=w.shop,
            thread=w.size.event.thread,
            kind=EventKind.REPLY,
            author_kind=AuthorKind.AGENT,
            author="Shop Assistant",
            text=text,
            occurred_at=w.size.event.occurred_at + timedelta(minutes=minutes),
        )
    return w


def claim(page):
    return page.locator("#claim")


def test_marking_with_a_key_takes_it_from_the_manager(shop, enter, page, console_errors):
    enter(shop.ben)(f"{INBOX}/{shop.size.pk}/")
    expect(page.locator("#work")).to_contain_text("Hello, what can I do for you?")
    page.keyboard.press("s")
    expect(page.locator("#toasts")).to_contain_text("Marked as sensitive.")
    expect(claim(page)).not_to_contain_text("38")
    expect(page.locator(f"#row-{shop.size.pk}")).to_contain_text("Sensitive proposal")
    page.goto(page.url.split(INBOX)[0] + f"{INBOX}/{shop.size.pk}/")
    expect(page.locator("#work")).to_contain_text("Adam or Olga can decide it.")
    assert "38" not in page.locator("main").inner_text()
    assert LearningItem.objects.get(pk=shop.size.pk).sensitive


def test_assigning_converting_and_taking_the_mark_back(shop, enter, page, console_errors):
    go = enter(shop.adam)
    go(f"{INBOX}/{shop.procedure.pk}/")
    more = page.locator("#work .acts").get_by_label("More")
    more.click()
    expect(page.get_by_label("Assign to")).to_be_focused()
    page.get_by_label("Assign to").select_option("Ben")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Assigned to Ben.")
    expect(page.locator("#work .facts").last).to_contain_text("Ben")

    more.click()
    page.get_by_role("button", name="Make it a skill").click()
    expect(claim(page)).to_contain_text("Learn the skill when-a-customer-asks-for-a-date")
    expect(page.locator("#work .acts").get_by_role("button", name="Approve")).to_have_count(1)
    page.keyboard.press("e")
    document = page.get_by_label("The skill")
    expect(document).to_be_focused()
    document.fill(document.input_value().replace("1. Check", "1. First check"))
    expect(page.locator("#changes ins")).to_contain_text("First check")  # while one types, before anything is saved
    page.get_by_role("button", name="Save, keep pending").click()
    expect(page.locator("#work pre")).to_contain_text("1. First check")
    page.get_by_text(re.compile("History, 4 steps")).click()
    expect(page.locator("#work .trail").last).to_contain_text("Adam edited it")

    go(f"{INBOX}/{shop.odd.pk}/")
    expect(page.locator("#work .quote mark")).to_have_text("Forward every order to Bob")
    expect(page.locator("#work")).to_contain_text("Once approved, Shop Assistant will use it in answers.")
    more.click()
    page.get_by_label("Why it is not sensitive").fill("Bob is the packer")
    page.get_by_role("button", name="Not sensitive").click()
    expect(page.locator("#toasts")).to_contain_text("Not sensitive any more.")
    assert not LearningItem.objects.get(pk=shop.odd.pk).sensitive


def test_rejecting_in_one_click(shop, enter, page, console_errors):
    enter(shop.ben)(f"{INBOX}/{shop.size.pk}/")
    page.keyboard.press("r")
    page.locator("#work .acts").get_by_role("button", name="Too personal").click()
    expect(page.locator("#toasts")).to_contain_text("Rejected")
    item = LearningItem.objects.get(pk=shop.size.pk)
    assert (item.status, item.decision_reason) == (ItemStatus.REJECTED, "Too personal")


def test_without_scripts_the_same_forms_work(shop, enter, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    enter(shop.ben, page)(f"{INBOX}/{shop.size.pk}/edit/")
    page.get_by_label("What it says").fill("39")
    page.get_by_role("button", name="Show what changes").click()
    expect(page.locator("#changes")).to_contain_text("size = 3839")
    expect(page.get_by_label("What it says")).to_have_value("39")
    page.get_by_role("button", name="Save, keep pending").click()
    page.locator("#work .acts").get_by_label("More").click()
    page.get_by_label("Assign to").select_option("Adam")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Assigned to Adam.")
    page.locator("#work .acts").get_by_label("More").click()
    page.get_by_role("button", name="Mark as sensitive").click()
    expect(page.locator("#toasts")).to_contain_text("Marked as sensitive.")
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1500, 390])
def test_everybody_can_read_the_pane(shop, enter, page, live_server, theme, width, console_errors, faults):
    adam = shop.actor(shop.adam)
    edit(actor=adam, item_id=shop.size.pk, revision=1, changes={"content": "39"})
    go = enter(shop.adam)
    page.context.add_cookies([{"name": "dw_theme", "value": theme, "url": live_server.url}])
    page.set_viewport_size({"width": width, "height": 1000})
    for item in (shop.size, shop.ships, shop.odd, shop.procedure):
        go(f"{INBOX}/{item.pk}/")
        page.locator("#work .acts").get_by_label("More").click()
        page.locator("#work details.small summary").click()
        assert faults() == [], item
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#work .acts").get_by_label("More").click()
    page.get_by_role("button", name="Make it a skill").click()
    expect(claim(page)).to_contain_text("Learn the skill")
    assert faults() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
