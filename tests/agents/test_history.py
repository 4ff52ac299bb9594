"""Earlier conversations are found by any of their words, by those who may read them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from digitalworker.agents.history import excerpts, ranking, search_history
from digitalworker.agents.models import ChatEvent, Person, Thread
from digitalworker.common.errors import Invalid, NotFound
from digitalworker.common.types import worker_actor
from tests.collections import ODD_INPUTS

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def talk(agent, *texts, person=None, at=MONDAY, author=""):
    """A thread of `texts`, a minute apart, the person and the agent in turn."""
    thread = Thread.objects.create(organization=agent.organization, role_agent=agent, person=person)
    return [
        ChatEvent.objects.create(
            organization=agent.organization,
            role_agent=agent,
            thread=thread,
            person=person if number % 2 == 0 else None,
            kind="message" if number % 2 == 0 else "reply",
            author_kind="person" if number % 2 == 0 else "agent",
            author=author,
            text=text,
            occurred_at=at + timedelta(minutes=number),
        )
        for number, text in enumerate(texts)
    ]


def search(agent, query, **fields):
    fields.setdefault("actor", worker_actor(agent.organization_id, agent.pk))
    return search_history(agent=agent, query=query, **fields)


def texts(hits):
    return [hit.excerpt for hit in hits]


def marked(hit):
    return [hit.excerpt[start:end] for start, end in hit.highlights]


def person_of(agent, external_user_id):
    return Person.objects.create(organization=agent.organization, role_agent=agent, external_user_id=external_user_id)


# --- whose ----------------------------------------------------------------------------------------------------------


def test_only_this_agents_conversations_are_searched(world):
    for agent in (world.it, world.hr, world.their_it):
        talk(agent, f"The VPN of {agent.name} fails.")
    assert texts(search(world.it, "vpn")) == ["The VPN of IT Agent fails."]


@pytest.mark.parametrize(
    ("name", "may"),
    [("olga", True), ("adam", True), ("ada", True), ("cleo", True), ("ben", False), ("dan", False), ("gus", False)],
)
def test_who_may_read_an_agent_may_search_it_and_nobody_else(world, name, may):
    talk(world.it, "The VPN fails.")
    actor = world.actor(getattr(world, name))
    if may:
        assert len(search(world.it, "vpn", actor=actor)) == 1
    else:
        with pytest.raises(NotFound, match="There is no such role-agent"):
            search(world.it, "vpn", actor=actor)


def test_another_agents_worker_may_not_search_it(world):
    with pytest.raises(NotFound):
        search(world.it, "vpn", actor=worker_actor(world.acme.pk, world.hr.pk))


def test_for_a_person_only_their_own_and_nobodys_conversations_are_searched(world):
    abc, xyz = person_of(world.shop, "ABC"), person_of(world.shop, "XYZ")
    talk(world.shop, "I wear size 38.", "Noted, size 38.", person=abc)
    talk(world.shop, "I wear size 44.", "Noted, size 44.", person=xyz)
    talk(world.shop, "Size charts are in the handbook.")
    found = texts(search(world.shop, "size", person=abc))
    assert sorted(found) == ["I wear size 38.", "Noted, size 38.", "Size charts are in the handbook."]
    assert len(search(world.shop, "size")) == 5


# --- order ----------------------------------------------------------------------------------------------------------


def test_any_word_finds_and_a_rare_one_counts_more(world):
    for number in range(6):
        talk(world.it, f"printer {number} is blue")
    [plotter] = talk(world.it, "the plotter is grey")
    hits = search(world.it, "Where are printers and plotters?")
    assert hits.rows[0].event_id == plotter.pk and len(hits) == 7


def test_equal_hits_come_newest_first(world):
    for day in (0, 2, 1):
        talk(world.it, f"VPN failure {'xyz'[day]}", at=MONDAY + timedelta(days=day))
    assert texts(search(world.it, "vpn")) == ["VPN failure z", "VPN failure y", "VPN failure x"]


def test_the_answer_beside_the_question_is_found_with_it(world):
    talk(
        world.it,
        "Hello.",
        "Hi, what is it?",
        "My GlobalProtect shows a red cross.",
        "Reinstall the certificate.",
        "Thanks!",
    )
    hits = search(world.it, "globalprotect")
    assert texts(hits)[0] == "My GlobalProtect shows a red cross."
    assert {hit.excerpt: hit.beside for hit in hits} == {
        "My GlobalProtect shows a red cross.": False,
        "Reinstall the certificate.": True,
        "Hi, what is it?": True,
    }


def test_neighbours_come_from_the_same_conversation_only(world):
    talk(world.it, "The plotter jams.")
    talk(world.it, "Lunch is at noon.", at=MONDAY + timedelta(seconds=30))
    assert texts(search(world.it, "plotter")) == ["The plotter jams."]


def test_the_author_helps_to_tell_events_apart(world):
    talk(world.it, "I like printers.", author="Ben")
    [hers] = talk(world.it, "I like printers.", author="Caroline", at=MONDAY - timedelta(days=1))
    talk(world.it, "Nothing.", author="Caroline")
    found = search(world.it, "Which printers does Caroline like?")
    assert found.rows[0].event_id == hers.pk
    assert texts(found) == ["I like printers.", "I like printers.", "Nothing."]
    assert sorted(texts(search(world.it, "caroline"))) == ["I like printers.", "Nothing."]


def test_older_events_are_found_by_rare_words_and_by_all_words_together(world, monkeypatch):
    monkeypatch.setattr(ranking, "RECENT", 10)
    monkeypatch.setattr(ranking, "PLENTY", 3)
    talk(world.it, "The plotter jams.", at=MONDAY - timedelta(days=9))
    talk(world.it, "Blue printer, red printer.", at=MONDAY - timedelta(days=8))
    for number in range(12):
        talk(world.it, f"printer {number}" if number % 2 else f"blue {number}")
    assert texts(search(world.it, "plotter")) == ["The plotter jams."]
    found = texts(search(world.it, "blue printer"))
    assert "Blue printer, red printer." in found and len(found) == 11


def test_a_persons_own_conversation_is_found_behind_everybody_elses(world, monkeypatch):
    monkeypatch.setattr(ranking, "RECENT", 10)
    abc, xyz = person_of(world.shop, "ABC"), person_of(world.shop, "XYZ")
    talk(world.shop, "Do you have blue socks?", "Blue socks are sold out.", person=abc)
    for number in range(15):
        talk(world.shop, f"Are blue socks {number} in?", "They are blue.", person=xyz)
    assert sorted(texts(search(world.shop, "blue socks", person=abc))) == [
        "Blue socks are sold out.",
        "Do you have blue socks?",
    ]


# --- any text -------------------------------------------------------------------------------------------------------


def test_codes_are_found_exactly(world):
    for code in ("ERR-42", "ERR-43", "INC0012978901", "case_1", "44-1882"):
        talk(world.it, f"It says {code} again", at=MONDAY)
    for code in ("ERR-42", "INC0012978901", "case_1", "44-1882"):
        first = search(world.it, f"what about {code}?").rows[0]
        assert first.excerpt == f"It says {code} again" and code in marked(first)


@pytest.mark.parametrize(
    ("query", "marks"),
    [
        ("周末做什么", ["周末"]),
        ("テスト", ["テスト"]),
        ("번역", ["번역"]),
        ("🎉", ["🎉"]),
        ("to be or not to be", ["To be or not to be"]),
        ("lobalProt", ["lobalProt"]),
    ],
)
def test_what_full_text_can_not_see_is_found_as_text(world, query, marks):
    for text in (
        "在周末吃夜宵",
        "このテストは長い",
        "번역 부탁해요",
        "party 🎉!",
        "To be or not to be.",
        "GlobalProtect",
    ):
        talk(world.it, text)
    [hit] = search(world.it, query)
    assert marked(hit) == marks


@pytest.mark.parametrize("query", ["", " \n ", "\0", "\u200b"])
def test_nothing_asked_finds_nothing(world, query):
    talk(world.it, "The VPN fails.")
    assert len(search(world.it, query)) == 0


@pytest.mark.parametrize(
    "query",
    [
        "'\":*",
        "\\",
        "%",
        "'; DROP TABLE agents_chatevent; --",
        "%s %(agent)s",
        "a\0b",
        "\ud83d",
        "& | ! <->",
        "word " * 10_000,
        "x" * 100_000,
        " ".join(f"w{number}" for number in range(10_000)),
        "在周末吃夜宵" * 500,
        "example.com/a\\b'c?y='z'",
    ],
)
def test_no_query_is_an_error(world, query):
    talk(world.it, "The VPN fails.")
    search(world.it, query)


def test_no_odd_input_is_an_error_and_each_finds_itself(world):
    if not ODD_INPUTS.exists():
        pytest.skip("the collection of odd inputs is not on this machine")
    for line in ODD_INPUTS.read_text().splitlines():
        text = json.loads(line)["text"].replace("\0", "")
        talk(world.it, text)
        assert any(hit.excerpt == " ".join(text.split()) for hit in search(world.it, text, limit=50)), text


def test_events_without_text_are_no_hits(world):
    talk(world.it, "", "The VPN fails.", "")
    assert texts(search(world.it, "vpn")) == ["The VPN fails."]


# --- excerpts and pages ---------------------------------------------------------------------------------------------


def test_the_words_that_matched_are_marked_as_they_stand_in_the_text(world):
    talk(world.it, "Printing failed: the PRINTERS\nprint nothing <b>at all</b>.")
    [hit] = search(world.it, "printer")
    assert hit.excerpt == "Printing failed: the PRINTERS print nothing <b>at all</b>."
    assert marked(hit) == ["PRINTERS"] or marked(hit) == ["Printing", "PRINTERS", "print"]
    assert not hit.cut_before and not hit.cut_after


def test_of_a_long_text_the_part_with_most_matches_is_shown(world):
    talk(world.it, "The vpn. " + "Other words. " * 60 + "The vpn needs a token, a new token. " + "More words. " * 60)
    [hit] = search(world.it, "vpn token")
    assert "needs a token, a new token" in hit.excerpt
    assert hit.cut_before and hit.cut_after and len(hit.excerpt) <= excerpts.EXCERPT
    assert set(marked(hit)) == {"vpn", "token"}


def test_a_hit_says_where_it_is_from(world):
    [event] = talk(world.it, "The VPN fails.", author="Dana")
    [hit] = search(world.it, "vpn")
    assert (hit.event_id, hit.thread_id, hit.kind, hit.author_kind, hit.author, hit.occurred_at) == (
        event.pk,
        event.thread_id,
        "message",
        "person",
        "Dana",
        MONDAY,
    )


def test_pages_follow_each_other_without_a_gap(world):
    for number in range(7):
        talk(world.it, f"VPN {number}", at=MONDAY + timedelta(days=number))
    whole, seen, cursor = texts(search(world.it, "vpn")), [], None
    while True:
        page = search(world.it, "vpn", limit=3, cursor=cursor)
        seen += texts(page)
        cursor = page.next
        if cursor is None:
            break
    assert seen == whole and len(seen) == 7


@pytest.mark.parametrize("cursor", ["x", "-1", "99999", "²", "100"])
def test_a_damaged_page_link_is_invalid(world, cursor):
    with pytest.raises(Invalid, match="This page link is damaged"):
        search(world.it, "vpn", cursor=cursor)


@pytest.mark.parametrize("limit", [0, 51])
def test_a_limit_out_of_range_is_invalid(world, limit):
    with pytest.raises(Invalid, match="Ask for 1 to 50 hits"):
        search(world.it, "vpn", limit=limit)


def test_a_search_is_a_handful_of_statements_whatever_is_found(world, django_assert_max_num_queries):
    for number in range(30):
        talk(world.it, f"VPN {number}", "Try again.")
    with django_assert_max_num_queries(5):
        assert len(search(world.it, "vpn", limit=50)) == 50
