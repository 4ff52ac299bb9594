"""A verified colleague's correction, in a real browser and over HTTP: saved without asking, used by the same agent in another
channel, by no other agent, and gone from the next context once it is undone."""

import json

import pytest
from playwright.sync_api import expect

from digitalworker.agents.models import Channel
from learning import tasks
from learning.models import Memory
from tests import factories

from .test_story_rest import Program

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

CORRECTION = "No, the London office uses gateway 2"
QUESTION = "Which gateway does the London office use?"
FACT = "London office uses gateway 2"


@pytest.fixture
def world(db, settings):
    """Two agents serve in the same two channels."""
    settings.DW_EMBEDDING = "none"
    world = factories.make_world()
    for agent in (world.it, world.hr):
        for name in ("it-help", "office-lisbon"):
            Channel.objects.create(organization=world.acme, role_agent=agent, external_id=name, name=f"#{name}")
    return world


@pytest.fixture
def runtime(world, live_server):
    """The company's chat: one key for all of its role-agents."""
    return Program(live_server.url, factories.make_key("runtime", organization=world.acme))


def correct_in(runtime, channel: str) -> None:
    """Dan, known to the chat as himself, puts the IT agent right there."""
    correction = {
        "kind": "correction",
        "author_kind": "staff",
        "author": "Dan",
        "verified": True,
        "text": CORRECTION,
        "channel": channel,
    }
    status, _ = runtime.post("role-agents/it/events/", correction)
    assert status == 202
    tasks.run_detection()


def context_of(runtime, code: str, channel: str) -> str:
    status, answer = runtime.post(f"role-agents/{code}/ask/", {"question": QUESTION, "channel": channel})
    assert status == 200, answer
    return json.dumps(answer["metadata"]["memories"])


def test_told_in_one_channel_used_in_another_and_undone_in_the_browser(
    world, runtime, enter, page, faults, console_errors
):
    assert FACT not in context_of(runtime, "it", "it-help")
    correct_in(runtime, "it-help")
    memory = Memory.objects.get()
    assert (memory.autosaved, FACT in memory.content) == (True, True)
    assert FACT in context_of(runtime, "it", "office-lisbon")
    assert FACT not in context_of(runtime, "hr", "office-lisbon")

    # Ben manages another agent and hears nothing of it.
    enter(world.ben)("/app/digital-workers/saved")
    expect(page.get_by_role("heading", name="Nothing was saved without asking")).to_be_visible()

    # Ada meets it on her home page, with the message, and undoes it by keyboard.
    enter(world.ada)("/app/")
    page.get_by_role("link", name="Saved without asking").first.click()
    row = page.get_by_role("listitem").filter(has_text=FACT)
    expect(row).to_contain_text("Dan")
    expect(row).to_contain_text("identity verified")
    assert faults() == []
    row.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Undone. No answer uses it any more")
    expect(page.get_by_role("heading", name="All looked at")).to_be_visible()
    assert faults() == []
    assert FACT not in context_of(runtime, "it", "office-lisbon")

    # Said again it is not saved again; what was undone can be restored from where it stands.
    correct_in(runtime, "it-help")
    assert FACT not in context_of(runtime, "it", "office-lisbon")
    page.get_by_role("link", name="Undone 1").click()
    page.get_by_role("link", name=FACT).click()
    page.get_by_role("button", name="Restore").click()
    expect(page.locator("#toasts")).to_contain_text("Restored")
    assert FACT in context_of(runtime, "it", "office-lisbon")


def test_the_same_over_http(world, runtime, live_server):
    review = Program(live_server.url, factories.make_key("review", [world.it]))
    elsewhere = Program(live_server.url, factories.make_key("review", [world.hr]))
    correct_in(runtime, "it-help")
    assert FACT in context_of(runtime, "it", "office-lisbon")
    assert FACT not in context_of(runtime, "hr", "office-lisbon")
    assert elsewhere.get("memories/?autosaved=true")[1]["results"] == []
    (memory,) = review.get("memories/?autosaved=true")[1]["results"]
    undo = f"memories/{memory['id']}/undo/"
    assert elsewhere.post(undo, {"revision": memory["revision"]})[0] == 404
    assert runtime.post(undo, {"revision": memory["revision"]})[0] == 403
    status, undone = review.post(undo, {"revision": memory["revision"]})
    assert (status, undone["status"]) == (200, "deleted")
    status, told = review.post(undo, {"revision": memory["revision"]})
    assert (status, told["code"]) == (409, "stale_revision")
    assert FACT not in context_of(runtime, "it", "office-lisbon")
