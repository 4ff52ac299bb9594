"""The product's main job, in a real browser: said in a conversation, approved by a named person, used in the next answer,
for this person only, and the page says why."""

import re

import pytest
from playwright.sync_api import expect

from digitalworker.runtime.models import AgentRun
from learning.choices import ItemStatus
from learning.models import LearningItem
from tests import factories

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

SIZE = "do you have these pants in my size, 38?"
JERSEYS = "what jerseys would you recommend?"


@pytest.fixture
def shop(db, settings):
    settings.DW_EMBEDDING = "none"
    return factories.let_shop_learn(factories.make_world())


@pytest.fixture
def log_in(live_server, page):
    def as_user(user):
        page.context.clear_cookies()
        page.goto(f"{live_server.url}/accounts/login/")
        page.get_by_label("Email").fill(user.email)
        page.get_by_label("Password", exact=True).fill(factories.PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/app/")

    return as_user


def ask(page, text):
    turns = page.locator("#turns .bubble[data-kind=reply]")
    before = turns.count()
    box = page.get_by_label("Message to Shop Assistant")
    box.fill(text)
    box.press("Control+Enter")
    expect(turns).to_have_count(before + 1)


def context(page):
    return page.locator("#context")


def test_from_a_message_to_an_answer_that_knows(shop, log_in, page, live_server, console_errors):
    # Ben talks to the shop's agent as its customer ABC.
    log_in(shop.ben)
    page.get_by_role("link", name="Playground").click()
    page.get_by_role("link", name="Shop Assistant").last.click()
    page.get_by_label("Talk as").fill("ABC")
    page.get_by_role("button", name="Switch").click()
    expect(page).to_have_url(re.compile(r"/app/playground/shop\?as=ABC$"))
    ask(page, SIZE)
    expect(page).to_have_url(re.compile(r"as=ABC&thread="))
    expect(context(page)).not_to_contain_text("size: 38")
    expect(page.locator("#learned")).to_contain_text("1 proposal waits in the inbox", timeout=15_000)

    # It waits in his inbox, with the message it comes from.
    page.keyboard.press("Escape")
    page.locator("#learned").get_by_role("link", name="size = 38").click()
    expect(page.locator("#claim")).to_contain_text("size = 38")
    page.goto(f"{live_server.url}/app/")
    page.get_by_role("link", name="Learning Inbox 1 waiting").click()
    expect(page.locator("#claim")).to_contain_text("size = 38")
    page.get_by_role("link", name="Open the conversation").click()
    said = AgentRun.objects.get().question
    expect(page.locator(f"#e-{said.pk}")).to_contain_text(SIZE)
    page.go_back()

    # Approved with the keyboard.
    expect(page.locator("#claim")).to_contain_text("size = 38")
    page.locator("#claim").focus()
    page.keyboard.press("a")
    expect(page.locator("#toasts")).to_contain_text("Approved")
    item = LearningItem.objects.get()
    assert (item.status, item.decided_by_label) == (ItemStatus.APPROVED, "Ben")

    # The next answer to ABC knows it, in a thread of its own, and the page says where it comes from.
    page.goto(f"{live_server.url}/app/playground/shop?as=ABC")
    ask(page, JERSEYS)
    expect(context(page)).to_contain_text("size: 38")
    run = AgentRun.objects.latest("id")
    assert run.thread_id != said.thread_id
    context(page).get_by_role("link", name="Why did it say that?").click()
    row = page.get_by_role("row").filter(has_text="size: 38")
    expect(row).to_contain_text("Approved by Ben")
    expect(row).to_contain_text("Proposed by Shop Assistant")
    row.get_by_role("link", name="in this message").click()
    expect(page.locator(f"#e-{said.pk}.is-target")).to_contain_text(SIZE)

    # XYZ hears nothing of it.
    page.goto(f"{live_server.url}/app/playground/shop?as=XYZ")
    ask(page, JERSEYS)
    expect(context(page)).not_to_contain_text("size: 38")

    # For the manager of IT none of it exists.
    log_in(shop.ada)
    console_errors.allow("404")
    hidden = [
        "/app/playground/shop",
        f"/app/digital-workers/learning/{item.pk}/",
        f"/app/runs/{run.pk}",
        f"/app/conversations/{said.thread_id}",
        f"/app/messages/{said.pk}",
    ]
    for address in hidden:
        assert page.goto(live_server.url + address).status == 404, address
        expect(page.locator("body")).not_to_contain_text("38")

    # Cleo reads, and can not act.
    log_in(shop.cleo)
    page.goto(f"{live_server.url}/app/runs/{run.pk}")
    expect(page.get_by_role("row").filter(has_text="size: 38")).to_contain_text("Approved by Ben")
    page.goto(f"{live_server.url}/app/playground/shop")
    expect(page.get_by_label("Message to Shop Assistant")).to_have_count(0)
    page.goto(f"{live_server.url}/app/digital-workers/learning/{item.pk}/")
    expect(page.locator("#claim")).to_contain_text("size = 38")
    expect(page.get_by_role("button", name="Reopen")).to_have_count(0)
