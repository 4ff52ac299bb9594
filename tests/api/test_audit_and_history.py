from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from digitalworker.agents.actions.channels import assign_channel
from digitalworker.audit.models import LearningEvent

from .conftest import is_problem
from .making import item_for, memory_for


def ids(response):
    return [row["object"]["id"] for row in response.json()["results"]]


def test_an_auditors_key_reads_who_did_what(key, world):
    memory = memory_for(world, world.it, "Restart the router twice", who=world.ada)
    row = next(r for r in key("audit").get("audit-events/").json()["results"] if r["verb"] == "memory_saved")
    assert row["sentence"] == "Ada saved a fact for the agent"
    assert row["actor"] == {"kind": "user", "label": "Ada", "user_id": world.ada.pk}
    assert row["object"] == {"type": "memory", "id": str(memory.pk), "label": "a fact for the agent"}
    assert row["role_agent"] == {"id": str(world.it.pk), "name": "IT Agent"}


def test_an_event_of_the_organisation_has_no_agent(key):
    row = key("audit").get("audit-events/?verb=key_created").json()["results"][0]
    assert row["role_agent"] is None


def test_a_key_for_one_agent_reads_its_agents_part_only(key, their_key, world):
    it, hr = memory_for(world, world.it, "one"), memory_for(world, world.hr, "two")
    assert ids(key("audit", world.hr).get("audit-events/")) == [str(hr.pk)]
    assert {str(it.pk), str(hr.pk)} <= set(ids(key("audit").get("audit-events/")))
    assert not {str(it.pk), str(hr.pk)} & set(ids(their_key("audit").get("audit-events/")))


def test_the_words_of_a_memory_are_nowhere_in_the_audit(key, world):
    memory_for(world, world.it, "Restart the router twice")
    item_for(world.shop, "38", person="ABC-4711")
    told = key("audit").get("audit-events/").text
    assert "router" not in told
    assert "4711" not in told


def test_filters(key, world):
    memory = memory_for(world, world.it, "one")
    item = item_for(world.shop)
    audit = key("audit")
    assert ids(audit.get("audit-events/?verb=memory_saved")) == [str(memory.pk)]
    assert ids(audit.get("audit-events/?role_agent=shop")) == [str(item.pk)]
    assert ids(audit.get("audit-events/?actor_kind=worker")) == [str(item.pk)]
    assert ids(audit.get(f"audit-events/?object_type=memory&object_id={memory.pk}")) == [str(memory.pk)]
    tomorrow = urlencode({"since": (timezone.now() + timedelta(days=1)).isoformat()})
    assert ids(audit.get(f"audit-events/?{tomorrow}")) == []
    before = LearningEvent.objects.get(object_id=item.pk).created_at
    assert str(item.pk) not in ids(audit.get("audit-events/?" + urlencode({"until": before.isoformat()})))


@pytest.mark.parametrize("query", ["verb=guessed", "since=yesterday", "since=2026-05-08T13:56:00", "actor=Ada"])
def test_a_filter_that_means_nothing_is_refused(key, query):
    response = key("audit").get(f"audit-events/?{query}")
    is_problem(response, 400, "unknown_parameter" if query.startswith("actor") else "bad_parameter")


EVENTS = "role-agents/shop/events/"
HISTORY = "role-agents/shop/history/"


@pytest.fixture
def said(key):
    runtime = key("runtime")
    for user, text in (("ABC", "the jersey shrank in the wash"), ("XYZ", "my parcel is late"), ("ABC", "thank you")):
        runtime.post(EVENTS, {"text": text, "external_user_id": user})
    return runtime


def test_searching_what_was_said(said):
    (hit,) = said.get(f"{HISTORY}?q=jersey").json()["results"]
    assert hit["excerpt"] == "the jersey shrank in the wash"
    assert [hit["excerpt"][start:end] for start, end in hit["highlights"]] == ["jersey"]


def test_searching_one_persons_conversations(said):
    assert said.get(f"{HISTORY}?q=parcel&person=ABC").json()["results"] == []
    assert len(said.get(f"{HISTORY}?q=parcel&person=XYZ").json()["results"]) == 1
    # Not the whole history, as if nobody had been named.
    is_problem(said.get(f"{HISTORY}?q=parcel&person=nobody"), 404, "not_found")


def test_an_auditors_key_searches_and_a_key_for_another_agent_does_not(said, key, their_key, world):
    assert len(key("audit").get(f"{HISTORY}?q=jersey").json()["results"]) == 1
    is_problem(key("audit", world.hr).get(f"{HISTORY}?q=jersey"), 404, "not_found")
    is_problem(their_key("audit runtime").get(f"{HISTORY}?q=jersey"), 404, "not_found")


def test_history_in_pages(key):
    runtime = key("runtime")
    runtime.post(EVENTS, {"events": [{"text": f"jersey number {n}"} for n in range(7)]})
    seen, url = [], f"{HISTORY}?q=jersey&limit=3"
    while url:
        page = runtime.get(url).json()
        assert len(page["results"]) <= 3
        seen += [hit["event_id"] for hit in page["results"]]
        url = page["next"]
    assert len(seen) == len(set(seen)) == 7


@pytest.mark.parametrize(
    ("query", "code"), [("", "bad_parameter"), ("q=x&limit=51", "bad_parameter"), ("q=x&cursor=zz", "bad_cursor")]
)
def test_a_search_that_can_not_be_made(said, query, code):
    is_problem(said.get(f"{HISTORY}?{query}"), 400, code)


def test_an_empty_search_finds_nothing(said):
    assert said.get(f"{HISTORY}?q=").json()["results"] == []


def test_a_search_is_narrowed_and_tells_its_surroundings(said, key, world):
    olga = world.actor(world.olga)
    assign_channel(actor=olga, agent_id=world.shop.pk, provider="web", external_id="web", name="Web shop")
    said.post(EVENTS, {"text": "the jersey is back in the web shop", "channel": "web", "external_user_id": "KLM"})
    found = lambda query: [hit["excerpt"] for hit in said.get(f"{HISTORY}?{query}").json()["results"]]  # noqa: E731
    assert found("q=jersey&channel=web") == found("q=jersey&channel=Web+shop") == ["the jersey is back in the web shop"]
    assert found("q=jersey&author_kind=agent") == []
    assert len(found("q=jersey&since=2026-01-01T00:00:00Z")) == 2
    assert found("q=jersey&until=2026-01-01T00:00:00Z") == []
    assert found('q=jersey+-"web+shop"')[0] == "the jersey shrank in the wash"
    page = said.get(f"{HISTORY}?q=jersy").json()
    assert page["corrected"] == "jersey" and page["cut"] is False
    assert {hit["person"] for hit in page["results"]} == {"ABC", "KLM"}
    assert {hit["channel"] for hit in page["results"]} == {"", "Web shop"}


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("q=x&channel=nowhere", 404, "not_found"),
        ("q=x&author_kind=robot", 400, "bad_parameter"),
        ("q=x&since=yesterday", 400, "bad_parameter"),
        ("q=x&who=ABC", 400, "unknown_parameter"),
    ],
)
def test_a_search_that_is_narrowed_by_nothing_known_is_refused(said, query, status, code):
    is_problem(said.get(f"{HISTORY}?{query}"), status, code)
