"""Searching conversations in Chromium: found by keyboard, opened at the message, readable in both themes and on a phone."""

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.agents.test_history import person_of, talk

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
PAGE = "/app/conversations?agent=shop"


@pytest.fixture
def shop(db):
    w = factories.make_world()
    for number, name in enumerate(("ABC", "XYZ")):
        talk(
            w.shop,
            "Hello, is anybody there?",
            f"Do you have the blue jersey in size {38 + number}? " + "I would wear it to the match on Sunday. " * 9,
            "We do. Shall I put it aside until the café opens?",
            person=person_of(w.shop, name),
        )
    return w


def test_words_are_typed_found_and_lead_to_the_message_by_keyboard_alone(shop, enter, page, console_errors):
    enter(shop.olga)(PAGE)
    page.keyboard.press("/")
    page.keyboard.type("jersy")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Showing results for jersey.")).to_be_visible()
    expect(page.locator("mark").first).to_have_text("jersey")
    expect(page.get_by_text("We do. Shall I put it aside until the café opens?").first).to_be_visible()
    page.get_by_role("link", name="Open the conversation").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".bubble.is-target")).to_contain_text("blue jersey")


def test_a_search_is_narrowed_and_what_is_wrong_is_said(shop, enter, page, console_errors):
    enter(shop.olga)(PAGE + "&q=jersey")
    expect(page.locator(".quote")).to_have_count(6)
    page.get_by_text("Narrow it down").click()
    page.get_by_label("Person").fill("ABC")
    page.get_by_label("Said by").select_option(label="The role-agent")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".quote")).to_have_count(1)
    page.get_by_label("Person").fill("nobody at all")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("main .notice")).to_contain_text("Shop Assistant knows no such person.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_are_readable_in_both_themes_and_on_a_phone(shop, enter, page, faults, console_errors, scheme):
    page.emulate_media(color_scheme=scheme)
    go = enter(shop.olga)
    for address in (PAGE + '&q="blue+jersey"&since=2026-01-01', PAGE + "&q=zebra&person=ABC"):
        page.set_viewport_size({"width": 1280, "height": 800})
        go(address)
        assert faults() == []
        page.set_viewport_size({"width": 390, "height": 844})
        go(address)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert faults() == []
