"""What stands in a search box: words to rank by, and what a message must or must not say.

| written | means |
|---|---|
| `vpn certificate` | any of the words, in whatever form; the more of them and the rarer, the better |
| `"red cross"` | these words, next to each other, as they stand |
| `config*` | a word that begins so |
| `-printer`, `-"red cross"` | not this |

Whatever does not fit these forms is words: no text is an error.
"""

import re
from dataclasses import dataclass, field

FILTERS_MOST = 8  # of each kind; what comes after is words
PREFIX_LEAST = 2  # letters

_BEFORE, _AFTER = r"(?<![^\s(\[{])", r"(?=[\s.,;:!?)\]}]|$)"
_QUOTED = re.compile(rf"{_BEFORE}(-?)[\"“”„«»]([^\"“”„«»]*\w[^\"“”„«»]*)[\"“”«»]{_AFTER}")
_PREFIX = re.compile(rf"{_BEFORE}([^\W_][\w-]*\w)\*{_AFTER}")
_WITHOUT = re.compile(rf"{_BEFORE}-([^\W\d_][\w'’-]*){_AFTER}")  # not -5: people write of numbers below zero


@dataclass(frozen=True, slots=True)
class Query:
    """`words` ranks, and holds the words of the phrases too. A query that has none of the first three asks for nothing."""

    words: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    without_phrases: tuple[str, ...] = field(default=())


def read(text: str) -> Query:
    phrases: list[str] = []
    prefixes: list[str] = []
    without: list[str] = []
    without_phrases: list[str] = []

    def take(into: list[str], found: str, match: re.Match) -> str:
        if len(into) >= FILTERS_MOST:
            return match.group()
        into.append(" ".join(found.split()))
        return " "

    rest = _QUOTED.sub(lambda m: take(without_phrases if m[1] else phrases, m[2], m), text)
    rest = _PREFIX.sub(lambda m: take(prefixes, m[1], m) if len(m[1]) >= PREFIX_LEAST else m.group(), rest)
    rest = _WITHOUT.sub(lambda m: take(without, m[1], m), rest)
    words = " ".join([*rest.split(), *phrases])
    return Query(words, tuple(phrases), tuple(prefixes), tuple(without), tuple(without_phrases))
