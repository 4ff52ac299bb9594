"""The lists of the inbox: filters, pages, an agent's own, and what they cost. Ada manages IT."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from learning.choices import MemoryScope
from learning.models import LearningItem
from learning.policies import TRANSITIONS
from tests.learning import proposals
from tests.learning.pages import HTMX, INBOX, at, seen, text_of

pytestmark = pytest.mark.django_db


# --- lists --------------------------------------------------------------------------------------------------------
def test_each_filter_is_an_address_with_an_honest_count(world, as_user):
    plain = proposals.pending(world.it, "The printer is on floor two")
    old = proposals.pending(world.hr, "Holidays are asked for in the portal", kind="rule")
    proposals.pending(world.hr, "Somebody is ill", sensitive=True)
    mine = proposals.pending(world.shop, "Returns need a number")
    LearningItem.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=4))
    LearningItem.objects.filter(pk=mine.pk).update(assigned_to=world.adam)
    browser = as_user(world.adam)
    page = text_of(browser.get(INBOX))
    for chip in ("All pending 4", "Sensitive 1", "Assigned to you 1", "Ageing 1", "HR Agent2", "waiting 4 days"):
        assert chip in page, chip
    assert "Rule (1)" in text_of(browser.get(f"{INBOX}/filter"))
    for query, shown in {
        "agent=hr": ["Holidays", "Somebody"],
        "kind=rule": ["Holidays"],
        "sensitive=1": ["Somebody"],
        "assignee=me": ["Returns"],
        "age=3": ["Holidays"],
        "agent=hr&sensitive=1": ["Somebody"],
        "status=nonsense&kind=nonsense": ["printer", "Holidays", "Somebody", "Returns"],
    }.items():
        listed = browser.get(f"{INBOX}?{query}").text.split('id="work"')[0]
        for word in ("printer", "Holidays", "Somebody", "Returns"):
            assert (word in listed) is (word in shown), (query, word)
    browser.post(at(plain, "approve"), seen(plain))
    assert "printer" in browser.get(f"{INBOX}?status=approved").text.split('id="work"')[0]
    assert "Approved 1" in text_of(browser.get(f"{INBOX}?status=approved"))


def test_the_badge_counts_what_one_may_decide(world, as_user):
    proposals.pending(world.it, "The printer is on floor two")
    proposals.pending(world.it, "Somebody is ill", sensitive=True)
    proposals.pending(world.it, "Offices close at noon", scope=MemoryScope.ORGANIZATION)
    proposals.pending(world.hr, "Holidays are asked for in the portal")
    numbers = {
        name: re.search(r"Learning Inbox (\d+) waiting", _nav(as_user(getattr(world, name))))
        for name in ("ada", "ben", "olga", "cleo")
    }
    assert {name: found and int(found[1]) for name, found in numbers.items()} == {
        "ada": 1, "ben": 1, "olga": 4, "cleo": None,
    }  # fmt: skip


def _nav(browser) -> str:
    page = re.search(r'id="navs".*?</div>', browser.get("/app/").text, re.S)[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_three_different_kinds_of_nothing(world, as_user, size):
    browser = as_user(world.ben)
    assert "Nothing to review yet" in browser.get(INBOX).text
    browser = as_user(world.ada)
    assert "Nothing matches" in browser.get(f"{INBOX}?kind=episode").text
    browser.post(at(size, "approve"), seen(size))
    assert "All decided" in browser.get(INBOX).text


def test_pages_go_on_by_cursor(world, as_user):
    proposals.many_pending(world.it, 120)
    browser, path, seen_rows = as_user(world.ada), INBOX, []
    for _ in range(3):
        page = browser.get(path)
        seen_rows += re.findall(r'id="row-([0-9a-f-]+)"', page.text)
        older = re.search(r'rel="next" href="([^"]+)"', page.text)
        path = INBOX + older[1].replace("&amp;", "&") if older else None
    assert len(seen_rows) == len(set(seen_rows)) == 120 and path is None
    assert browser.get(f"{INBOX}?cursor=nonsense").status_code == 400


def test_the_agents_tab_holds_its_own_items(world, as_user, size):
    proposals.pending(world.hr, "Holidays are asked for in the portal")
    page = as_user(world.adam).get("/app/settings/digital-workers/it/inbox/")
    assert "size = 38" in page.text and "Holidays" not in page.text
    assert f"{at(size)}?agent=it" in page.text
    assert as_user(world.ben).get("/app/settings/digital-workers/it/inbox/").status_code == 404


# --- cost ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("who", ["ada", "adam", "cleo"])
def test_pages_cost_the_same_with_three_rows_and_with_sixty(world, as_user, django_assert_max_num_queries, who, size):
    browser = as_user(getattr(world, who))
    agent = "/app/settings/digital-workers/it"

    def costs() -> list[int]:
        newest = proposals.pending(world.it, f"The {LearningItem.objects.count()}th thing proposed, by gate two")
        paths = [
            INBOX,
            f"{INBOX}?status=approved",
            at(newest),
            at(newest, "beside"),
            f"{agent}/inbox/",
            f"{agent}/memory/",
            f"{agent}/",
            "/app/",
        ]
        found = []
        browser.get(at(newest, "beside"))  # reads once what is known
        for path, headers in [*((path, {}) for path in paths), (at(newest), HTMX)]:
            with django_assert_max_num_queries(30) as queries:
                assert browser.get(path, headers=headers).status_code == 200
            found.append(len(queries))
        return found

    browser.get(INBOX)
    proposals.known(world.it, "A thing proposed, by gate two")
    proposals.many_known(world.it, 3)
    few = costs()
    proposals.many_pending(world.it, 60)
    proposals.many_known(world.it, 60)
    assert costs() == few
    assert max(few) <= 12
    with django_assert_max_num_queries(12):  # more than a page of what nobody has counted
        browser.get(f"{INBOX}?q=thing")
    with django_assert_max_num_queries(12):  # an item that is on no page of the list any more
        browser.get(at(size))


def test_buttons_keys_and_actions_come_from_one_table(world, as_user, size):
    page = as_user(world.ada).get(at(size)).text
    for name in ("approve", "edit", "reject"):
        assert f'data-key="{TRANSITIONS[name].key}">{TRANSITIONS[name].label} <kbd>' in page
    assert TRANSITIONS["reopen"].label + " <kbd>" not in page


def test_a_manager_begins_with_what_they_may_read(world, as_user):
    proposals.pending(world.it, "Badges come from Facilities")
    proposals.pending(world.it, "About somebody's health", sensitive=True)
    page = as_user(world.ada).get(INBOX)
    assert "Badges come from Facilities" in page.text.partition('id="work"')[2]
    LearningItem.objects.filter(sensitive=False).delete()
    assert "Nothing more for you" in as_user(world.ada).get(INBOX).text
