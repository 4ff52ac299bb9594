"""At the width of a phone nothing is cut off without a sign."""

import pytest
from playwright.sync_api import expect

from digitalworker.agents.models import User
from learning.models import Memory
from tests import factories
from tests.learning import proposals

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def phone(db, enter, page):
    page.set_viewport_size({"width": 390, "height": 844})
    world = factories.make_world()
    User.objects.filter(pk=world.ben.pk).update(name="Benedikt Meulen", email="benedikt.meulen@acme.example")
    proposals.known(world.it, "The VPN is called Tunnel and is asked for at the service desk", key="vpn")
    Memory.objects.update(use_count=3)
    return enter(world.olga)


def cut(page, name):
    table = page.get_by_role("region", name=name)
    expect(table).to_be_visible()
    return table.evaluate("el => el.scrollWidth - el.clientWidth")


def test_a_table_folds_its_columns(phone, page, console_errors):
    phone("/app/settings/members")
    assert cut(page, "Members") == 0
    expect(page.get_by_text("manages HR Agent")).to_be_visible()
    phone("/app/settings/digital-workers/it")
    assert cut(page, "Most used memories") == 0


def test_the_tab_one_is_at_is_in_view(phone, page, console_errors):
    phone("/app/settings/digital-workers/it")
    last = page.get_by_role("navigation", name="IT Agent").get_by_role("link").last
    expect(last).not_to_be_in_viewport()
    phone(last.get_attribute("href"))
    expect(page.get_by_role("navigation", name="IT Agent").locator("[aria-current]")).to_be_in_viewport(ratio=1)
