"""Walking through long lists: every row once, at a cost that does not depend on how many there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.models import LearningEvent
from learning.choices import MemoryScope
from learning.models import LearningItem, Memory
from learning.payload import checked

from .conftest import is_problem
from .making import person_of

LISTS = ("role-agents/", "memories/", "learning-items/", "audit-events/")


def memories(agent, count, start=0):
    payloads = [
        checked(scope=MemoryScope.ROLE_AGENT, kind="fact", key=None, content=f"number {n}")
        for n in range(start, start + count)
    ]
    return Memory.objects.bulk_create(
        Memory(
            organization_id=agent.organization_id,
            role_agent=agent,
            **payload.as_json(),
            digest=payload.digest,
            created_by_label="test",
        )
        for payload in payloads
    )


def items(agent, count):
    for n in range(count):
        person = person_of(agent, f"u{n}")
        payload = checked(scope=MemoryScope.PERSON, kind="fact", key=None, content=f"number {n}")
        LearningItem.objects.create(
            organization_id=agent.organization_id,
            role_agent=agent,
            person=person,
            proposed_payload=payload.as_json(),
            digest=payload.digest,
            dedupe_key=f"{n}",
            proposed_by_label="test",
        )


def events(agent, count):
    LearningEvent.objects.bulk_create(
        LearningEvent(
            organization_id=agent.organization_id,
            role_agent_id=agent.pk,
            role_agent_label=agent.name,
            verb="memory_saved",
            actor_kind="system",
            actor_label="test",
            object_type="memory",
            object_id=str(n),
            object_label="a fact",
        )
        for n in range(count)
    )


def test_250_rows_each_once_while_others_are_added(key, world):
    there = {str(memory.pk) for memory in memories(world.it, 250)}
    review, seen, url, added = key("review"), [], "memories/?limit=40", 250
    while url:
        page = review.get(url).json()
        seen += [row["id"] for row in page["results"]]
        memories(world.it, 7, added)  # newer than the first page, so they move nothing
        added += 7
        url = page["next"]
    assert len(seen) == len(set(seen)) == 250
    assert set(seen) == there


def test_back_again_to_the_first_page(key, world):
    memories(world.it, 95)
    review = key("review")
    first = review.get("memories/?limit=40&kind=fact").json()
    second = review.get(first["next"]).json()
    third = review.get(second["next"]).json()
    assert [len(page["results"]) for page in (first, second, third)] == [40, 40, 15]
    assert (first["previous"], third["next"]) == (None, None)
    assert "kind=fact" in first["next"]
    assert review.get(third["previous"]).json()["results"] == second["results"]
    assert review.get(second["previous"]).json()["results"] == first["results"]


def test_a_page_keeps_within_what_the_key_reaches(key, world):
    memories(world.it, 3)
    mine = memories(world.hr, 1)
    link = key("review").get("memories/?limit=2").json()["next"]
    rows = key("review", world.hr).get(link).json()["results"]
    assert {row["id"] for row in rows} <= {str(mine[0].pk)}


@pytest.mark.parametrize(
    "cursor", ["x", "bm9uc2Vuc2U", "WyJuIiwgIjEiXQ", "W1tbW1tb", "%F0%9F%98%80", "WyJuIiwgIlx1MDAwMCJd"]
)
@pytest.mark.parametrize("path", LISTS)
def test_a_damaged_cursor(key, path, cursor):
    is_problem(key("review audit").get(f"{path}?cursor={cursor}"), 400, "bad_cursor")


def test_a_cursor_of_unreasonable_length(key):
    is_problem(key("review").get("memories/?cursor=" + "x" * 1001), 400, "bad_parameter")


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("agents", [False, True])
def test_queries_do_not_grow_with_the_list(key, world, path, agents):
    reading = key("review audit", *([world.it, world.hr] if agents else []))
    fill = {"memories/": memories, "learning-items/": items, "audit-events/": events}.get(path)

    def cost():
        with CaptureQueriesContext(connection) as queries:
            assert reading.get(f"{path}?limit=200").status_code == 200
        return len(queries)

    reading.get(path)  # the key's last use is noted once a minute
    if fill:
        fill(world.it, 2)
    few = cost()
    if fill:
        (fill(world.it, 120, 10) if fill is memories else fill(world.hr, 120))
    else:
        RoleAgent.objects.bulk_create(
            RoleAgent(organization=world.acme, code=f"a{n}", name=f"Agent {n}") for n in range(120)
        )
    assert cost() == few
    # The key, its issuer's role, its agents if it is limited, and the rows; the inbox asks who may decide, and whether
    # the organisation's own memories belong is a question before the list.
    extra = {"memories/": 0 if agents else 1, "learning-items/": 1}.get(path, 0)
    assert few == 3 + agents + extra
