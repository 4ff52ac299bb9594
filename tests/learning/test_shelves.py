"""Shelves are a memory of the process, never of what was: each question sees what the database holds at that moment."""

import math

import pytest
from django.db import transaction

from learning import recall as recall_module
from learning import shelves
from learning.imagine import IMAGINED, OneMore, recall_with
from learning.models import Memory, MemoryEmbedding
from learning.recall import recall, similar
from tests.learning.test_recall import Engine, contents, know, person_of, towards


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setattr(recall_module, "engine", Engine)


def ask(agent, question="printer", person=None, **fields):
    return recall(
        organization_id=agent.organization_id,
        role_agent_id=agent.pk,
        person_id=person.pk if person else None,
        question=question,
        **fields,
    )


def test_what_is_on_the_shelves_is_not_read_again(world, monkeypatch):
    read: list[list[str]] = []
    really = shelves._read
    monkeypatch.setattr(shelves, "_read", lambda scope, names, model: read.append(names) or really(scope, names, model))
    know(world.it, "The printer is blue.")
    ask(world.it)
    assert contents(ask(world.it, "what colour?").role_agent) == ["The printer is blue."]
    assert read == [["role_agent"]]
    know(world.acme, "Printers are bought by purchasing.")
    assert len(ask(world.it).all()) == 2
    assert read == [["role_agent"], ["organization"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: Memory.objects.filter(pk=memory.pk).update(status="deleted"),
        lambda memory: Memory.objects.filter(pk=memory.pk).update(status="superseded"),
        lambda memory: memory.delete(),
        lambda memory: Memory.objects.filter(pk=memory.pk)._raw_delete("default"),
    ],
)
def test_what_goes_by_whatever_way_is_gone_from_the_next_answer(world, change):
    memory = know(world.it, "The printer is blue.")
    know(world.it, "Lunch is at noon.")
    assert len(ask(world.it).role_agent) == 2
    change(memory)
    assert contents(ask(world.it).role_agent) == ["Lunch is at noon."]
    assert ask(world.it).totals == {"role_agent": 1}


def test_what_comes_and_what_is_reworded_counts_at_once(world):
    know(world.it, "Lunch is at noon.")
    assert len(ask(world.it).role_agent) == 1
    memory = know(world.it, "The scanner is blue.")
    assert [c.lexical for c in ask(world.it, "scanner").role_agent] == [1.0, 0.0]
    Memory.objects.filter(pk=memory.pk).update(content="The printer is blue.", digest="e" * 64)
    found = ask(world.it, "printer").role_agent
    assert (found[0].content, found[0].lexical) == ("The printer is blue.", 1.0)
    assert {c.lexical for c in ask(world.it, "scanner").role_agent} == {0.0}


def test_a_pin_counts_at_once(world):
    know(world.it, "The printer is blue.")
    pinned = know(world.it, "Lunch is at noon.")
    assert [c.pinned for c in ask(world.it).role_agent] == [False, False]
    Memory.objects.filter(pk=pinned.pk).update(pinned=True)
    assert [(c.content, c.pinned) for c in ask(world.it).role_agent] == [
        ("Lunch is at noon.", True),
        ("The printer is blue.", False),
    ]


def test_a_vector_that_is_made_later_counts_from_then_on(world):
    memory = know(world.it, "Trousers: 38.")
    know(world.it, "The gateway restarts on Sundays.", vector=towards(80))
    assert [c.similarity is None for c in ask(world.it, "x", query_vector=towards(0)).role_agent].count(True) == 1
    MemoryEmbedding.objects.create(
        owner_id=world.it.pk,
        memory=memory,
        organization=world.acme,
        model=Engine.name,
        digest=memory.digest,
        vector=towards(10),
    )
    found = ask(world.it, "x", query_vector=towards(0)).role_agent
    assert found[0].content == "Trousers: 38."
    assert found[0].similarity == pytest.approx(math.cos(math.radians(10)), abs=0.001)


