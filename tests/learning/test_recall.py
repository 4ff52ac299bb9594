"""What is known is found by whoever may use it, in the order of its use for the question, and by nobody else."""

import json
import math

import pytest
from django.utils import timezone

from digitalworker.agents.models import Person
from learning import recall as recall_module
from learning.models import LearningItem, Memory, MemoryEmbedding
from learning.payload import Payload
from learning.recall import Limits, recall, similar
from tests.collections import ODD_INPUTS


class Engine:
    name, alike = "test-engine", 0.9


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setattr(recall_module, "engine", Engine)


def person_of(agent, external_user_id="ABC"):
    return Person.objects.create(organization=agent.organization, role_agent=agent, external_user_id=external_user_id)


def know(owner, content, *, kind="fact", key=None, status="active", vector=None, **fields):
    """A memory of an Organization, a RoleAgent or a Person."""
    if isinstance(owner, Person):
        scope, owners = "person", {"organization": owner.organization, "role_agent": owner.role_agent, "person": owner}
    elif hasattr(owner, "organization"):
        scope, owners = "role_agent", {"organization": owner.organization, "role_agent": owner}
    else:
        scope, owners = "organization", {"organization": owner}
    digest = Payload(scope, kind, key, content).digest
    memory = Memory.objects.create(
        **owners,
        scope=scope,
        kind=kind,
        key=key,
        content=content,
        digest=digest,
        status=status,
        created_by_label="test",
        **fields,
    )
    if vector is not None:
        MemoryEmbedding.objects.create(
            owner_id=memory.person_id or memory.role_agent_id or memory.organization_id,
            memory=memory,
            organization=memory.organization,
            model=Engine.name,
            digest=digest,
            vector=vector,
        )
    return memory


def towards(degrees):
    """A unit vector; the cosine of two is that of the angle between them."""
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))] + [0.0] * 382


def ask(agent, question, person=None, **fields):
    return recall(
        organization_id=agent.organization_id,
        role_agent_id=agent.pk,
        person_id=person.pk if person else None,
        question=question,
        **fields,
    )


def contents(candidates):
    return [candidate.content for candidate in candidates]


# --- whose ----------------------------------------------------------------------------------------------------------


def test_only_the_organisation_the_agent_and_the_person_at_hand_are_read(world):
    abc, xyz = person_of(world.shop), person_of(world.shop, "XYZ")
    same_name_elsewhere = person_of(world.it)
    know(world.acme, "Acme pays for size 38 samples.")
    know(world.shop, "Trousers come in size 38.")
    know(abc, "Wears size 38.")
    for owner in (world.globex, world.their_it, world.it, xyz, same_name_elsewhere):
        know(owner, f"Size 38 of {type(owner).__name__} {owner.pk}.")

    found = ask(world.shop, "Which size?", abc)
    assert contents(found.organization) == ["Acme pays for size 38 samples."]
    assert contents(found.role_agent) == ["Trousers come in size 38."]
    assert contents(found.person) == ["Wears size 38."]
    assert found.totals == {"organization": 1, "role_agent": 1, "person": 1}
    assert ask(world.shop, "Which size?").person == []


def test_an_agent_of_another_organisation_and_a_person_of_another_agent_find_nothing(world):
    abc = person_of(world.shop)
    know(world.acme, "Size 38.")
    know(world.shop, "Size 38.")
    know(abc, "Size 38.")
    foreign = recall(organization_id=world.globex.pk, role_agent_id=world.shop.pk, person_id=abc.pk, question="size")
    assert foreign.all() == [] and foreign.totals == {}
    mixed = recall(organization_id=world.acme.pk, role_agent_id=world.it.pk, person_id=abc.pk, question="size")
    assert [candidate.scope for candidate in mixed.all()] == ["organization"]


@pytest.mark.parametrize("status", ["superseded", "deleted"])
def test_what_is_not_live_is_never_found(world, status):
    know(world.it, "The VPN needs a token.", status=status, vector=towards(0))
    assert ask(world.it, "The VPN needs a token.", query_vector=towards(0)).all() == []


def test_what_is_only_proposed_is_never_found(world):
    LearningItem.objects.create(
        organization=world.acme,
        role_agent=world.it,
        proposed_payload={"scope": "role_agent", "kind": "fact", "key": None, "content": "The VPN needs a token."},
        digest="d" * 64,
        dedupe_key="d" * 64,
        proposed_by_label="test",
    )
    assert ask(world.it, "The VPN needs a token.").all() == []


# --- order ----------------------------------------------------------------------------------------------------------


def test_any_shared_word_counts_and_a_rare_one_counts_more(world):
    for number in range(8):
        know(world.it, f"The printer on floor {number} is blue.")
    rare = know(world.it, "The plotter is in the basement.")
    know(world.it, "Nothing in common.")
    found = ask(world.it, "Where are printer and plotter?").role_agent
    assert found[0].id == rare.pk and found[0].lexical == 1.0
    assert found[1].lexical > found[-1].lexical == 0


