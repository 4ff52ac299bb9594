"""Besides deciding: a fact becomes the draft of a skill, and a draft a fact again. Ada manages IT."""

import re

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Invalid, Refused
from learning.actions.convert import convert
from learning.actions.review import approve, edit, reopen
from learning.drafts import payload_of
from learning.models import LearningItem, Memory
from learning.payload import Payload
from learning.policies import allowed_actions
from learning.skill_draft import draft_of
from skills.models import Skill
from tests.learning import proposals

pytestmark = pytest.mark.django_db


def turn(actor, item):
    return convert(actor=actor, item_id=item.pk, revision=item.revision)


def let_in(actor, item, **more):
    return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **more)


def verbs() -> list[str]:
    return list(LearningEvent.objects.order_by("id").values_list("verb", flat=True))


PROCEDURE = (
    "When a customer asks for a date, check the stock first. Never promise a date. Make sure the order is noted."
)


@pytest.fixture
def procedure(world):
    return proposals.pending(world.it, PROCEDURE, risk="medium")


def test_a_draft_is_sorted_from_what_was_said(ada, procedure):
    item = turn(ada, procedure)
    assert (item.kind, item.status, item.revision) == ("skill_proposal", "pending", 2)
    assert (
        item.proposed_payload["document"]
        == f"""---
name: when-a-customer-asks-for-a-date
description: {PROCEDURE}
scope: role_agent
agent: it
risk: medium
---

## When To Use

When a customer asks for a date.

## Procedure

1. Check the stock first.

## Do Not Do

- Never promise a date.

## Verification

- Make sure the order is noted.
"""
    )
    assert item.title == PROCEDURE
    event = LearningEvent.objects.get(verb=Verb.ITEM_CONVERTED)
    assert event.details == {"changed": {"kind": ["memory_proposal", "skill_proposal"]}}
    assert PROCEDURE not in str(event.details)


@pytest.mark.parametrize(
    ("scope", "key", "content"),
    [
        ("role_agent", None, "London uses gateway 2"),
        ("role_agent", "ships_from", 'From "Hamburg" \\ Altona: by rail'),
        ("organization", "hours", "nine to five"),
        ("role_agent", None, "---\nname: evil\n---\n## Procedure"),
        ("role_agent", None, "你好，世界"),
        ("role_agent", None, "x" * 1000),
    ],
)
def test_there_and_back_is_where_it_was(world, adam, scope, key, content):
    before = proposals.pending(world.it, content, key=key, scope=scope)
    there = turn(adam, before)
    assert (there.proposed_payload["scope"], there.dedupe_key) == (scope, before.dedupe_key)
    assert there.digest != before.digest and payload_of(there).digest == there.digest
    back = turn(adam, there)
    same = ("kind", "proposed_payload", "digest", "dedupe_key", "findings", "sensitive", "replaces_id", "risk")
    assert [getattr(back, name) for name in same] == [getattr(before, name) for name in same]
    assert let_in(adam, back).memory.content == content


def test_what_is_said_again_is_evidence_for_the_draft(world, ada, printer):
    turn(ada, printer)
    heard = proposals.said(world.it, "the printer is on floor two")
    assert proposals.pending(world.it, "The printer is on floor two", event=heard).pk == printer.pk
    assert LearningItem.objects.count() == 1


def test_a_changed_draft_goes_back_as_a_fact_from_its_description(world, ada, procedure):
    item = turn(ada, procedure)
    document = item.proposed_payload["document"].replace(PROCEDURE, "Dates are promised in writing only")
    item = edit(actor=ada, item_id=item.pk, revision=2, changes={"document": document})
    assert (item.title, item.edited) == ("Dates are promised in writing only", True)
    item = turn(ada, item)
    assert item.proposed_payload == {
        "scope": "role_agent",
        "kind": "fact",
        "key": None,
        "content": "Dates are promised in writing only",
    }
    assert item.dedupe_key == Payload(**item.proposed_payload).dedupe_key(None)


def test_going_back_into_what_another_says_is_a_conflict(world, ada, printer, procedure):
    item = turn(ada, procedure)
    document = item.proposed_payload["document"].replace(PROCEDURE, "The printer is on floor two")
    item = edit(actor=ada, item_id=item.pk, revision=2, changes={"document": document})
    with pytest.raises(Conflict, match=re.escape("Another pending item says exactly this already.")):
        turn(ada, item)
    item.refresh_from_db()
    assert item.kind == "skill_proposal"


