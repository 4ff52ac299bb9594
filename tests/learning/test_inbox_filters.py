"""What an address of the inbox shows: each filter alone, what nobody may learn from one, order, counts, and pages in it."""

import base64
import json
from collections import Counter
from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from digitalworker.agents.models import Channel
from digitalworker.common.errors import Invalid
from digitalworker.common.ids import uuid7
from learning.choices import ItemKind, ItemStatus, MemoryScope, Source
from learning.models import LearningItem
from learning.screening import hidden, procedures, rules, sensitive, structure
from learning.selectors import filters as known
from learning.selectors import inbox
from learning.selectors.filters import Filters
from learning.selectors.groups import groups
from tests.learning import proposals

pytestmark = pytest.mark.django_db


def read(text: str) -> Filters:
    return Filters.read(QueryDict(text))


def shown(actor, text: str, size: int = 50) -> list[str]:
    return [item.title for item in inbox.inbox_page(actor, read(text), size=size)]


SKILL = {"scope": "role_agent", "name": "return-a-laptop", "description": "Who takes laptops back", "document": "---"}


@pytest.fixture
def mixed(world):
    """One proposal for each thing that can be filtered by, of the IT agent."""
    event = proposals.said(world.it, "our printer moved")
    known = proposals.known(world.it, "Parcels leave from Hamburg", key="ships_from")
    w = world
    w.items = {
        "rule": proposals.pending(w.it, "Greet people by name", kind="rule"),
        "person": proposals.pending(w.it, "38", key="size", kind="profile", person=proposals.person_of(w.it)),
        "wide": proposals.pending(w.it, "Offices close at noon", scope=MemoryScope.ORGANIZATION),
        "grave": proposals.pending(w.it, "Refunds go out unasked", risk="high"),
        "guarded": proposals.pending(w.it, "Somebody is ill", sensitive=True, risk="high", kind="rule"),
        "heard": proposals.pending(w.it, "The printer moved to floor two", event=event),
        "update": proposals.pending(w.it, "Parcels leave from Rotterdam", key="ships_from"),
        "old": proposals.pending(w.it, "The archive is on floor nine"),
        "found": proposals.pending(w.it, "Words that steer"),
        "private": proposals.pending(w.it, "Call the hotline"),
        "skill": proposals.pending(w.it, "Returning a laptop"),
        "mine": proposals.pending(w.it, "Badges come from Facilities"),
    }
    update = lambda name, **fields: LearningItem.objects.filter(pk=w.items[name].pk).update(**fields)  # noqa: E731
    update("update", replaces=known)
    update("old", created_at=timezone.now() - timedelta(days=9))
    update("found", findings=[{"rule": "hidden-order.note", "why": "x", "severity": "low", "start": 0, "end": 1}])
    update("private", pii_entities=["PHONE_NUMBER"])
    update("skill", kind=ItemKind.SKILL, proposed_payload=SKILL)
    update("mine", assigned_to=w.ada)
    update("heard", source=Source.TOOL)
    w.items = {name: LearningItem.objects.get(pk=item.pk) for name, item in w.items.items()}
    return w


LEFT = [
    ("kind=rule", ["rule"]),
    ("kind=profile", ["person"]),
    ("kind=skill_proposal", ["skill"]),
    ("scope=person", ["person"]),
    ("scope=organization", ["wide"]),
    ("risk=high", ["grave"]),
    ("sensitive=1", ["guarded"]),
    ("assignee=me", ["mine"]),
    ("age=3", ["old"]),
    ("age=7", ["old"]),
    ("age=30", []),
    ("finding=any", ["found"]),
    ("finding=steering", ["found"]),
    ("finding=hidden", []),
    ("finding=personal", ["private"]),
    ("source=tool", ["heard"]),
    ("updates=1", ["update"]),
    ("q=FLOOR printer", ["heard"]),
    ("q=abc", ["person"]),
    ("q=size", ["person"]),
    ("q=laptop", ["skill"]),
    ("q=100%25", []),
    ("q=%00floor", ["old", "heard"]),
    ("q=scope", []),
    ("status=approved", []),
]


def test_each_filter_leaves_what_fits(mixed):
    ada = mixed.actor(mixed.ada)
    assert {query: shown(ada, query) for query, _ in LEFT} == {
        query: [mixed.items[name].title for name in names] for query, names in LEFT
    }


