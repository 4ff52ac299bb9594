"""Dangerous procedures in the words of a skill: what no agent should be told without a person looking at it twice.

It says what it found and why, and decides nothing. The rules are data, in dangers.toml, which says how they are written. An
order that the text forbids ("Never skip the review") is advice and is not found.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

_RULES = Path(__file__).with_name("dangers.toml")
_WORD = r"(?>https?://[^\s<>\"')\]]+|[\w.+-]+@[\w-]+\.[\w.-]+|[^\W_]+)"
# What a word is and what stands between two is decided once (`?>`), or every address could be read in many ways.
# Between two words of a sentence: no end of one, and no line that begins an item, a heading or a row.
_BETWEEN = r"(?>(?:[^\w\n.!?;]|_|[.](?=\w)|\n(?![ \t]*(?:[-*#>|\n]|\d{1,3}[.)])))+)"
_OUTSIDE = r"(?:https?://[^\s<>\"')\]]+|[\w.+-]+@[\w-]+\.[\w.-]+)"

_NEGATION = re.compile(
    r"\b(?:never|not|don'?t|mustn'?t|cannot|can'?t|shouldn'?t|avoid|refuse|no|forbidden|prohibited|nie|niemals|nicht|kein\w*"
    r"|vermeide|verboten|jamais|ne|n'|eviter?|evitez|interdit|nunca|jamas|prohibido)\b"
)
_NEGATION_AFTER = re.compile(r"\b(?:nie|niemals|nicht|jamais|pas)\b")  # behind the verb, where these languages have it
# After these a negation turns round, or its clause is over.
_TURN = re.compile(
    r"\b(?:but|just|instead|simply|always|hesitate|forget|worry|fail|bother|wait|sondern|einfach|stattdessen|zogere|vergiss|mais|hesite\w*"
    r"|oublie\w*|plutot|sino|pero|dudes|olvides|simplemente)\b|[;:—]"
)
_HEAD = re.compile(
    r"\b(?:never|not|don'?t|avoid|red flags?|anti-?patterns?|bad|wrong|mistakes?|pitfalls?|forbidden|prohibited|nie|niemals"
    r"|nicht|verboten|jamais|pas|interdit|a eviter|nunca|prohibido|no hacer|nicht tun)\b|[❌✗🚫]"
)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]")
_SENTENCE = re.compile(r"[.!?](?=\s)|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+#>|]|\d{1,3}[.)])[ \t]?)")
_MOST = 50  # findings of one rule; more tell nobody more
_BEFORE = 160  # characters in which a negation is looked for


@dataclass(frozen=True, slots=True)
class Danger:
    """`start` and `end` are places in the text that was given."""

    rule: str
    why: str
    start: int
    end: int
    severity: Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class _Rule:
    id: str
    why: str
    severity: Literal["high", "medium", "low"]
    commands: tuple[re.Pattern[str], ...]
    phrases: tuple[re.Pattern[str], ...]
    negated: bool


def find(text: str) -> list[Danger]:
    """What is dangerous in `text`, in its order; one finding of a rule at each place."""
    folded, places = _folded(text)
    found: list[Danger] = []
    for rule in _rules():
        spans = [match.span() for pattern in (*rule.phrases, *rule.commands) for match in pattern.finditer(folded)]
        end, count = -1, 0
        for first, last in sorted(spans):
            if first < end or (not rule.negated and _is_forbidden(folded, first, last)):
                continue
            end, count = last, count + 1
            if count > _MOST:
                break
            found.append(Danger(rule.id, rule.why, places[first], places[last - 1] + 1, rule.severity))
    return sorted(found, key=lambda danger: (danger.start, danger.rule))


def _folded(text: str) -> tuple[str, list[int]]:
    """The text in small letters without accents and without what can not be seen, and where each character comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isascii():
            characters.append(character.lower())
            places.append(place)
            continue
        for part in unicodedata.normalize("NFKD", character).casefold():
            if unicodedata.category(part) not in {"Mn", "Cf"}:
                characters.append("'" if part == "’" else part)
                places.append(place)
    return "".join(characters), places


def _is_forbidden(text: str, at: int, end: int) -> bool:
    """Whether what stands there is said not to be done: in its own clause, or by the line above its list."""
    if _NEGATION_AFTER.search(text, at, end):
        return True
    since = max(0, at - _BEFORE)
    ends = [match.end() for match in _SENTENCE.finditer(text, since, at)]
    before = text[ends[-1] if ends else since : at]
    negations = list(_NEGATION.finditer(before))
    if negations and not _TURN.search(before, negations[-1].end()):
        return True
    if "❌" in text[text.rfind("\n", 0, at) + 1 : at]:
        return True
    return _head_forbids(text, at)


def _head_forbids(text: str, at: int) -> bool:
    """Whether the heading, the lead of the list or the comment above says that what follows is not to be done."""
    lines = text[max(0, at - 3_000) : at].split("\n")
    inside_list = bool(_ITEM.match(lines[-1]))
    for line in reversed(lines[:-1]):
        words = line.strip()
        if not words or _ITEM.match(line):
            continue
        if words.startswith("#"):
            return bool(_HEAD.search(words))
        if inside_list and not line.startswith((" ", "\t")):
            lead = words.rstrip("*_ ")
            if lead.endswith(":"):
                return bool(_HEAD.search(lead))
            inside_list = False
    return False


@cache
def _rules() -> tuple[_Rule, ...]:
    read = tomllib.loads(_RULES.read_text(encoding="utf-8"))
    groups = {name: "".join(words.split("\n")).replace(" ", "") for name, words in read["groups"].items()}
    return tuple(
        _Rule(
            rule["id"],
            rule["why"],
            rule["severity"],
            tuple(re.compile(pattern, re.I | re.M) for pattern in rule.get("commands", ())),
            tuple(_phrase(written, groups) for written in rule.get("phrases", ())),
            rule.get("negated", False),
        )
        for rule in read["rules"]
    )


def _phrase(written: str, groups: dict[str, str]) -> re.Pattern[str]:
    made, gap = r"(?<!\w)(?<!--)", ""  # no option of a program, as in --email
    for number, part in enumerate(written.split()):
        if part.startswith(".."):
            gap = f"(?:{_BETWEEN}{_WORD}){{0,{int(part[2:])}}}?"
            continue
        made += (gap + _BETWEEN if number else "") + _one_of(part, groups)
        gap = ""
    return re.compile(made)


def _one_of(part: str, groups: dict[str, str]) -> str:
    """Alternatives, the longer first; one that names a group the file does not have is a KeyError."""
    words: list[str] = []
    for word in part.split("|"):
        words += groups[word[1:]].split("|") if word.startswith("@") else [word]
    alternatives = []
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        if word == "<outside>":
            alternatives.append(_OUTSIDE)
        else:
            end = r"\w*" if word.endswith("*") else r"(?!\w)"
            alternatives.append(_BETWEEN.join(re.escape(piece) for piece in word.rstrip("*").split("_")) + end)
    return "(?:" + "|".join(alternatives) + ")"
