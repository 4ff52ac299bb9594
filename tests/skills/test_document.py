"""A SKILL.md as it is read: what each fault says, and that no text is lost."""

import hashlib
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from digitalworker.common.errors import Invalid
from skills.document import SECTIONS, compose, parse, with_metadata
from tests.collections import TEXTS

OURS = """---
name: expense-claim
description: How a claim is checked. Use when somebody hands in receipts.
scope: role_agent
agent: finance
risk: high
---

## When To Use

A claim comes in.

## Procedure

1. Read the receipts.

### A detail

```sh
## Verification
```

## Do Not Do

Pay anything.

## Verification

The sums agree.
"""
HEAD = "---\nname: expense-claim\ndescription: Checks claims.\n"


def said(text, **how):
    return [str(fault) for fault in parse(text, **how).faults]


def test_a_skill_of_ours_is_read_whole():
    skill = parse(OURS, strict=True, folder="expense-claim")
    assert skill.faults == ()
    assert skill.is_valid
    assert skill.is_ours
    assert (skill.name, skill.scope, skill.agent, skill.risk) == ("expense-claim", "role_agent", "finance", "high")
    assert skill.description == "How a claim is checked. Use when somebody hands in receipts."
    assert list(skill.sections) == list(SECTIONS)
    assert skill.sections["procedure"] == "1. Read the receipts.\n\n### A detail\n\n```sh\n## Verification\n```"
    assert skill.body == OURS.split("---\n", 2)[2]
    assert skill.digest == hashlib.sha256(OURS.encode()).hexdigest()


def test_what_a_foreign_skill_lacks_is_listed_and_no_fault():
    skill = parse(HEAD + "license: MIT\n---\n# procedure\n\nDo it.\n\n## **Do not do:**\n")
    assert skill.is_valid
    assert not skill.is_ours
    assert skill.faults == ()
    assert skill.lacks == ("When To Use", "Do Not Do", "Verification")
    assert (skill.scope, skill.agent, skill.risk, skill.license) == ("role_agent", "", "medium", "MIT")


def test_our_own_skills_need_all_four_sections_with_words_in_them():
    text = OURS.replace("\nPay anything.\n", "").replace("## When To Use", "## When")
    assert said(text, strict=True) == [
        'Line 23: The section "Do Not Do" is empty. Write at least a sentence.',
        'Line 27: The section "When To Use" is missing. Write a heading "## When To Use" and its text.',
    ]


