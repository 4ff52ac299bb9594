"""Secrets as people say them in a conversation, known by the words around them. The rules are in rules.toml."""

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RULES = Path(__file__).with_name("rules.toml")
_PART = re.compile(r"<<(\w+)>>")
_BEFORE = re.compile(r"[^\s\"'`=:;|(<>\[\]]*\Z")
_AFTER = re.compile(r"[^\s\"'`;<>\]]*")


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    regex: re.Pattern
    excepted: tuple[re.Pattern, ...]
    words: tuple[str, ...]
    shape: bool


def find(text: str, *, shapes_only: bool = False) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each in `text`; a single word is taken with the signs that belong to it."""
    small = text.lower()
    for rule in _rules():
        if shapes_only and not rule.shape:
            continue
        if not any(word in small for word in rule.words):
            continue
        for found in rule.regex.finditer(text):
            value = found["secret"]
            if value and not any(pattern.search(value) for pattern in rule.excepted):
                yield rule.kind, *_whole(text, *found.span("secret"))


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """The signs of a password such as "Summer!" belong to it; the full stop of a sentence does not."""
    if text[start:end].split() != [text[start:end]]:
        return start, end
    after = _AFTER.match(text, end)
    whole = end + len(after[0].rstrip(".,:)")) if after else end
    before = _BEFORE.search(text, max(0, start - 60), start)
    return start - len(before[0].lstrip("*_([{")) if before else start, whole


def is_talk(value: str) -> bool:
    """Whether `value` is a word people say of a password ("required") or one that stands for it ("${PASSWORD}")."""
    return any(pattern.search(value) for pattern in _talk())


@functools.cache
def kinds() -> frozenset[str]:
    return frozenset(rule.kind for rule in _rules())


def repetitions(text: str, value: str) -> list[tuple[int, int]]:
    """Where a secret that was found once stands again, whatever stands around it."""
    if len(value) < 4:
        return []
    whole = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
    return [found.span() for found in whole.finditer(text)]


def spaced(name: str) -> str:
    """A name of a field as words: "dbPassword" and "db_password" are both "db password"."""
    return re.sub(r"[_\-.]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))


def under(name: str, value: str) -> list[str]:
    """`value` as what its name says it is. The name is read from each of its parts on, so "password_router" is the router
    password too; not where it is of a matter around one, as "password_policy"."""
    parts = [part for part in spaced(name).split() if not part.isdigit()]
    first = 1 if any(_compiled("(?:<<matter>>)").fullmatch(part) for part in parts) else len(parts)
    return [f"{' '.join(parts[at:] + parts[:at])}: {value}" for at in range(first)]


@functools.cache
def _file() -> dict:
    return tomllib.loads(RULES.read_text(encoding="utf-8"))


@functools.cache
@functools.cache
def _compiled(regex: str) -> re.Pattern:
    while _PART.search(regex):
        regex = _PART.sub(lambda part: _regex_of(_file()["parts"][part[1]]), regex)
    return re.compile(regex, re.IGNORECASE)


@functools.cache
def _talk() -> tuple[re.Pattern, ...]:
    return _compiled("<<talk>>"), _compiled("<<placeholder>>")


@functools.cache
def _rules() -> tuple[_Rule, ...]:
    parts = _file()["parts"]
    return tuple(
        _Rule(
            kind=rule["id"].partition(".")[0].replace("-", " "),
            regex=_compiled(rule["regex"]),
            excepted=tuple(_compiled(regex) for regex in rule.get("except", ())),
            words=tuple(word for name in rule["words"] for word in parts.get(name, [name])),
            shape=rule.get("shape", False),
        )
        for rule in _file()["rules"]
    )


def _regex_of(part: str | list[str]) -> str:
    return part if isinstance(part, str) else "|".join(word for entry in part for word in entry.split())
