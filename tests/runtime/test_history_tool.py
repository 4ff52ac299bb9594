"""What a model may look up in earlier conversations: whose, which days, and what it is told when it asks for nonsense."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from digitalworker.agents.models import Channel, RoleAgent
from digitalworker.runtime.tools import EXCERPTS_MOST, tools_for
from tests.agents.test_history import MONDAY, person_of, talk


def tool(agent, event):
    agent = RoleAgent.objects.select_related("organization").get(pk=agent.pk)
    return next(
        t for t in tools_for(run=SimpleNamespace(), role_agent=agent, event=event) if t.name == "search_agent_history"
    )


@pytest.fixture
def shop(world):
    """A shop that learns about its people, so keeps them apart, and what two of them said."""
    RoleAgent.objects.filter(pk=world.shop.pk).update(people_learning="review")
    world.shop.refresh_from_db()
    world.abc, world.xyz = person_of(world.shop, "ABC"), person_of(world.shop, "XYZ")
    talk(world.shop, "I bought zebra trousers.", "They suit you.", person=world.xyz)
    world.asks = talk(world.shop, "What did I buy?", person=world.abc)[0]
    return world


def test_one_persons_words_are_found_for_them_alone_whatever_is_asked_for(shop):
    theirs, mine = talk(shop.shop, "And my trousers?", person=shop.xyz)[0], shop.asks
    search = tool(shop.shop, mine).run
    assert search(query="zebra trousers") == "Nothing was found."
    assert search(query="zebra trousrs") == "Nothing was found."
    assert search(query='"zebra trousers"', since="2026-01-01", until="2026-12-31") == "Nothing was found."
    assert "I bought zebra trousers." in tool(shop.shop, theirs).run(query="zebra trousers")


def test_it_takes_no_person(shop):
    spec = tool(shop.shop, shop.asks)
    assert set(spec.parameters) == {"query"} and set(spec.optional) == {"since", "until", "channel"}
    with pytest.raises(TypeError):
        spec.run(query="zebra", person="XYZ")


def test_nobodys_event_searches_nobodys_conversations(shop):
    event = SimpleNamespace(pk=None, person=None)
    assert tool(shop.shop, event).run(query="zebra") == "Nothing was found."


def test_an_agent_that_keeps_nobody_apart_finds_all_of_its_own_and_no_other_agents(world):
    talk(world.it, "The plotter jams.", person=person_of(world.it, "ABC"))
    talk(world.hr, "The plotter of HR jams.")
    asks = talk(world.it, "Did the plotter jam before?", person=person_of(world.it, "XYZ"))[0]
    found = tool(world.it, asks).run(query="plotter jams")
    assert "The plotter jams." in found and "HR" not in found
    assert "Did the plotter jam before?" not in found, "the question itself is no answer to it"


def test_an_excerpt_comes_with_what_was_said_around_it(world):
    talk(world.it, "Hello.", "The plotter jams.", "Pull the tray.")
    found = tool(world.it, SimpleNamespace(pk=None, person=None)).run(query="plotter")
    assert found.splitlines()[:3] == [
        "- 02 March 2026, agent: The plotter jams.",
        "  (before, person: Hello.)",
        "  (after, person: Pull the tray.)",
    ]


def test_days_and_channel_narrow_it(world):
    where = Channel.objects.create(
        organization=world.acme, role_agent=world.it, provider="slack", external_id="C1", name="Help desk"
    )
    for day in range(3):
        thread = talk(world.it, f"plotter {'abc'[day]}", at=MONDAY + timedelta(days=day))[0].thread
        thread.channel = where if day else None
        thread.save()
    search = tool(world.it, SimpleNamespace(pk=None, person=None)).run

    def letters(**narrowed):
        return sorted(line[-1] for line in search(query="plotter", **narrowed).splitlines())

    assert letters() == ["a", "b", "c"]
    assert letters(since="2026-03-03") == letters(channel="Help desk") == letters(channel="C1") == ["b", "c"]
    assert letters(until="2026-03-03") == ["a", "b"]
    assert letters(since="2026-03-03", until="2026-03-03T10:00:00Z", channel="Help desk") == ["b"]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"since": "last week"}, "Not searched. “last week” is no day. Write it as 2026-11-29."),
        ({"until": "9999-12-31"}, "Not searched. “9999-12-31” is no day. Write it as 2026-11-29."),
        ({"channel": "Lobby"}, "Not searched. IT Agent has no channel of this name or id."),
        ({"channel": "\0", "since": " "}, "Nothing was found."),
    ],
)
def test_what_means_nothing_is_told_and_not_searched(world, arguments, answer):
    talk(world.it, "The printer jams.")
    query = "zzz" if answer == "Nothing was found." else "printer"
    assert tool(world.it, SimpleNamespace(pk=None, person=None)).run(query=query, **arguments) == answer


def test_it_is_told_what_was_searched_for_instead_and_gets_no_more_than_a_few(world):
    for number in range(9):
        talk(world.it, f"printer {'abcdefghi'[number]}")
    lines = tool(world.it, SimpleNamespace(pk=None, person=None)).run(query="prnter").splitlines()
    assert lines[0] == "Nobody said that. Found for: printer" and len(lines) == 1 + EXCERPTS_MOST
