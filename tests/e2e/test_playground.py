"""The playground, answers and conversations in Chromium: readable for everybody, by keyboard, on a phone, without scripts."""

import re

import pytest
from playwright.sync_api import expect

from digitalworker.runtime.models import AgentRun
from learning.actions.remember import remember
from tests import factories

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
SIZE = "do you have these pants in my size, 38?"
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def shop(db, settings):
    settings.DW_EMBEDDING = "none"
    w = factories.let_shop_learn(factories.make_world())
    ben = w.actor(w.ben)
    remember(actor=w.actor(w.olga), role_agent=None, scope="organization", key="delivery", content="Three days")
    remember(actor=ben, role_agent=w.shop, key="delivery", content="Two days")
    remember(actor=ben, role_agent=w.shop, content="Pants run small: recommend one size up.")
    return w


@pytest.fixture
def ben(shop, enter):
    return enter(shop.ben)


def ask(page, text=SIZE):
    replies = page.locator("#turns .bubble[data-kind=reply]")
    before = replies.count()
    page.get_by_label("Message to Shop Assistant").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(replies).to_have_count(before + 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_readable_for_everybody(ben, page, console_errors, scheme, faults):
    page.emulate_media(color_scheme=scheme)
    ben("/app/playground")
    assert faults() == []
    ben("/app/playground/shop?as=ABC")
    assert faults() == []
    ask(page)
    expect(page.locator("#learned")).to_contain_text("1 proposal waits")
    page.get_by_text("The whole system prompt").click()
    expect(page.locator("#system-prompt")).to_contain_text("You are Shop Assistant")
    assert faults() == []
    run = AgentRun.objects.latest("id")
    pages = ["/app/runs", f"/app/runs/{run.pk}", "/app/conversations", f"/app/conversations/{run.thread_id}"]
    for path in [*pages, "/app/conversations?agent=shop&q=pants", "/app/conversations?agent=shop&q=zebra"]:
        ben(path)
        assert faults() == [], path


def test_the_conversation_goes_on_where_it_was(ben, page, console_errors):
    ben("/app/playground/shop?as=ABC")
    ask(page)
    box = page.get_by_label("Message to Shop Assistant")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    ask(page, "and in blue?")
    expect(page.locator("#turns .bubble")).to_have_count(4)
    assert AgentRun.objects.values("thread").distinct().count() == 1
    page.reload()
    expect(page.locator("#turns .bubble")).to_have_count(4)
    page.get_by_role("link", name="New conversation").click()
    expect(page).to_have_url(re.compile(r"\?as=ABC$"))
    expect(page.locator("#turns .bubble")).to_have_count(0)


def test_enter_sends_as_the_person_typed_above_even_without_a_switch(ben, page, console_errors):
    ben("/app/playground/shop")
    page.get_by_label("Talk as").fill("ABC")
    box = page.get_by_label("Message to Shop Assistant")
    box.press_sequentially("do you have these pants")
    box.press("Shift+Enter")
    box.press_sequentially("in my size, 38?")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"as=ABC&thread=[0-9a-f-]+$"))
    expect(page.locator("#turns .bubble")).to_have_count(2)
    expect(page.locator("#talk-as-hint")).to_contain_text("coming from ABC")
    assert AgentRun.objects.get().person.external_user_id == "ABC"


def test_on_a_phone_one_side_at_a_time(ben, page, console_errors, faults):
    page.set_viewport_size(PHONE)
    ben("/app/playground/shop?as=ABC")
    ask(page)
    expect(page.locator("#context")).to_be_hidden()
    page.get_by_text("What went in", exact=True).click()
    expect(page.locator("#context")).to_be_visible()
    expect(page.locator("#turns")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert faults() == []


def test_it_works_without_scripts(shop, enter, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    enter(shop.ben, on=page)("/app/playground/shop?as=ABC")
    page.get_by_label("Message to Shop Assistant").fill(SIZE)
    page.get_by_role("button", name="Send").click()
    expect(page).to_have_url(re.compile(r"as=ABC&thread=[0-9a-f-]+#e-"))
    expect(page.locator("#turns .bubble")).to_have_count(2)
    expect(page.locator("#context")).to_contain_text("delivery: Three days")
    context.close()


def test_a_message_in_a_long_conversation_is_shown_where_a_link_points(ben, page, console_errors):
    ben("/app/playground/shop?as=ABC")
    for number in range(12):
        ask(page, f"what about number {number}?")
    run = AgentRun.objects.earliest("id")
    ben(f"/app/messages/{run.question_id}")
    target = page.locator(f"#e-{run.question_id}")
    expect(target).to_be_in_viewport()
    expect(target).to_have_class(re.compile("is-target"))
