"""Skills in a browser: read by everybody who may, with any eyes and any hands, and reverted by who decides."""

import pytest
from django.db import transaction
from playwright.sync_api import expect

from skills.actions.lifecycle import pause
from skills.package import File
from tests import factories
from tests.skills.making import document, let_in, three_versions

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

LIST = "/app/settings/digital-workers/it/skills/"
RICH = """1. Look at **each** receipt.
2. Compare it with the `travel policy`, see [the portal](https://acme.test/travel).

```sh
sum receipts/*.csv
```

| Kind | Most |
|---|---|
| Hotel | 140 |
"""


@pytest.fixture
def world(db):
    with transaction.atomic():
        w = factories.make_world()
        adam = w.actor(w.adam)
        w.skill = three_versions(adam, w.it)
        files = (File("references/policy.md", b"# Policy\n"), File("scripts/sum.sh", b"#!/bin/sh\n", executable=True))
        w.rich = let_in(adam, w.it, document("travel-budget", procedure=RICH, risk="high"), files=files).skill
        let_in(adam, w.it, document("travel-budget", procedure=RICH + "\n3. Tell them."), skill=w.rich, files=files)
        w.secret = let_in(adam, w.it, document("leave-of-the-boss"), sensitive=True).skill
        resting = let_in(adam, None, document("fire-drill", scope="organization")).skill
        pause(actor=adam, skill_id=resting.pk, revision=resting.revision)
    return w


def at(skill, query=""):
    return f"/app/skills/{skill.pk}/{query}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_can_be_read_by_everybody(world, enter, page, faults, console_errors, scheme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    go = enter(world.ada)
    for address in (
        LIST,
        f"{LIST}?status=archived",
        f"{LIST}?q=nothing",
        at(world.rich),
        at(world.rich, "?as=source"),
        at(world.rich, "?from=1&to=2"),
        at(world.rich, "versions/2/file/?path=references/policy.md"),
        at(world.secret),
    ):
        go(address)
        assert faults() == [], address
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider == 0, address
        if address == LIST:
            table = page.get_by_role("region", name="Skills")
            assert table.evaluate("el => el.scrollWidth - el.clientWidth") == 0
    go(at(world.skill))
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_role("dialog", name="Archive this skill?")).to_be_visible()
    assert faults() == []


def test_a_manager_compares_and_reverts(world, enter, page, console_errors):
    enter(world.ada)(LIST)
    page.get_by_role("link", name="expense-claim").click()
    page.get_by_label("From").select_option("1")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("1. Pay within 7 days.")).to_be_visible()
    page.get_by_role("button", name="Revert to it").last.click()
    asked = page.get_by_role("dialog", name="Revert to version 1?")
    asked.get_by_label("Reason").fill("Thirty days are too long")
    asked.get_by_role("button", name="Revert").click()
    expect(page.get_by_text("Version 1 is in use from the next answer on.")).to_be_visible()
    expect(page.get_by_text("because Thirty days are too long")).to_be_visible()
    world.skill.refresh_from_db()
    assert world.skill.active_version.number == 1


def test_by_keyboard_alone(world, enter, page, console_errors):
    enter(world.ada)(at(world.skill))
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    asked = page.get_by_role("dialog", name="Pause this skill?")
    expect(asked).to_be_visible()
    asked.get_by_label("Reason").focus()
    page.keyboard.type("Under review")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Paused. No answer is given it.")).to_be_visible()


def test_who_comes_second_reads_who_was_faster(world, enter, page, console_errors):
    console_errors.allow("409")
    enter(world.ada)(at(world.skill))
    pause(actor=world.actor(world.adam), skill_id=world.skill.pk, revision=4)
    page.get_by_role("button", name="Archive").click()
    page.get_by_role("dialog").get_by_role("button", name="Archive").click()
    told = page.get_by_role("alert")
    expect(told).to_contain_text("Adam paused it meanwhile. Look at it again, then decide. Nothing was changed.")
    expect(told).to_be_focused()


def test_an_export_is_saved(world, enter, page, console_errors):
    enter(world.ada)(at(world.rich))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export").click()
    assert saved.value.suggested_filename == "travel-budget.zip"
