"""The operations page in Chromium: readable for everybody, on a phone too, and a failed message gets another go."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from learning import tasks
from learning.models import Detection
from tests import factories
from tests.learning.saying import detection_of, outcome, say

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
PAGE = "/app/settings/operations/"


@pytest.fixture
def acme(db, settings):
    settings.DW_MODEL = "openai:gpt-5-mini"
    w = factories.make_world()
    factories.let_shop_learn(w)
    settings.DW_MODEL = ""
    for number in range(8):
        say(w.it, "ok thanks")
        say(w.shop, "I'm based in Lisbon", external_user_id=f"u{number}")
    tasks.run_detection()
    w.failed = [say(w.shop, f"my size is {38 + n}") for n in range(2)]
    for event in w.failed:
        Detection.objects.filter(event=event).update(
            state="failed", attempts=5, error="OperationalError", finished_at=timezone.now()
        )
    waits = say(w.it, "we use Jira for tickets")
    Detection.objects.filter(event=waits).update(
        setback="over_budget", due_at=timezone.now() + timedelta(hours=1), attempts=1, forgiven=1
    )
    settings.DW_MODEL = "openai:gpt-5-mini"
    return w


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_in_both_themes_and_on_a_phone(acme, enter, page, faults, console_errors, scheme):
    page.emulate_media(color_scheme=scheme)
    go = enter(acme.olga)
    go(PAGE)
    expect(page.get_by_role("heading", name="Operations")).to_be_visible()
    assert faults() == []
    page.set_viewport_size({"width": 390, "height": 844})
    go(PAGE)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert faults() == []


def test_a_failed_message_gets_another_go(acme, enter, page, console_errors, settings):
    settings.DW_MODEL = ""
    enter(acme.adam)(PAGE)
    page.get_by_role("button", name="Retry the message of Shop Assistant, OperationalError").first.click()
    expect(page.locator("#toasts")).to_contain_text("That message is looked at again.")
    assert {detection_of(event).state for event in acme.failed} == {"failed", "done"}  # the queue runs inline here
    page.get_by_role("button", name="Retry all failed").click()
    expect(page.locator("#toasts")).to_contain_text("1 message is looked at again.")
    expect(page.get_by_text("Nothing failed")).to_be_visible()
    assert {outcome(event)[0] for event in acme.failed} == {"done"}
