"""A skill's way, in a browser: mended and approved by the agent's manager, loaded for the question it fits and for no other, and
taken back to the older version when a newer one is bad."""

import pytest
from playwright.sync_api import expect

from digitalworker.agents.models import RoleAgent
from skills.models import Skill
from tests import factories
from tests.learning.skill_proposals import document, proposed

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

DRAFT = document("check-order-number", "Check the order number first when a customer asks for a refund.")
REFUND = "A customer asks for a refund, what do I do about the order number?"
OTHER = "When does the cafeteria open on Fridays?"
MENDED = "1. Ask for the order number.\n2. Look the order up before you promise anything."
BAD = "1. Ask for the colour of the parcel."


@pytest.fixture
def world(db, settings):
    settings.DW_EMBEDDING = "none"
    return factories.let_shop_learn(factories.make_world())


def ask(page, text):
    turns = page.locator("#turns .bubble[data-kind=reply]")
    before = turns.count()
    box = page.get_by_label("Message to Shop Assistant")
    box.fill(text)
    box.press("Control+Enter")
    expect(turns).to_have_count(before + 1)
    return turns.last


def with_procedure(document: str, procedure: str) -> str:
    head, rest = document.split("## Procedure\n\n")
    return f"{head}## Procedure\n\n{procedure}\n\n## {rest.split('## ', 1)[1]}"


def test_from_a_draft_to_an_answer_and_back_to_the_older_version(world, enter, page, console_errors):
    agent = RoleAgent.objects.get(pk=world.shop.pk)
    item = proposed(world.actor(world.adam), agent, DRAFT)

    # Its manager mends the procedure and approves.
    go = enter(world.ben)
    go(f"/app/digital-workers/learning/{item.pk}/edit/")
    editor = page.get_by_label("The skill")
    editor.fill(with_procedure(editor.input_value(), MENDED))
    page.get_by_role("button", name="Save and approve").click()
    expect(page.locator("#toasts")).to_contain_text("Approved")
    skill = Skill.objects.get()
    assert (skill.active_version.number, skill.active_version.approved_by_label) == (1, "Ben")

    # The next question that it fits is answered by it, another is not.
    go("/app/playground/shop")
    expect(ask(page, REFUND)).to_contain_text("Look the order up before you promise anything.")
    expect(page.locator("#context")).to_contain_text(skill.name)
    expect(ask(page, OTHER)).not_to_contain_text("Look the order up")
    expect(page.locator("#context")).to_contain_text("No skill was loaded.")

    # A change that should not have been let in: an admin puts the older version back.
    go(f"/app/skills/{skill.pk}/propose/")
    editor = page.get_by_label("The skill")
    editor.fill(with_procedure(editor.input_value(), BAD))
    page.get_by_role("button", name="Propose", exact=True).click()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#toasts")).to_contain_text("Approved")
    go("/app/playground/shop")
    expect(ask(page, REFUND)).to_contain_text("colour of the parcel")
    go = enter(world.adam)
    go(f"/app/skills/{skill.pk}/?version=1")
    page.get_by_role("button", name="Revert").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Revert").click()
    expect(page.locator("#toasts")).to_contain_text("Version 1 is in use")
    expect(page.locator("main")).to_contain_text("1 by version 2")
    go("/app/playground/shop")
    last = ask(page, REFUND)
    expect(last).to_contain_text("Look the order up before you promise anything.")
    expect(last).not_to_contain_text("colour of the parcel")
