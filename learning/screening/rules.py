"""The rules of injection.py as they are read from the folder patterns/."""

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .phrases import Lexicon, Pattern, Reading, Together

PATTERNS = Path(__file__).with_name("patterns")
SEVERITIES = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Unless:
    """Where one of its words stands at the right place, nothing is found after all.

    Behind a finding only what it runs on into counts: a word hung on behind a comma would switch any rule off.
    """

    before: str = ""
    within: int = 0
    after: str = ""
    inside: str = ""
    sentence: str = ""
    anywhere: str = ""

    def holds(self, reading: Reading, start: int, end: int) -> bool:
        here = reading.words[start].sentence
        first, last = reading.bounds(start)
        if self.before:
            since = max(first, start - self.within) if self.within else first
            if reading.any_of(self.before, since, start):
                return True
        if self.after and reading.any_of(self.after, end, min(reading.runs_on(end, 2), last)):
            return True
        if self.inside and reading.any_of(self.inside, start, end):
            return True
        if self.anywhere and reading.any_of(self.anywhere, first, last):
            return True
        return bool(self.sentence and here >= 0 and reading.any_of(self.sentence, first, end))


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    severity: str
    why: str
    patterns: tuple[Pattern | Together, ...]
    unless: tuple[Unless, ...]
    near: tuple[str, ...]

    def find(self, reading: Reading) -> list[tuple[int, int]]:
        """Where the rule holds, as positions of words."""
        found = []
        for pattern in self.patterns:
            for start, end in pattern.find(reading):
                if self.near and not any(reading.any_of(group, *reading.bounds(start)) for group in self.near):
                    continue
                if not any(exception.holds(reading, start, end) for exception in self.unless):
                    found.append((start, end))
        return found


@functools.cache
def load() -> tuple[Lexicon, tuple[Rule, ...]]:
    """All groups and rules, compiled once a process. Raises ValueError for a rule that names what there is not."""
    groups = {
        name: [entry.strip() for words in languages.values() for entry in words.split(",")]
        for path in sorted(PATTERNS.glob("words*.toml"))
        for name, languages in _read(path.name).items()
    }
    lexicon = Lexicon(groups)
    exceptions = {name: _unless(name, parts, lexicon) for name, parts in _read("exceptions.toml")["exceptions"].items()}
    rules = []
    for rule in (rule for path in sorted(PATTERNS.glob("rules_*.toml")) for rule in _read(path.name)["rules"]):
        if rule["severity"] not in SEVERITIES:
            raise ValueError(f"{rule['id']}: no such severity as {rule['severity']}")
        for name in (*rule.get("near", ()), *rule.get("unless", ())):
            if name not in groups and name not in exceptions:
                raise ValueError(f"{rule['id']} names {name}, which there is not")
        rules.append(
            Rule(
                rule["id"],
                rule["severity"],
                rule["why"],
                (
                    *(Pattern(written, lexicon, groups) for written in rule.get("find", ())),
                    *(Together(written, lexicon, groups) for written in rule.get("together", ())),
                ),
                tuple(exceptions[name] for name in rule.get("unless", ())),
                tuple(rule.get("near", ())),
            )
        )
    return lexicon, tuple(rules)


def _read(name: str) -> dict:
    return tomllib.loads((PATTERNS / name).read_text(encoding="utf-8"))


def _unless(name: str, parts: dict, lexicon: Lexicon) -> Unless:
    places = {}
    for place in ("before", "after", "inside", "sentence", "anywhere"):
        if place in parts:
            places[place] = f"unless {name} {place}"
            for phrase in parts[place]:
                lexicon.add(places[place], phrase)
    return Unless(**places, within=parts.get("within", 0))