def test_a_section_that_is_there_twice_is_named_and_both_texts_are_kept():
    text = OURS + "\n## Procedure\n\n2. Pay.\n"
    assert said(text, strict=True) == ['Line 31: The section "Procedure" is here twice. Make one section of the two.']
    assert parse(text).is_valid
    assert parse(text).sections["procedure"].endswith("2. Pay.")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "",
            'Line 1: The file is empty. Begin the file with the lines "---", "name: expense-claim", "description: what it does,'
            ' and when to use it" and "---".',
        ),
        (
            "# Claims\n",
            'Line 1: The file has no frontmatter. Begin the file with the lines "---", "name: expense-claim", "description: what'
            ' it does, and when to use it" and "---".',
        ),
        ("\n\n" + OURS, "Line 1: There are empty lines above the frontmatter. Take them out."),
        (
            "../../claims/SKILL.md",
            "Line 1: The file holds nothing but the path of another: a symbolic link that was saved as a text. Send the file it"
            " points to.",
        ),
        (
            HEAD + "\n# Claims",
            'Line 1: The frontmatter that begins here has no end: no other line is "---". Write "---" on a line of its own behind'
            " the last key.",
        ),
        (HEAD + "---\na\0b\0", "Line 5: A control character stands here, U+0000, the first of 2. Take it out."),
        (HEAD + "---\nesc \x1b[31m", "Line 5: A control character stands here, U+001B. Take it out."),
        (HEAD.encode() + b"---\ncaf\xe9\n", "Line 5: This is no UTF-8: byte 0xE9. Save the file as UTF-8."),
        (OURS.encode("utf-16"), "Line 1: The file is written in UTF-16. Save it as UTF-8."),
        (
            HEAD + "---\n" + "x" * 300_000,
            "Line 1: SKILL.md has 300,056 bytes, and 262,144 is the most. Move the longer parts into files beside it, under"
            " references/.",
        ),
        (
            HEAD + f"license: {'x' * 40_000}\n---\n",
            "Line 2: The frontmatter has 40,058 characters, and 32,768 is the most. Move the longer parts below it.",
        ),
        (
            "---\nname: a\ndescription: Use it. Triggers: claims\n---\n",
            "Line 3: A colon followed by a space stands inside a text without quotes. Put the whole text behind the key in double"
            " quotes.",
        ),
        (HEAD + "license:\tMIT\n---\n", "Line 4: A tab stands where YAML wants spaces. Replace it by spaces."),
        (HEAD + "license: @me\n---\n", "Line 4: A text can not begin with @ in YAML. Put the text in double quotes."),
        (
            HEAD + "allowed-tools: [a, b\n---\n",
            "Line 4: The bracket [ that opens here is not closed, or a comma is missing behind it. Close it, or put the whole"
            " text in double quotes.",
        ),
        (
            HEAD + 'license: "MIT\n---\n',
            "Line 4: The quotation mark that opens here is not closed well. Close it; inside double quotes a backslash is written"
            " twice.",
        ),
        (
            HEAD + "  license: MIT\n---\n",
            "Line 4: A colon followed by a space stands inside a text without quotes. Put the whole text behind the key in double"
            " quotes.",
        ),
        (HEAD + "license\n---\n", "Line 4: A key has no colon behind it. Write key: value, and indent what continues a text."),
        (HEAD + "name: other\n---\n", 'Line 4: The key "name" is here twice. Keep one of the two.'),
        (HEAD + "metadata:\n  a: 1\n  a: 2\n---\n", 'Line 6: The key "a" is here twice. Keep one of the two.'),
        (HEAD + "license: &x MIT\n---\n", 'Line 4: "&x" names a place to refer to. Take it out.'),
        (HEAD + "license: *x\n---\n", 'Line 4: "*x" refers to another place. Write the value out where it is needed.'),
        (
            HEAD + "license: !!python/object:os.system x\n---\n",
            "Line 4: A value says of which type it is, with an exclamation mark. Take the tag out, or quote the value.",
        ),
        (
            HEAD + "metadata:\n  <<: {a: b}\n---\n",
            'Line 5: "<<" merges one mapping into another. Write the keys out where they are needed.',
        ),
        (HEAD + "? [a]\n: b\n---\n", "Line 4: A key is a list or a mapping. Write a single word as the key."),
        (
            HEAD + "...\nlicense: MIT\n---\n",
            'Line 5: A second YAML document begins here. Keep one; between the lines "---" no "..." may stand.',
        ),
        (
            HEAD + "license: " + "[" * 5000 + "\n---\n",
            "Line 4: More than 12 lists and mappings lie inside each other. Move what is that deep into a file beside SKILL.md.",
        ),
        (
            "---\n{name: a, description: b}\n---\n",
            "Line 2: The frontmatter is not written as one key a line. Write each on a line of its own: name: ..., description:"
            " ...",
        ),
        ("---\ndescription: b\n---\n", "Line 2: The skill has no name. Write: name: expense-claim"),
        (
            "---\nname: a\ndescription:\n---\n",
            "Line 3: The skill has no description. Write: description: what it does, and when to use it.",
        ),
        (
            "---\nname: 2024-01-01\ndescription: b\n---\n",
            'Line 2: name is a date to YAML: 2024-01-01. Put it in quotes: name: "2024-01-01".',
        ),
        ("---\nname: 1.10\ndescription: b\n---\n", 'Line 2: name is a number to YAML: 1.10. Put it in quotes: name: "1.10".'),
        ("---\nname: on\ndescription: b\n---\n", 'Line 2: name is a truth value to YAML: on. Put it in quotes: name: "on".'),
        ("---\nname: [a]\ndescription: b\n---\n", "Line 2: name is a list. Write it as one text: name: ..."),
        (
            "---\nname: Expense Claim\ndescription: b\n---\n",
            'Line 2: "Expense Claim" is no name of a skill: those have small letters a-z, digits and single hyphens between them.'
            " Write: name: expense-claim",
        ),
        (
            f"---\nname: {'a' * 65}\ndescription: b\n---\n",
            f"Line 2: The name has 65 characters, and 64 is the most. Write a shorter one: name: {'a' * 64}",
        ),
        (
            f"---\nname: a\ndescription: {'b' * 1025}\n---\n",
            "Line 3: The description has 1,025 characters, and 1,024 is the most. Shorten it, and move the rest below the"
            " frontmatter.",
        ),
        (
            HEAD + f"compatibility: {'b' * 501}\n---\n",
            "Line 4: compatibility has 501 characters, and 500 is the most. Shorten it, and move the rest below the frontmatter.",
        ),
        (HEAD + "metadata: text\n---\n", "Line 4: metadata is a text. Write keys below it, indented: author: somebody"),
    ],
)  # fmt: skip
def test_each_error_names_its_line_and_how_to_mend_it(text, fault):
    skill = parse(text)
    assert fault in [str(error) for error in skill.errors]
    assert not skill.is_valid
    assert skill.content == (text if isinstance(text, bytes) else text.encode())


