"""Lists of memories: searched, filtered, sorted, and as fast with many as with few."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from learning.models import Memory
from learning.selectors import library
from learning.selectors.library import MemoryFilters
from tests.learning import proposals
from tests.learning.pages import text_of

pytestmark = pytest.mark.django_db
IT = "/app/settings/digital-workers/it/memory/"


@pytest.fixture
def known(world):
    """Four memories of IT, each unlike the others in every filter."""
    now = timezone.now()
    size = proposals.known(
        world.it, "42", key="shoe_size", kind="profile", person=proposals.person_of(world.it), source="detected",
        reviewer_label="Ada", use_count=7, last_used_at=now - timedelta(days=3),
    )  # fmt: skip
    gate = proposals.known(
        world.it, "Gate two is closed on Sundays", key="gate.two", kind="rule", risk="high", source="tool",
        autosaved=True, use_count=2, last_used_at=now,
    )  # fmt: skip
    ill = proposals.known(world.it, "The boss is ill", key="boss", sensitive=True, risk="medium", reviewer_label="Olga")
    noon = proposals.known(None, "Offices close at noon", organization_id=world.acme.pk, pinned=True, source="import")
    return {"size": size, "gate": gate, "ill": ill, "noon": noon}


def shown(world, known, query: str, user=None, as_user=None) -> list[str]:
    page = as_user(user or world.adam).get(f"{IT}?{query}")
    assert page.status_code == 200
    rows = re.findall(r'row-link[^>]* href="/app/memories/([^/]+)/"', page.text)
    names = {str(memory.pk): name for name, memory in known.items()}
    return [names[row] for row in rows]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", "noon ill gate size"),
        ("q=sunday", "gate"),  # stemmed
        ("q=clos", "noon gate"),  # the beginning of a word
        ("q=shoe", "size"),  # of a key
        ("q=gate.tw", "gate"),
        ('q="close at noon"', "noon"),
        ("q=close -gate", "noon"),
        ("risk=high", "gate"),
        ("sensitive=yes", "ill"),
        ("sensitive=no", "noon gate size"),
        ("source=detected", "size"),
        ("autosaved=yes", "gate"),
        ("autosaved=no", "noon ill size"),
        ("pinned=yes", "noon"),
        ("unused=yes", "noon ill"),
        ("reviewer=ada", "size"),
        ("scope=person&kind=profile", "size"),
        ("sort=used", "size gate noon ill"),
        ("sort=last_used", "gate size noon ill"),
        ("sort=key", "ill gate size noon"),
        ("sort=risk", "gate ill noon size"),
        ("risk=nonsense&sort=nonsense&sensitive=perhaps", "noon ill gate size"),
    ],
)
def test_each_filter_shows_what_it_says(world, as_user, known, query, names):
    assert shown(world, known, query.replace('"', "%22"), as_user=as_user) == names.split()


TELLING = "q=ill q=boss q=ilness risk=medium source=manual kind=fact sort=risk sort=key autosaved=no"


@pytest.mark.parametrize("query", TELLING.split())
def test_no_filter_tells_a_manager_what_a_hidden_memory_says(world, as_user, known, query):
    assert "ill" not in shown(world, known, query, world.ada, as_user)
    assert "ill" in shown(world, known, "", world.ada, as_user)


@pytest.mark.parametrize(
    ("typed", "name"), [("offcies", "noon"), ("shoe_siez", "size"), ("oon", "noon"), ("at", "noon")]
)
def test_a_slip_of_the_pen_still_finds_it_and_says_so(world, as_user, known, typed, name):
    page = as_user(world.adam).get(f"{IT}?q={typed}")
    assert "No memory holds these words." in page.text
    assert name in shown(world, known, f"q={typed}", as_user=as_user)


def test_what_is_only_a_little_like_it_is_not_shown(world, as_user, known):
    page = as_user(world.adam).get(f"{IT}?q=offer")
    assert "Nothing matches" in page.text and "noon" not in text_of(page)


def test_scripts_without_spaces_are_found(world, as_user):
    memory = proposals.known(world.it, "会议室在三楼")
    assert shown(world, {"room": memory}, "q=三楼", as_user=as_user) == ["room"]


def test_nothing_matches_nothing_yet_and_nothing_of_that_state_are_three_things(world, as_user):
    browser = as_user(world.adam)
    assert "Nothing is known yet" in browser.get(IT).text
    assert "Nothing matches" in browser.get(f"{IT}?risk=high").text
    assert "Nothing was deleted" in browser.get(f"{IT}?status=deleted").text
    assert "Nothing was replaced" in browser.get(f"{IT}?status=superseded").text


def test_a_person_is_a_filter_and_an_address(world, as_user, known):
    person = known["size"].person
    page = as_user(world.ada).get(IT)
    assert f"?person={person.pk}" in page.text
    assert shown(world, known, f"person={person.pk}", world.ada, as_user) == ["size"]
    assert "About ABC" in text_of(as_user(world.ada).get(f"{IT}?person={person.pk}"))
    theirs = proposals.person_of(world.hr, "XYZ")
    proposals.known(world.hr, "38", key="size", kind="profile", person=theirs)
    assert shown(world, known, f"person={theirs.pk}", world.ada, as_user) == []


@pytest.mark.parametrize("sort", ["", "used", "last_used", "key", "risk"])
def test_pages_in_any_order_show_each_once_and_lead_back(world, sort):
    proposals.many_known(world.it, 130)
    for n, memory in enumerate(Memory.objects.order_by("id")[:60]):
        values = {"use_count": n % 3, "key": f"k{n}", "risk": ("low", "high")[n % 2], "last_used_at": timezone.now()}
        Memory.objects.filter(pk=memory.pk).update(**values)
    proposals.known(None, "Offices close at noon", organization_id=world.acme.pk)
    actor, filters, cursor, pages = world.actor(world.ada), MemoryFilters(sort=sort), "", []
    while cursor is not None:
        found = library.memories_page(actor, world.it, filters, cursor)
        pages.append([memory.pk for memory in found])
        cursor, previous = found.next, found.previous
    seen = [pk for page in pages for pk in page]
    assert len(seen) == len(set(seen)) == 131
    back = library.memories_page(actor, world.it, filters, previous)
    assert [memory.pk for memory in back] == pages[-2]


def test_counts_beyond_ten_thousand_are_a_lower_bound(world, as_user, monkeypatch):
    monkeypatch.setattr(library, "COUNTED_MOST", 20)
    monkeypatch.setattr("learning.views.library.COUNTED_MOST", 20)
    proposals.many_known(world.it, 30)
    said = text_of(as_user(world.ada).get(IT))
    assert "Active 20+" in said and "Fact 3" not in said
    assert library.live_count(world.actor(world.ada), world.it) == "20+"


def test_a_list_asks_the_same_number_of_questions_at_any_size(world, as_user):
    browser = as_user(world.ada)
    queries = [
        "",
        "q=route",
        "q=rouet",
        "risk=low&sort=risk",
        "sort=last_used",
        "person=" + str(proposals.person_of(world.it).pk),
    ]

    def costs():
        found = []
        for query in queries:
            with CaptureQueriesContext(
                connection,
            ) as asked:
                assert browser.get(f"{IT}?{query}").status_code == 200
            found.append(len(asked))
        return found

    proposals.many_known(world.it, 3)
    few = costs()
    proposals.many_known(world.it, 200)
    assert costs() == few
    assert max(few) <= 14


def test_the_newest_are_read_through_an_index_whoever_else_has_rows(world):
    proposals.many_known(world.hr, 2000)
    proposals.many_known(world.it, 2000)
    part = library.parts_of(world.actor(world.ada), world.it, MemoryFilters())[0]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE learning_memory")
    plan = part.order_by("-created_at", "-id")[:51].explain()
    assert "memory_latest_of_agent" in plan
