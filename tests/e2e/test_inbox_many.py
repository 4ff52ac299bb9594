"""Fifty proposals in Chromium: by keyboard alone, some at once, similar ones together, taken back, and readable for everybody."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.choices import ItemStatus
from learning.models import LearningItem, Memory
from tests import factories
from tests.learning import proposals

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
INBOX = "/app/digital-workers/learning"
MANY = 60_000  # milliseconds: forty decisions, each with its screening and its audit row, on a busy machine
FLOORS = "archive canteen garage workshop library laboratory gym reception".split()  # noqa: SIM905 - easier to read


@pytest.fixture
def fifty(db):
    """Adam's inbox: 12 sizes of customers, 12 routes in the same words, 6 updates, 8 sensitive ones, 4 for everybody, 8 facts;
    ten of them wait for days."""
    w = factories.make_world()
    for n in range(6):
        proposals.known(w.shop, f"Parcels leave from Hamburg on day {n}", key=f"day_{n}")
    for n in range(8):
        proposals.pending(w.hr, f"The {FLOORS[n]} is on another floor", kind="rule" if n % 2 else "fact", risk="medium")
    for n in range(12):
        person = proposals.person_of(w.shop, f"customer-{n}")
        proposals.pending(w.shop, str(36 + n), key="size", kind="profile", person=person)
    for n in range(12):
        proposals.pending(w.shop, f"Route {n} leaves from gate {n + 20}")
    for n in range(6):
        proposals.pending(w.shop, f"Parcels leave from Rotterdam on day {n}", key=f"day_{n}", risk="medium")
    for n in range(4):
        proposals.pending(w.it, f"Offices close at noon in the {FLOORS[n]}", scope="organization")
    for n in range(8):
        proposals.pending(w.it, f"Somebody in the {FLOORS[n]} is ill", sensitive=True, risk="high")
    ids = LearningItem.objects.order_by("id").values_list("pk", flat=True)
    LearningItem.objects.filter(pk__in=list(ids[:10])).update(created_at=timezone.now() - timedelta(days=9))
    assert len(ids) == LearningItem.objects.filter(status=ItemStatus.PENDING).count() == 50
    return w


def waits(page, number: int, timeout: int = 15_000) -> None:
    name = f"Learning Inbox {number} waiting" if number else "Learning Inbox"
    menu = page.get_by_role("navigation", name="Main")
    expect(menu.get_by_role("link", name=name, exact=True)).to_be_visible(timeout=timeout)


def told(page, text: str) -> None:
    expect(page.locator("#toasts")).to_contain_text(text, timeout=MANY)


def press(page, keys: str) -> None:
    page.keyboard.press(keys)


def claim(page):
    return page.locator("#claim")


def count(**fields) -> int:
    return LearningItem.objects.filter(**fields).count()


def test_a_reviewer_clears_fifty_by_keyboard_alone(fifty, enter, page, console_errors):
    enter(fifty.adam)(INBOX)
    waits(page, 50)

    for left in (49, 48, 47):  # approve the newest three, all sensitive
        press(page, "a")
        waits(page, left)
    press(page, "r")  # reject one, with a reason of one's own
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("nobody's business")
    press(page, "Enter")
    waits(page, 46)
    press(page, "z")  # take it back, and look at it again
    waits(page, 47)
    expect(claim(page)).to_contain_text("is ill")

    press(page, "x")  # tick it and the three below it, decide the four at once
    for _ in range(3):
        press(page, "j")
        press(page, "x")
    expect(page.locator("[data-count]")).to_have_text("4")
    press(page, "Shift+A")
    told(page, "4 approved.")
    waits(page, 43)
    assert count(status=ItemStatus.APPROVED, sensitive=True) == 7
    press(page, "z")
    told(page, "4 taken back.")
    waits(page, 47)
    assert count(status=ItemStatus.APPROVED) == 3

    for _ in range(5):  # down to the first of what is for everybody: mended, then marked, then decided
        press(page, "j")
    expect(claim(page)).to_contain_text("Offices close at noon in the workshop")
    press(page, "e")
    expect(page.get_by_label("What it says")).to_be_focused()
    press(page, "Control+a")
    page.keyboard.type("Offices close at one in the workshop")
    press(page, "Control+Enter")
    waits(page, 46)
    expect(claim(page)).to_contain_text("in the garage")
    press(page, "s")
    expect(page.locator(".brief")).to_contain_text("sensitive")
    press(page, "a")
    waits(page, 45)

    press(page, "/")  # only what is of high risk
    page.get_by_label("Risk").focus()
    page.keyboard.type("High")
    press(page, "Enter")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page).to_have_url(re.compile(r"\?risk=high$"))
    press(page, "x")
    press(page, "Shift+X")
    expect(page.locator("[data-count]")).to_have_text("5")
    press(page, "Shift+R")
    expect(page.get_by_role("button", name="Wrong")).to_be_focused()
    press(page, "Enter")
    told(page, "5 rejected.")
    waits(page, 40)
    assert count(status=ItemStatus.REJECTED, decision_reason="Wrong") == 5
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()

    press(page, "g")
    press(page, "i")
    expect(page.locator("#pane .item")).to_have_count(40)
    press(page, "x")
    press(page, "Shift+X")
    expect(page.locator("[data-count]")).to_have_text("40")
    press(page, "Shift+A")
    told(page, "40 approved.")
    expect(page.get_by_role("heading", name="All decided")).to_be_visible()
    waits(page, 0)

    assert count(status=ItemStatus.PENDING) == 0
    assert count(status=ItemStatus.APPROVED) == 45
    assert Memory.objects.live().filter(key="day_3").get().content == "Parcels leave from Rotterdam on day 3"
    verbs = LearningEvent.objects.filter(actor_label="Adam").values_list("verb", flat=True)
    assert list(verbs).count(Verb.APPROVED) == 49 and list(verbs).count(Verb.REOPENED) == 5
    press(page, "?")
    for line in ("Approve the ticked", "Tick all on this page", "Mark as sensitive", "Filter"):
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text(line)


def test_similar_ones_are_decided_together_but_for_one(fifty, enter, page, console_errors):
    enter(fifty.adam)(f"{INBOX}/similar")
    page.get_by_role("link", name="size = 47").click()
    expect(page.locator("[data-count]")).to_have_text("12")
    page.get_by_role("checkbox", name="Select size = 40").uncheck()
    page.locator(".bulk").get_by_role("button", name="Approve").click()
    told(page, "11 approved.")
    expect(page.locator("#pane .item")).to_have_count(1)
    assert Memory.objects.live().filter(key="size").count() == 11


def test_what_changed_meanwhile_is_left_and_named(fifty, enter, page, browser, console_errors):
    enter(fifty.adam)(f"{INBOX}?q=gate")
    other = browser.new_context().new_page()
    enter(fifty.olga, other)(f"{INBOX}?q=gate")
    other.keyboard.press("a")
    expect(claim(other)).to_contain_text("Route 10")
    page.keyboard.press("x")
    page.keyboard.press("Shift+X")
    page.keyboard.press("Shift+A")
    told(page, "11 approved, 1 changed meanwhile.")
    left = page.get_by_role("status").filter(has_text="Left as they were").or_(page.locator(".notice"))
    expect(left.first).to_contain_text("Route 11 leaves from gate 31")
    page.get_by_role("link", name="Route 11 leaves from gate 31").click()
    expect(page.locator(".brief")).to_contain_text("Olga approved this")
    other.context.close()


def test_letters_switched_off_decide_nothing_of_many_either(fifty, enter, page, live_server, console_errors):
    go = enter(fifty.adam)
    page.context.add_cookies([{"name": "dw_keys", "value": "off", "url": live_server.url}])
    go(f"{INBOX}?q=gate&ticked=1")
    for keys in ("Shift+A", "Shift+X", "x", "Shift+R", "/"):
        press(page, keys)
    page.wait_for_timeout(200)
    expect(page.locator("[data-count]")).to_have_text("12")
    assert count(status=ItemStatus.PENDING) == 50


def test_enter_on_a_tick_decides_nothing_and_in_a_reason_it_rejects(fifty, enter, page, console_errors):
    enter(fifty.adam)(f"{INBOX}?q=gate")
    page.locator("#pane .item input").first.check()
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert count(status=ItemStatus.PENDING) == 50
    page.locator(".bulk summary").first.click()
    page.get_by_label("In your own words").fill("closed for good")
    page.keyboard.press("Enter")
    told(page, "1 rejected.")
    assert count(status=ItemStatus.REJECTED, decision_reason="closed for good") == 1


def test_without_scripts_many_are_decided_assigned_and_taken_back(fifty, enter, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    enter(fifty.adam, page)(f"{INBOX}?q=gate")
    for name in ("Route 3 leaves", "Route 5 leaves"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    page.locator(".bulk").get_by_role("button", name="Approve").click()
    told(page, "2 approved.")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    told(page, "2 taken back.")
    page.reload()  # without scripts a note stays until the next page, and lies over the menu
    page.get_by_role("checkbox", name="Select Route 3 leaves").check()
    page.get_by_label("More for the ticked").click()
    page.get_by_role("button", name="Assign to").click()
    page.get_by_label("To whom").select_option(label="Olga")
    page.get_by_role("button", name="Assign").click()
    told(page, "1 assigned.")
    assert count(assigned_to=fifty.olga) == 1
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_lists_of_many(fifty, enter, page, live_server, theme, console_errors, faults):
    go = enter(fifty.adam)
    page.context.add_cookies([{"name": "dw_theme", "value": theme, "url": live_server.url}])
    for path in ("?ticked=1", "?kind=rule&risk=medium", "/similar", "/filter", "/views?risk=high"):
        go(INBOX + path)
        assert faults() == [], path
    go(INBOX)
    press(page, "x")
    press(page, "Shift+R")
    assert faults() == []
    press(page, "Escape")
    press(page, "/")
    expect(page.get_by_role("dialog", name="Filter the inbox")).to_be_visible()
    assert faults() == []