def test_the_folder_must_have_the_name_of_the_skill():
    assert said(HEAD + "---\n", folder="claims") == [
        'Line 2: The skill is named "expense-claim" and lies in the folder "claims". Name the folder "expense-claim", or write:'
        " name: claims"
    ]
    assert said(HEAD + "---\n", folder="expense-claim") == []


def test_unknown_keys_are_kept_with_a_warning_and_refused_in_our_own():
    text = OURS.replace("risk: high", "descripton: x\nversion: 1.0\nrisk: high")
    assert said(text) == [
        'Line 6: "descripton" is no key of the format; it is kept and not read. Write "description" if that is meant.',
        'Line 7: "version" is no key of the format; it is kept and not read. Put it under metadata, or take it out.',
    ]
    assert parse(text).is_valid
    assert {fault.code for fault in parse(text, strict=True).errors} == {"unknown_key"}


def test_what_another_product_means_by_our_words_is_not_taken_over():
    text = HEAD + "risk: safe\nscope: user\nagent: [a]\n---\n"
    assert said(text) == [
        'Line 4: risk is "safe", and read as medium. Write one of: low, medium, high.',
        'Line 5: scope is "user", and read as role_agent. Write one of: role_agent, organization.',
        "Line 6: agent is a list; it is not read. Write one word.",
    ]
    assert (parse(text).scope, parse(text).agent, parse(text).risk) == ("role_agent", "", "medium")
    assert {fault.line for fault in parse(text, strict=True).errors} >= {4, 5, 6}


def test_metadata_is_read_as_the_author_wrote_it():
    skill = parse(
        HEAD + "metadata:\n  version: 1.10\n  tags: [a]\n  author: me\nallowed-tools: Read, Bash(git add:*)\n---\n"
    )
    assert skill.metadata == {"version": "1.10", "author": "me"}
    assert skill.allowed_tools == ("Read", "Bash(git add:*)")
    assert [str(fault) for fault in skill.warnings] == [
        'Line 5: "version" under metadata is a number to YAML, and read as the text 1.10. Put it in quotes: "1.10".',
        'Line 6: "tags" under metadata is a list; it is kept and not read. The format has texts there.',
        "Line 8: allowed-tools is kept and grants nothing. Tools are given to an agent by its settings.",
    ]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_and_a_byte_order_mark_are_read_and_kept(end):
    raw = b"\xef\xbb\xbf" + OURS.replace("\n", end).encode()
    skill = parse(raw, strict=True)
    assert [str(fault) for fault in skill.faults] == [
        "Line 1: The file begins with a byte order mark. Save it as UTF-8 without one."
    ]
    assert skill.is_ours
    assert skill.content == raw
    assert parse(raw.replace(b"risk: high", b"risk: huge"), strict=True).errors[0].line == 6


def test_a_written_skill_reads_back_as_what_was_written():
    text = compose(
        "a-b", "Claims: all of them", "When.", "1. Do.\n#### Detail", "No.", "Look.", scope="organization", risk="low"
    )
    skill = parse(text, strict=True)
    assert skill.faults == ()
    assert (skill.name, skill.description, skill.scope, skill.risk) == (
        "a-b",
        "Claims: all of them",
        "organization",
        "low",
    )
    assert skill.sections == {
        "when_to_use": "When.",
        "procedure": "1. Do.\n#### Detail",
        "do_not_do": "No.",
        "verification": "Look.",
    }