def test_what_was_rolled_back_was_never_there(world):
    know(world.it, "Lunch is at noon.")
    with transaction.atomic():
        know(world.it, "The printer is blue.")
        assert len(ask(world.it).role_agent) == 2
        transaction.set_rollback(True)
    assert contents(ask(world.it).role_agent) == ["Lunch is at noon."]


def test_shelves_of_one_owner_serve_no_other(world):
    know(world.it, "The printer is blue.")
    know(world.hr, "The printer is red.")
    abc, xyz = person_of(world.shop), person_of(world.shop, "XYZ")
    know(abc, "Owns a printer.")
    for _ in range(2):
        assert contents(ask(world.it).all()) == ["The printer is blue."]
        assert contents(ask(world.hr).all()) == ["The printer is red."]
        assert contents(ask(world.shop, person=abc).all()) == ["Owns a printer."]
        assert contents(ask(world.shop, person=xyz).all()) == []
        assert contents(ask(world.hr, person=abc).all()) == ["The printer is red."]
    stranger = recall(organization_id=world.globex.pk, role_agent_id=world.it.pk, question="printer")
    assert stranger.all() == []


def test_no_text_is_kept(world):
    know(world.it, "The zanzibar printer is blue.", key="zanzibar_colour", vector=towards(3))
    ask(world.it, "zanzibar")
    assert "zanzibar" not in repr(list(shelves._kept.items()))
    shelf = next(iter(shelves._kept.values()))
    assert all(isinstance(each, int) for each in [*shelf.terms.tolist(), *shelf.keys])


def test_what_is_kept_stays_within_its_bounds(world, settings):
    settings.DW_RECALL_MEMORY_MB = 0
    agents = [world.it, world.hr, world.shop]
    for agent in agents:
        know(agent, "The printer is blue.")
        know(person_of(agent), "Owns a printer.")
    for agent in agents:
        ask(agent)
        ask(agent, person=agent.people.get())
    assert len(shelves._kept) == len(shelves.SCOPES)
    assert {owner for _, owner, _ in shelves._kept} >= {world.shop.pk, world.shop.people.get().pk}  # the latest
    oldest = next(iter(shelves._kept))
    shelves._find(oldest[1], oldest[2])
    assert next(iter(shelves._kept)) != oldest, "what is used goes last"
    for agent in agents:
        assert len(ask(agent, person=agent.people.get()).all()) == 2


def test_one_more_is_ranked_as_if_it_were_known(world):
    old = know(world.it, "The printer is blue.", key="printer_colour", vector=towards(30))
    know(world.it, "Lunch is at noon.", vector=towards(60))
    know(world.acme, "Printers are bought by purchasing.")
    ids = {"organization_id": world.acme.pk, "role_agent_id": world.it.pk, "person_id": None}
    one = OneMore("role_agent", "fact", "printer_colour", "The printer is red since May.", replaces=old.pk)
    for vector in (None, towards(0)):
        asked = {"question": "red printer", "query_vector": vector}
        now, imagined, alike = recall_with(one, **ids, **asked)
        assert now.all() == recall(**ids, **asked).all() and alike == similar(**ids, text=one.content)
        Memory.objects.filter(pk=old.pk).update(status="superseded")
        real = know(world.it, one.content, key=one.key)
        known = recall(**ids, question="red printer", query_vector=vector)
        real.delete()
        Memory.objects.filter(pk=old.pk).update(status="active")
        told = [(c.content, c.scope, c.rank, round(c.score, 2), round(c.lexical, 6), c.pinned) for c in imagined.all()]
        assert told == [
            (c.content, c.scope, c.rank, round(c.score, 2), round(c.lexical, 6), c.pinned) for c in known.all()
        ]
        assert IMAGINED in {c.id for c in imagined.role_agent}
    assert contents(ask(world.it).role_agent) == ["The printer is blue.", "Lunch is at noon."]