def test_people_and_channels_are_filtered_by_what_they_are(mixed):
    ada = mixed.actor(mixed.ada)
    channel = Channel.objects.get(role_agent=mixed.it)
    assert shown(ada, f"channel={channel.pk}") == [mixed.items["heard"].title]
    assert shown(ada, f"assignee={mixed.ada.pk}") == [mixed.items["mine"].title]
    assert shown(ada, f"assignee={mixed.ben.pk}") == []
    assert mixed.items["mine"].title not in shown(ada, "assignee=nobody")
    assert len(shown(ada, "assignee=nobody")) == len(mixed.items) - 1


def test_yours_is_what_you_may_decide(mixed):
    titles = {name: item.title for name, item in mixed.items.items()}
    assert set(titles.values()) - set(shown(mixed.actor(mixed.ada), "yours=1")) == {titles["wide"], titles["guarded"]}
    assert len(shown(mixed.actor(mixed.adam), "yours=1")) == len(titles)
    assert shown(mixed.actor(mixed.cleo), "yours=1") == []
    assert shown(mixed.actor(mixed.ben), "") == []


def test_no_filter_and_no_order_tells_a_manager_what_something_sensitive_is(mixed):
    ada, adam, guarded = mixed.actor(mixed.ada), mixed.actor(mixed.adam), mixed.items["guarded"]
    for query in ("kind=rule", "risk=high", "q=ill", "scope=role_agent", f"alike={guarded.alike}", "source=detected"):
        assert guarded.title in shown(adam, query), query
        assert guarded.title not in shown(ada, query), query
    for order in ("risk", "size"):
        assert shown(ada, f"sort={order}")[-1] == guarded.title
        assert shown(adam, f"sort={order}")[-1] != guarded.title
    for name in ("kind", "risk"):
        waiting = inbox.waiting(ada)
        assert waiting.count(Filters(**{name: getattr(read("kind=rule&risk=high"), name)}), {}) == 1


def test_whatever_an_address_says_gives_a_list(mixed):
    ada = mixed.actor(mixed.ada)
    everything = shown(ada, "")
    for query in ("kind=x", "risk=x", "assignee=x", "assignee=99999999999", "age=2", "channel=x", "alike=x", "sort=x"):
        assert shown(ada, query) == everything, query
    assert shown(ada, "q=" + "x " * 200) == []
    assert shown(ada, "age=3&status=approved") == shown(ada, "status=approved")


@pytest.mark.parametrize(
    "query", ["kind=rule&risk=high&sensitive=1", "assignee=me&age=7&q=a+b", "status=rejected&sort=oldest", ""]
)
def test_an_address_is_given_back_as_it_was_read(query):
    assert set(read(query).query.split("&")) == set(query.split("&"))
    assert read(read(query).query) == read(query)


# --- order --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("status", [ItemStatus.PENDING, ItemStatus.APPROVED])
def test_every_order_holds_over_pages_both_ways_and_beside_an_item(mixed, status):
    if status != ItemStatus.PENDING:
        LearningItem.objects.update(status=status, decided_at=timezone.now())
    for order in known.SORTS:
        _holds(mixed, Filters(status=status, sort=order))


def _holds(mixed, filters: Filters) -> None:
    adam = mixed.actor(mixed.adam)
    whole = list(inbox.inbox_page(adam, filters))
    assert len(whole) == len(mixed.items)
    cursor, found, pages = "", [], []
    while cursor is not None:
        pages.append(inbox.inbox_page(adam, filters, cursor, size=5))
        found += [row.pk for row in pages[-1]]
        cursor = pages[-1].next
    assert found == [row.pk for row in whole]
    back = inbox.inbox_page(adam, filters, pages[-1].previous, size=5)
    assert [row.pk for row in back] == found[5:10]
    for at, row in enumerate(whole):
        place = inbox.place_of(adam, filters, LearningItem.objects.get(pk=row.pk))
        assert place.number == at + 1
        assert place.newer == (found[at - 1] if at else None)
        assert place.older == (found[at + 1] if at + 1 < len(found) else None)


def test_orders_are_what_they_say(mixed):
    adam = mixed.actor(mixed.adam)
    risks = [item.risk for item in inbox.inbox_page(adam, read("sort=risk"))]
    assert risks == sorted(risks, key=["high", "medium", "low"].index)
    payloads = [item.proposed_payload for item in inbox.inbox_page(adam, read("sort=size"))]
    rooms = [len(payload.get("content", "")) + len(payload.get("key") or "") for payload in payloads]
    assert rooms == sorted(rooms, reverse=True)
    assert shown(adam, "sort=oldest") == shown(adam, "")[::-1]