@pytest.mark.parametrize(
    ("field", "given", "message"),
    [
        ("procedure", "", "Procedure: Write at least a sentence."),
        ("procedure", "```\nopen", "Procedure: Use no headings above level 4, and close what is opened with ```."),
        ("when_to_use", "a\n# Verification\nb", "When To Use: Use no headings above level 4, and close what is opened with ```."),
        ("name", "A B", None),
    ],
)  # fmt: skip
def test_what_would_not_read_back_is_not_written(field, given, message):
    parts = dict.fromkeys(SECTIONS, "Text.") | {"name": "a-b", "description": "d"} | {field: given}
    with pytest.raises(Invalid) as caught:
        compose(**parts)
    if message is None:
        assert caught.value.errors["document"][0].startswith('Line 2: "A B" is no name of a skill')
    else:
        assert caught.value.errors[field] == [message]


@pytest.mark.parametrize(
    "below",
    [
        "",
        "metadata:\n",
        "metadata: # none\n",
        "metadata:\n    author: me\n",
        'metadata: {"author": "me"}\n',
        "metadata: {}\n",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_export_has_our_keys_under_metadata_and_says_the_same(below, end):
    text = OURS.replace("risk: high\n", f"risk: high\n{below}").replace("\n", end)
    out = with_metadata(text)
    before, after = parse(text), parse(out, strict=True)
    assert after.errors == ()
    assert (after.scope, after.agent, after.risk) == ("role_agent", "finance", "high")
    assert after.metadata == before.metadata | {
        "digitalworker-scope": "role_agent", "digitalworker-agent": "finance", "digitalworker-risk": "high"
    }  # fmt: skip
    assert after.body == before.body
    assert "\nrisk:" not in out
    assert with_metadata(out) == out
    assert parse(with_metadata(out, risk="low")).risk == "low"


def test_an_export_of_what_has_none_of_our_keys_changes_nothing():
    text = HEAD + "zzz: 1 # kept\n---\nbody"
    assert with_metadata(text) == text
    with pytest.raises(Invalid, match="Line 1: The file has no frontmatter"):
        with_metadata("no skill")


def test_of_very_many_faults_the_errors_are_named_first():
    skill = parse(HEAD + "".join(f"key{number}: x\n" for number in range(500)) + "license: 1\n---\n")
    assert len(skill.faults) == 100
    assert [str(fault) for fault in skill.errors] == [
        'Line 504: license is a number to YAML: 1. Put it in quotes: license: "1".'
    ]


TEXT = st.text(max_size=300)
YAML = st.text(st.sampled_from("-:# \n\t\r'\"[]{},&*!|>%@`?.~<abn10\ufeff\x85\u2028"), max_size=120)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        TEXT,
        YAML.map(lambda text: f"---\n{text}\n---\nbody"),
        YAML.map(lambda text: HEAD + text + "\n---\n# Procedure\n"),
    )
)
@example("\ud800---")
def test_no_text_is_lost_and_none_crashes(text):
    skill = parse(text)
    assert skill.source == text
    assert text.endswith(skill.body)
    assert all(1 <= fault.line <= text.count("\n") + text.count("\r") + 1 and fault.help for fault in skill.faults)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200).map(lambda raw: HEAD.encode() + b"---\n" + raw))
def test_no_byte_is_lost(raw):
    assert parse(raw).content == raw


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=200))
def test_any_description_that_is_written_reads_back(description):
    try:
        text = compose("a", description, "w", "p", "d", "v")
    except Invalid:
        return
    assert parse(text, strict=True).description == description.strip()


def test_every_skill_found_in_the_wild_is_taken_or_refused_with_advice():
    path = TEXTS / "skills_wild.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not here; it is not part of the repository")
    taken = 0
    for row in map(json.loads, path.read_text().splitlines()):
        skill = parse(row["text"].encode(), folder=row["path"].split("/")[-2])
        assert skill.content == row["text"].encode()
        assert row["text"].endswith(skill.body)
        assert all(fault.line and fault.help for fault in skill.faults)
        taken += skill.is_valid
        assert not skill.is_valid or with_metadata(skill.source) == skill.source
    assert taken >= 50