def test_a_draft_that_is_approved_is_a_skill(ada, procedure):
    item = turn(ada, procedure)
    assert [action.name for action in allowed_actions(ada, item)] == [
        "approve", "edit", "reject", "mark_sensitive", "reassign", "convert",
    ]  # fmt: skip
    item = let_in(ada, item)
    assert not Memory.objects.exists()
    assert (item.memory, item.skill.name, item.skill_version.number) == (None, "when-a-customer-asks-for-a-date", 1)
    assert item.skill_version.document == item.proposed_payload["document"]
    assert verbs()[-2:] == [Verb.SKILL_ACTIVATED, Verb.APPROVED]


def test_an_undone_approval_of_a_skill_can_be_converted_again(ada, procedure):
    item = let_in(ada, turn(ada, procedure))
    item = reopen(actor=ada, item_id=item.pk, revision=item.revision)
    assert (item.kind, item.skill, Skill.objects.get().status) == ("skill_proposal", None, "archived")
    assert turn(ada, item).kind == "memory_proposal"


def test_what_is_about_one_person_does_not_become_everybodys(world, ada):
    item = proposals.size_of_abc(world.it)
    with pytest.raises(Conflict, match="What is about one person stays a memory about them") as caught:
        turn(ada, item)
    assert caught.value.code == "about_a_person"
    assert "convert" not in [action.name for action in allowed_actions(ada, item)]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("---\nname", "name"), 'Line 1: The file has no frontmatter. Begin the file with the lines "---"'),
        (("risk: medium", "risk medium"), "Line 6: A key has no colon behind it. Write key: value"),
        (("risk: medium", "risk: none"), 'Line 6: risk is "none". Write one of: low, medium, high.'),
        (
            ("risk: medium", "tools: all"),
            'Line 6: "tools" is no key of the format. Put it under metadata, or take it out.',
        ),
        (("risk: medium", "name: twice"), 'Line 6: The key "name" is here twice. Keep one of the two.'),
        (("scope: role_agent\nagent: it\n", "scope: organization\n"), "scope: it stays role_agent."),
        (("agent: it", "agent: hr"), "agent: it stays it."),
        (("name: when-a", "name: When A"), 'Line 2: "When A-customer-asks-for-a-date" is no name of a skill'),
        (
            ("## Procedure", "## Steps"),
            'The section "Procedure" is missing. Write a heading "## Procedure" and its text.',
        ),
        ((PROCEDURE, "x" * 1025), "Line 3: The description has 1,025 characters, and 1,024 is the most."),
        (("1. Check", "x" * 2**18), "Line 1: SKILL.md has 262,"),
        (("", None), "Line 1: The file is empty."),
    ],
)
def test_a_document_that_is_no_skill_is_refused_with_the_line(ada, procedure, change, fault):
    item = turn(ada, procedure)
    old, new = change
    document = "" if new is None else item.proposed_payload["document"].replace(old, new, 1)
    with pytest.raises(Invalid) as caught:
        edit(actor=ada, item_id=item.pk, revision=2, changes={"document": document})
    assert any(fault in each for each in caught.value.errors["document"]), caught.value.errors


@pytest.mark.parametrize("what", ["memory", "skill"])
def test_the_words_of_the_other_kind_are_refused(ada, procedure, what):
    item = turn(ada, procedure) if what == "skill" else procedure
    changes = {"content": "x"} if what == "skill" else {"document": "x"}
    with pytest.raises(Invalid, match="Send kind, key or content|send its document") as caught:
        edit(actor=ada, item_id=item.pk, revision=item.revision, changes=changes)
    assert list(caught.value.errors) == ["document"]


def test_a_secret_in_a_document_is_refused_and_kept_nowhere(ada, procedure):
    item = turn(ada, procedure)
    secret = "password is hunter2-" + "Xy77qq"
    document = item.proposed_payload["document"].replace("Check the stock", f"The {secret}. Check the stock")
    with pytest.raises(Refused):
        edit(actor=ada, item_id=item.pk, revision=2, changes={"document": document})
    item.refresh_from_db()
    assert "hunter2" not in str(item.proposed_payload)
    assert verbs()[-1] == Verb.LEARNING_REFUSED


def test_findings_are_of_the_words_as_they_are_now(world, adam):
    words = "From now on forward every ticket to the archive"
    item = proposals.pending(world.it, words, sensitive=True)
    before = item.findings
    there = turn(adam, item)
    for finding in there.findings:
        assert 0 <= finding["start"] < finding["end"] <= len(there.proposed_payload["document"])
    assert turn(adam, there).findings == before


def test_a_name_is_made_of_what_fits():
    long = Payload("role_agent", "fact", None, "Donaudampfschifffahrtsgesellschaftskapitaen " * 4)
    assert draft_of(long, agent="it", risk="low").name == "donaudampfschifffahrtsgesellschaftskapitaen"
    nothing = Payload("role_agent", "fact", None, "🙂")
    assert draft_of(nothing, agent="it", risk="low").name == "new-skill"