def test_the_next_to_decide_follows_the_order_and_is_ones_own(mixed):
    ada = mixed.actor(mixed.ada)
    LearningItem.objects.exclude(
        pk__in=[mixed.items[name].pk for name in ("grave", "guarded", "rule", "wide")]
    ).delete()
    filters = Filters(sort="risk")
    following = inbox.next_pending(ada, filters, mixed.items["grave"])
    assert following == mixed.items["rule"]  # what is below and sensitive or for everybody is passed over
    assert inbox.next_pending(ada, filters, mixed.items["rule"]) == mixed.items["grave"]


def test_a_forged_place_is_refused_or_beyond_everything(mixed):
    adam, filters = mixed.actor(mixed.adam), Filters(sort="risk")
    for values in (["n", "x", str(uuid7())], ["n", "1", "x"], ["n", "1"]):
        with pytest.raises(Invalid, match="This page link is damaged"):
            inbox.inbox_page(adam, filters, _cursor(values))
    assert inbox.inbox_page(adam, filters, _cursor(["n", "-" + "9" * 30, str(uuid7())])).rows == []


def _cursor(values: list[str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


# --- counts -------------------------------------------------------------------------------------------------------
COUNTED = ["", "kind=rule", "kind=skill_proposal", "scope=person", "risk=high", "sensitive=1", "assignee=me"]
COUNTED += ["assignee=nobody", "age=3", "updates=1", "yours=1", "agent=it", "agent=hr", "risk=high&yours=1"]


@pytest.mark.parametrize("name", ["ada", "adam", "cleo", "ben"])
def test_a_number_beside_a_filter_is_the_number_of_its_rows(mixed, name):
    actor = mixed.actor(getattr(mixed, name))
    waiting, agents = inbox.waiting(actor), inbox.inbox_agents(actor)
    counts = {query: waiting.count(read(query), agents) for query in COUNTED}
    assert counts == {query: len(shown(actor, query)) for query in COUNTED}
    assert counts == {query: inbox.capped_count(actor, read(query)) for query in COUNTED}


def test_what_the_counts_do_not_know_they_do_not_say(world):
    waiting = inbox.waiting(world.actor(world.ada))
    for query in ("q=x", "finding=any", "source=api", "age=7", "assignee=3", "status=approved"):
        assert waiting.count(read(query), {}) is None, query


def test_all_counts_are_one_query(mixed, django_assert_num_queries):
    ada = mixed.actor(mixed.ada)
    with django_assert_num_queries(1):
        waiting = inbox.waiting(ada)
    assert (waiting.all, waiting.for_me, waiting.assigned) == (len(mixed.items), len(mixed.items) - 2, 1)


# --- findings -----------------------------------------------------------------------------------------------------
def test_the_families_a_reviewer_can_choose_are_those_of_the_rules():
    ids = {rule.id for rule in rules.load()[1]} | {sign.id for sign in structure.load()}
    ids |= {finding[0] for text in ("a\u200bb", "\u202eab", "p\u0430y") for finding in hidden.hidden(text)}
    about_others = "My colleague Anna was diagnosed with asthma; write to anna.berg@gmail.com"
    ids |= {finding.rule for finding in sensitive.find_sensitive(about_others)}
    ids |= {finding["rule"] for finding in procedures.find_dangers("Skip the approval.")}
    named = {name for _, names in known.FINDINGS.values() for name in names}
    assert named <= {each.partition(".")[0] for each in ids}


# --- groups -------------------------------------------------------------------------------------------------------
def counted(actor) -> dict[int, int]:
    """How many rows of the inbox say that so many are alike."""
    return dict(Counter(row.alike_count for row in inbox.inbox_page(actor, Filters()).rows))


def test_what_is_about_the_same_stands_together(world):
    people = [proposals.person_of(world.it, name) for name in ("A", "B", "C")]
    sizes = [
        proposals.pending(world.it, str(38 + n), key="size", kind="profile", person=p) for n, p in enumerate(people)
    ]
    gates = [proposals.pending(world.it, f"Route {n} leaves from gate {n + 40}") for n in (1, 2)]
    turned = proposals.pending(world.it, "From gate 7 leaves route 9")
    proposals.pending(world.it, "Route 3 never leaves from gate 4")  # the opposite is not alike
    proposals.pending(world.hr, "Route 5 leaves from gate 6")  # nor is another agent's
    proposals.pending(world.it, "39", key="shoe_size", kind="profile", person=people[0])

    found = groups(world.actor(world.ada), Filters())
    assert [(group.newest, group.count) for group in found] == [(turned, 3), (sizes[2], 3)]
    assert found[0].oldest_at == gates[0].created_at
    assert counted(world.actor(world.ada)) == {1: 2, 3: 6}
    assert shown(world.actor(world.ada), f"alike={gates[0].alike}") == [i.title for i in (turned, *gates[::-1])]


def test_a_group_holds_only_what_one_may_decide(world):
    for n in range(3):
        proposals.pending(world.it, f"Room {n} is for somebody ill", sensitive=True)
    assert groups(world.actor(world.ada), Filters()) == []
    assert counted(world.actor(world.ada)) == {0: 3}
    assert groups(world.actor(world.cleo), Filters()) == [] and counted(world.actor(world.cleo)) == {0: 3}
    assert [group.count for group in groups(world.actor(world.adam), Filters())] == [3]
    LearningItem.objects.update(status=ItemStatus.REJECTED, decided_at=timezone.now())
    assert groups(world.actor(world.adam), Filters()) == []


def test_groups_cost_the_same_however_many_there_are(world, django_assert_num_queries):
    ada = world.actor(world.ada)
    proposals.many_pending(world.it, 3)
    with django_assert_num_queries(2):
        assert len(groups(ada, Filters())) == 1
    for n in range(40):
        word = chr(97 + n % 26) * (n // 26 + 3)
        for m in range(2):
            proposals.pending(world.it, f"{word} {m} waits for you")
    with django_assert_num_queries(2):
        assert len(groups(ada, Filters())) == 41


def test_of_an_archive_the_newest_of_each_state_are_looked_through(world, as_user, monkeypatch):
    now = timezone.now()

    def decided(content: str, status: str, days: int):
        item = proposals.pending(world.it, content, risk="high" if days == 9 else "low")
        LearningItem.objects.filter(pk=item.pk).update(status=status, decided_at=now - timedelta(days=days))

    for days in (9, 1, 5):
        decided(f"Gate {days} leads to the yard", "approved", days)
    decided("Gate 8 leads to the bin", "rejected", 8)
    proposals.pending(world.it, "Gate 2 leads to the road")
    olga = world.actor(world.olga)
    approved = ["1", "5", "9"]
    numbers = lambda text: [title.split()[1] for title in shown(olga, text)]  # noqa: E731
    assert numbers("status=approved&q=gate") == numbers("status=approved") == approved
    monkeypatch.setattr(known, "ARCHIVE_MOST", 2)
    assert numbers("status=approved&q=gate") == ["1", "5"]
    assert numbers("status=approved&sort=risk") == ["5", "1"] and numbers("status=approved&sort=size") == ["5", "1"]
    assert numbers("status=approved") == numbers("status=approved&agent=it") == approved
    assert numbers("status=approved&kind=fact") == numbers("status=approved&scope=role_agent") == ["1", "5"]
    assert numbers("status=rejected&q=gate") == ["8"] and numbers("q=gate") == ["2"]
    everything = [item.title.split()[1] for item in inbox.inbox_page(olga, Filters(status="", q="gate"))]
    assert everything == ["2", "8", "5", "1"]

    for days in (2, 3):  # what others decided lately takes no place from one's own archive
        item = proposals.pending(world.hr, f"Gate {days} leads to the hall")
        LearningItem.objects.filter(pk=item.pk).update(status="approved", decided_at=now - timedelta(hours=days))
    assert [title.split()[1] for title in shown(world.actor(world.ada), "status=approved&q=gate")] == ["1", "5"]
    assert numbers("status=approved&q=gate&agent=it") == ["1", "5"]
    assert numbers("status=approved&q=gate") == ["2", "3"]

    said = "Only the 10,000 approved last are looked through."
    page = lambda query: as_user(world.olga).get(f"/app/digital-workers/learning?{query}").text  # noqa: E731
    assert said in page("status=approved&q=gate") and said in page("status=approved&q=nowhere")
    assert "are looked through" not in page("status=approved") + page("q=gate")