def test_words_are_compared_by_their_stems_and_with_their_key(world):
    know(world.it, "Friday mornings", key="backup_schedule")
    know(world.it, "Something else.")
    assert ask(world.it, "when are the backups scheduled?").role_agent[0].key == "backup_schedule"


def test_nearness_finds_what_shares_no_word(world):
    know(world.it, "Trousers: 38.", vector=towards(10))
    know(world.it, "The gateway restarts on Sundays.", vector=towards(80))
    found = ask(world.it, "pants size?", query_vector=towards(0)).role_agent
    assert contents(found) == ["Trousers: 38.", "The gateway restarts on Sundays."]
    assert found[0].similarity == pytest.approx(math.cos(math.radians(10)), abs=0.001)
    assert found[0].score > found[1].score


def test_without_a_vector_and_for_rows_without_one_words_alone_count(world):
    know(world.it, "The VPN needs a token.")
    know(world.it, "Lunch is at noon.", vector=towards(40))
    for vector in (None, towards(0)):
        found = ask(world.it, "VPN token", query_vector=vector).role_agent
        assert found[0].content == "The VPN needs a token."
        assert found[0].similarity is None and found[0].score == 1.0


def test_a_vector_of_another_engine_or_an_older_text_is_not_used(world):
    other, older = (know(world.it, text, vector=towards(0)) for text in ("One.", "Two."))
    MemoryEmbedding.objects.filter(memory=other).update(model="another-engine")
    MemoryEmbedding.objects.filter(memory=older).update(digest="0" * 64)
    assert {c.similarity for c in ask(world.it, "three", query_vector=towards(0)).role_agent} == {None}


def test_equal_relevance_goes_by_use_then_recency_then_id(world):
    now = timezone.now()
    first, second, used, recent = (know(world.it, f"Fact {name}.") for name in ("a", "b", "c", "d"))
    Memory.objects.update(updated_at=now)
    Memory.objects.filter(pk=used.pk).update(use_count=3)
    Memory.objects.filter(pk=recent.pk).update(last_used_at=now)
    order = [used.pk, recent.pk, first.pk, second.pk]
    for _ in range(3):
        assert [candidate.id for candidate in ask(world.it, "").role_agent] == order


def test_only_the_best_of_each_scope_come_back_and_the_rest_is_counted(world):
    for number in range(7):
        know(world.it, f"The printer {number} is blue.")
        know(world.acme, f"Printers cost {number}.")
    found = ask(world.it, "printer 3", limits=Limits(organization=2, role_agent=3, person=1))
    assert [candidate.rank for candidate in found.organization] == [1, 2]
    assert [candidate.rank for candidate in found.role_agent] == [1, 2, 3]
    assert found.role_agent[0].content == "The printer 3 is blue."
    assert found.totals == {"organization": 7, "role_agent": 7}


# --- the person -----------------------------------------------------------------------------------------------------


def test_profile_and_rules_of_the_person_always_come_and_notes_by_relevance(world):
    abc = person_of(world.shop)
    know(abc, "38", kind="profile", key="size")
    know(abc, "Keep it short.", kind="rule")
    for number in range(4):
        know(abc, f"Bought socks {number}.")
    know(abc, "Likes red jerseys.")
    found = ask(world.shop, "what jerseys would you recommend?", abc, limits=Limits(person=1))
    assert {c.content for c in found.person if c.pinned} == {"38", "Keep it short."}
    assert [c.content for c in found.person if not c.pinned] == ["Likes red jerseys."]
    assert found.totals == {"person": 7}


def test_rules_of_the_agent_are_not_pinned(world):
    know(world.shop, "Greet in French.", kind="rule")
    assert [candidate.pinned for candidate in ask(world.shop, "hello").role_agent] == [False]


# --- one key, several scopes ----------------------------------------------------------------------------------------


def test_within_a_key_the_higher_scope_wins_and_the_loser_is_named(world):
    abc = person_of(world.shop)
    top = know(world.acme, "30 days", key="refund_window")
    know(world.shop, "14 days", key="refund_window")
    know(abc, "60 days", key="Refund_Window")
    found = ask(world.shop, "how long is the refund window?", abc)
    assert [candidate.id for candidate in found.all()] == [top.pk]
    assert [(beaten.memory.content, beaten.by, beaten.by_scope) for beaten in found.beaten] == [
        ("14 days", top.pk, "organization"),
        ("60 days", top.pk, "organization"),
    ]


