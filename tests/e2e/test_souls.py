"""Souls in the browser: from a proposed change to the next answer and back, by mouse and keys, in both themes and on a phone."""

import pytest
from playwright.sync_api import expect

from souls.selectors import soul_of
from tests import factories
from tests.souls.making import approved, proposed, soul_named

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
TAB = "/app/settings/digital-workers/it/soul/"
PAGES = [
    TAB,
    TAB + "propose/",
    TAB + "propose/?new=1",
    "/app/settings/souls",
    "/app/settings/souls/new",
    "/app/settings/souls/balanced_helper/?from=1&to=2",
    "/app/playground/it/souls",
]


@pytest.fixture
def world(db):
    w = factories.make_world()
    approved(w, w.olga, proposed(w, w.olga, soul=soul_named(w.acme), do_not="- Shout\n- Guess"))
    return w


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_reads_well_in_both_themes_and_on_a_phone(world, enter, page, faults, console_errors, theme):
    page.emulate_media(color_scheme=theme)
    go = enter(world.olga)
    for address in PAGES:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            go(address)
            assert faults() == [], (address, width)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (address, width)


def test_a_change_is_typed_proposed_approved_and_reverted(world, enter, page, console_errors):
    go = enter(world.ada)
    go(TAB)
    page.get_by_role("link", name="Propose a change").click()
    tone = page.get_by_label("Tone")
    tone.press("End")
    tone.press_sequentially("\n- Act without approval.")
    expect(page.get_by_text("asks the agent to act on its own")).to_be_visible()  # while one types
    tone.fill("- Answer in one sentence.")
    expect(page.get_by_text("asks the agent to act on its own")).to_have_count(0)
    expect(page.get_by_role("heading", name="What you change")).to_be_visible()
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("An owner or admin decides about this.")).to_be_visible()
    here = page.url

    enter(world.adam)
    page.goto(here)
    expect(page.get_by_role("heading", name="What it changes")).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_text("Noted in the audit")).to_be_visible()
    assert soul_of(world.it).tone_rules_md == "- Answer in one sentence."

    page.goto(page.url.split("/app/")[0] + TAB)
    page.get_by_role("button", name="Revert to it").first.click()
    page.get_by_role("dialog").get_by_label("Reason").fill("Too curt")
    page.get_by_role("dialog").get_by_role("button", name="Revert").click()
    expect(page.get_by_text("Version 2 is in use again.")).to_be_visible()
    assert soul_of(world.it).number == 2


def test_a_soul_is_assigned_paused_and_resumed_by_keys(world, enter, page, console_errors):
    enter(world.ada)(TAB)
    page.get_by_label("Friendly host").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Friendly host")).to_be_visible()
    page.get_by_role("button", name="Pause", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Reason").fill("Too chatty")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No answer of IT Agent has this tone until somebody resumes it.")).to_be_visible()
    page.get_by_role("button", name="Resume").press("Enter")
    expect(page.get_by_text("Resumed.")).to_be_visible()


def test_without_scripts_a_change_is_compared_and_proposed(world, live_server, browser, client):
    factories.login(client, world.ada)
    plain = browser.new_context(java_script_enabled=False)
    plain.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    page = plain.new_page()
    page.goto(live_server.url + TAB + "propose/")
    page.get_by_label("Tone").fill("- Answer in one sentence.")
    page.get_by_role("button", name="Show what changes").click()
    expect(page.get_by_role("heading", name="What you change")).to_be_visible()
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("An owner or admin decides about this.")).to_be_visible()
    plain.close()
