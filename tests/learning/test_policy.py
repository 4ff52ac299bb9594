"""The table of the policy, row by row, and that the documentation shows this very table."""

from dataclasses import replace
from pathlib import Path

import pytest

from digitalworker.agents.choices import PeopleLearning
from learning.choices import ItemKind, MemoryKind, MemoryScope, Risk
from learning.policy import ANY, TABLE, Case, Holds, Listening, Screened, Sender, Verdict, decide

DOCS = Path(__file__).resolve().parents[2] / "docs" / "policy.md"
# What is saved without asking; each row is this with something that matters changed.
AGENT_FACT = Case(scope=MemoryScope.ROLE_AGENT, sender=Sender.VERIFIED)
THEMSELF = Case(
    scope=MemoryScope.PERSON,
    kind=MemoryKind.PROFILE,
    sender=Sender.MEMBER_THEMSELF,
    people_learning=PeopleLearning.DIRECT,
    person_known=True,
)
ROWS = {
    "secret": (AGENT_FACT, [{"screened": Screened.HELD_SECRET}, {"screened": Screened.STEERING}]),
    "not_learning": (AGENT_FACT, [{"listening": each} for each in Listening if each != Listening.ON]),
    "nobody": (THEMSELF, [{"person_known": False}]),
    "people_off": (THEMSELF, [{"people_learning": PeopleLearning.OFF}]),
    "finding": (AGENT_FACT, [{"screened": Screened.FINDING}]),
    "sensitive": (AGENT_FACT, [{"sensitive": True}]),
    "third_party": (AGENT_FACT, [{"third_party": True}]),
    "organization": (AGENT_FACT, [{"scope": MemoryScope.ORGANIZATION}]),
    "procedure": (AGENT_FACT, [{"what": each} for each in ItemKind if each != ItemKind.MEMORY]),
    "risk": (AGENT_FACT, [{"risk": Risk.MEDIUM}, {"risk": Risk.HIGH}]),
    "people_review": (THEMSELF, [{"people_learning": PeopleLearning.REVIEW}]),
    "contradiction": (AGENT_FACT, [{"holds": Holds.OTHER}]),
    "alike": (AGENT_FACT, [{"holds": Holds.ALIKE}, {"holds": Holds.ALIKE, "sender": Sender.UNVERIFIED}]),
    "unverified": (AGENT_FACT, [{"sender": Sender.UNVERIFIED}]),
    "autosave_off": (AGENT_FACT, [{"autosave": False}]),
    "agent_fact": (
        AGENT_FACT,
        [{}, {"kind": MemoryKind.PROFILE}, {"holds": Holds.OWN_WORD}, {"sender": Sender.MEMBER_THEMSELF}],
    ),
    "member_direct": (THEMSELF, [{}, {"kind": MemoryKind.RULE}, {"holds": Holds.OWN_WORD}, {"autosave": False}]),
    "otherwise": (AGENT_FACT, [{"kind": MemoryKind.RULE}, {"kind": MemoryKind.EPISODE}]),
}


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, replace(base, **change)) for name, (base, changes) in ROWS.items() for change in changes],
)
def test_each_row_decides_what_it_says(name, case):
    assert decide(case).name == name


def test_every_row_has_a_case_here():
    assert list(ROWS) == [row.name for row in TABLE]


def test_what_somebody_else_says_about_a_person_waits_also_where_members_teach_it_directly():
    assert decide(replace(THEMSELF, sender=Sender.VERIFIED)).verdict == Verdict.INBOX
    assert decide(replace(THEMSELF, sender=Sender.UNVERIFIED)).verdict == Verdict.INBOX


@pytest.mark.parametrize("base", [AGENT_FACT, THEMSELF])
def test_the_stricter_row_goes_first(base):
    """Each verdict beats all that stand below it, whatever else is true of the proposal."""
    case = replace(base, holds=Holds.OTHER, risk=Risk.HIGH)
    assert decide(case).verdict == Verdict.INBOX
    case = replace(case, sensitive=True)
    assert decide(case).verdict == Verdict.SENSITIVE
    assert decide(replace(case, scope=MemoryScope.ORGANIZATION)).verdict == Verdict.SENSITIVE
    case = replace(case, listening=Listening.PAUSED)
    assert decide(case).verdict == Verdict.NOTHING
    case = replace(case, screened=Screened.HELD_SECRET)
    assert decide(case).verdict == Verdict.REFUSED


def test_rows_stand_by_precedence_and_the_last_takes_whatever_is_left():
    *rows, last = TABLE
    ranks = [list(Verdict).index(row.verdict) for row in rows]
    assert ranks == sorted(ranks)
    assert (last.when, last.verdict) == ({}, Verdict.INBOX)
    assert len({row.name for row in TABLE}) == len(TABLE)


def test_nothing_is_saved_that_is_not_named_by_a_row():
    saving = {row.name for row in TABLE if row.verdict == Verdict.SAVE}
    assert saving == {"agent_fact", "member_direct"}


WORDS = {
    Verdict.REFUSED: "refused",
    Verdict.NOTHING: "nothing learned",
    Verdict.SENSITIVE: "inbox as sensitive, owner or admin only",
    Verdict.ADMIN: "inbox, owner or admin only",
    Verdict.INBOX: "inbox",
    Verdict.SAVE: "saved at once, audited, undone in one click",
}


def test_the_documentation_shows_this_table():
    lines = ["| | proposal | sender | outcome |", "|---|---|---|---|"]
    lines += [f"| `{row.name}` | {row.proposal} | {row.sender or ANY} | {WORDS[row.verdict]} |" for row in TABLE]
    shown = [line for line in DOCS.read_text().splitlines() if line.startswith("|")]
    assert shown[: len(lines)] == lines