def test_the_winner_takes_the_place_of_what_it_beats(world):
    winner = know(world.acme, "Ask legal first.", key="contract")
    know(world.it, "The contract for printers is with Initech, printers printers.", key="contract")
    for number in range(3):
        know(world.acme, f"Printer {number} is blue.")
    found = ask(world.it, "printers Initech", limits=Limits(organization=1))
    assert [candidate.id for candidate in found.organization] == [winner.pk]


def test_what_beats_a_persons_profile_is_as_sure_to_come(world):
    abc = person_of(world.shop)
    know(abc, "38", kind="profile", key="size")
    know(world.acme, "Sizes are never stored.", key="size")
    for number in range(3):
        know(world.acme, f"Jersey {number}.")
    found = ask(world.shop, "jersey", abc, limits=Limits(organization=1))
    assert [(c.content, c.pinned) for c in found.organization] == [
        ("Sizes are never stored.", True),
        ("Jersey 2.", False),
    ]
    assert contents(found.person) == []


def test_a_key_of_another_agent_or_of_a_row_that_is_gone_beats_nothing(world):
    know(world.it, "30 days", key="refund_window")
    know(world.acme, "10 days", key="refund_window", status="deleted")
    know(world.shop, "14 days", key="refund_window")
    found = ask(world.shop, "refund")
    assert contents(found.role_agent) == ["14 days"] and found.beaten == []


# --- any text -------------------------------------------------------------------------------------------------------

ODD = [
    "",
    "   ",
    "to be or not to be",
    "'\":*",
    "':*",
    "\\",
    "a\\'b",
    "'; DROP TABLE learning_memory; --",
    "%s %(question)s %",
    "abc\0def",
    "\ud83d alone",
    "example.com/a\\b'c d@e.org/x?y='z'",
    "& | ! <-> ( )",
    "word " * 10_000,
    " ".join(f"w{number}" for number in range(10_000)),
    "x" * 100_000,
    "在周末吃夜宵" * 500,
    "👩‍👩‍👧‍👦🎉",
    "Do not \u202eeteled\u202c the backup",
]


@pytest.mark.parametrize("question", ODD)
def test_no_question_is_an_error(world, question):
    know(world.it, "The VPN needs a token.", vector=towards(5))
    for vector in (None, towards(0)):
        assert len(ask(world.it, question, query_vector=vector).role_agent) == 1
    similar(organization_id=world.acme.pk, role_agent_id=world.it.pk, text=question)


def test_no_odd_input_is_an_error(world):
    if not ODD_INPUTS.exists():
        pytest.skip("the collection of odd inputs is not on this machine")
    know(world.it, "The VPN needs a token.")
    for line in ODD_INPUTS.read_text().splitlines():
        assert len(ask(world.it, json.loads(line)["text"]).role_agent) == 1


def test_an_odd_text_finds_itself(world):
    texts = [
        "R&D pays for C:\\Users\\me",
        "O'Brien",
        "ticket ERR-42",
        "在周末吃夜宵",
        "テスト環境は金曜に停止",
        "party 🎉 on Friday",
    ]
    for text in texts:
        know(world.it, text)
    for question, text in {
        "R&D": texts[0],
        "O'Brien": texts[1],
        "ERR-42?": texts[2],
        "周末做什么": texts[3],
        "テスト": texts[4],
        "🎉": texts[5],
    }.items():
        assert ask(world.it, question).role_agent[0].content == text, question


def test_a_vector_of_the_wrong_length_is_a_fault_of_the_caller(world):
    with pytest.raises(ValueError, match="a vector of 3 dimensions"):
        ask(world.it, "size", query_vector=[1.0, 2.0, 3.0])


# --- similar --------------------------------------------------------------------------------------------------------


def alike(agent, text, **fields):
    found = similar(organization_id=agent.organization_id, role_agent_id=agent.pk, text=text, **fields)
    said = Memory.objects.in_bulk(found)
    return [said[pk].content for pk in found]


def test_similar_memories_share_most_words_or_are_near(world):
    know(world.it, "Refunds are paid within 14 days.", vector=towards(60))
    know(world.acme, "Money back takes two weeks.", vector=towards(5))
    know(world.it, "Lunch is at noon.", vector=towards(90))
    know(world.hr, "Refunds are paid within 14 days.")
    assert alike(world.it, "Refunds are paid within 30 days.") == ["Refunds are paid within 14 days."]
    assert alike(world.it, "Refunds are paid within 30 days.", vector=towards(0)) == [
        "Money back takes two weeks.",
        "Refunds are paid within 14 days.",
    ]
    assert alike(world.it, "Badges are blue.") == []


def test_similar_shows_the_most_alike_few(world):
    for number in range(7):
        know(world.it, f"Refunds are paid within 14 days, case {number}.")
    assert len(alike(world.it, "Refunds are paid within 14 days.")) == 5
    assert len(alike(world.it, "Refunds are paid within 14 days.", most=2)) == 2
