"""The palette by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests import factories

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_one_escape_closes_it_whatever_was_typed(db, enter, page, console_errors):
    world = factories.make_world()
    enter(world.olga)("/app/settings/members")
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Jump to")
    expect(palette.get_by_role("combobox", name="Jump to")).to_be_focused()
    page.keyboard.type("inbox")
    expect(palette.get_by_role("option").first).to_contain_text("Inbox")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
