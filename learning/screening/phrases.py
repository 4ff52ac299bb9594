"""Rules over words: groups of words in some order, with a bounded number of other words between them.

A pattern is written as `@drop ..4 @earlier ..3 @orders`. Its parts:

| part | stands for |
|---|---|
| `word` | that word, in small letters without accents |
| `word*` | any word that starts so |
| `two_words` | these words, one right after the other |
| `@group` | a word or phrase of the group |
| `a\\|b\\|@group` | one of them |
| `part?` | the part, or nothing |
| `..4` | up to four words of any kind; without it the next part follows at once |

No pattern reaches over the end of a sentence, unless that "sentence" is a single word; a line that ends like one of a program
ends a sentence too. `<url>`, `<host>`, `<email>`, `<path>` and
`<slot>` (a placeholder in braces) count as words. Every pattern walks over the words once, with a bounded number of steps a word.
"""

import functools
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from . import characters

_TOKEN = re.compile(
    r"""
    (?P<url>(?:https?|ftp|wss?)://[^\s<>"')\]]{1,2000})
    | (?P<email>[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})
    | (?P<slot>\{\{?[a-z_][^{}\n]{0,60}\}?\}|\$\{[^{}\n]{1,60}\}
      |<[a-z_ ]{0,20}(?:data|history|context|secret|prompt|key|token)[a-z_ ]{0,20}>)
    | (?P<host>(?<![\w@.-])(?:[a-z0-9-]{1,40}\.){1,4}(?:com|net|org|io|dev|app|site|xyz|info|co|ru|cn|me|link|example)(?![\w-]))
    | (?P<path>(?<![\w/.])(?:~|/etc|/proc|/root|/home|/var|/usr|\.)/[\w./~*-]{1,200}
      |(?<!\w)\.(?:env|ssh|aws|netrc|npmrc|bashrc|zshrc|git|gnupg|kube|docker)\b[\w./-]{0,100})
    | (?P<word>[^\W_]+(?:'[^\W_]+)*)
    | (?P<end>[.!?;]+(?=["')\]*_]{0,3}(?:\s|$))|\n[ \t]*\n\s*|[{}()\[\]|"'`=][ \t]*\n
      |\n[ \t]*[|`]|\n[ \t]*(?:[-*\#>]|\d{1,3}[.)])[ \t])
    """,
    re.VERBOSE,
)
_Entry = tuple[str, tuple[str, ...]]  # a group, and the words of a phrase after the first
_JOINED = ("t", "s", "re", "ll", "ve", "d", "m")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int
    end: int
    sentence: int


def words_of(text: str) -> list[Word]:
    """The words of a folded text, with positions in it."""
    found: list[Word] = []
    sentence = since = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "end":
            if len(found) - since > 1:
                sentence += 1
                since = len(found)
        elif kind == "word":
            found += _parts(token[0], token.start(), sentence)
        else:
            found.append(Word(f"<{kind}>", token.start(), token.end(), sentence))
    return found


def _parts(word: str, start: int, sentence: int) -> Iterator[Word]:
    """ "don't" is one word, "l'ordre" are two."""
    if "'" not in word:
        yield Word(word, start, start + len(word), sentence)
        return
    head, _, tail = word.partition("'")
    if tail in _JOINED:
        yield Word(head + tail, start, start + len(word), sentence)
        return
    yield Word(head, start, start + len(head), sentence)
    yield Word(tail.replace("'", ""), start + len(head) + 1, start + len(word), sentence)


class Lexicon:
    """Which groups the words and phrases of a text belong to."""

    def __init__(self, groups: Mapping[str, Iterable[str]]) -> None:
        """`groups`: name to words and phrases; a word may end in `*`."""
        self._exact: dict[str, list[_Entry]] = defaultdict(list)
        self._stems: dict[str, list[_Entry]] = defaultdict(list)
        self.known: set[str] = set()
        for name, phrases in groups.items():
            for phrase in phrases:
                self.add(name, phrase)

    def add(self, group: str, phrase: str) -> None:
        first, *rest = "".join(map(characters.fold, phrase)).replace("'", " ").split()
        entry = (group, tuple(rest))
        if first.endswith("*"):
            self._stems[first[:-1]].append(entry)
        elif entry not in self._exact[first]:
            self._exact[first].append(entry)
        self.known.update(word.rstrip("*") for word in (first, *rest) if word.rstrip("*").isalpha())

    @functools.cached_property
    def _stem_lengths(self) -> list[int]:
        return sorted({len(stem) for stem in self._stems})

    @functools.lru_cache(4096)  # noqa: B019 - there is one lexicon a process
    def _starting(self, word: str) -> tuple[frozenset[str], dict[str, list[_Entry]], list[_Entry]]:
        """What starts with `word`: groups it is in by itself, phrases by their second word, phrases whose second is a stem."""
        entries = list(self._exact.get(word, ()))
        for length in self._stem_lengths:
            if length <= len(word):
                entries += self._stems.get(word[:length], ())
        alone = frozenset(group for group, rest in entries if not rest)
        by_second: dict[str, list[_Entry]] = defaultdict(list)
        others: list[_Entry] = []
        for group, rest in entries:
            if rest and rest[0].endswith(("*", ">")):
                others.append((group, rest))
            elif rest:
                by_second[rest[0]].append((group, rest))
        return alone, dict(by_second), others

    def read(self, words: list[Word]) -> "Reading":
        at: list[dict[str, set[int]]] = []
        for i, word in enumerate(words):
            alone, by_second, others = self._starting(word.text[:60])
            groups = {group: {i + 1} for group in alone}
            if (by_second or others) and i + 1 < len(words):
                for group, rest in (*by_second.get(words[i + 1].text, ()), *others):
                    if _follows(words, i + 1, rest):
                        groups.setdefault(group, set()).add(i + 1 + len(rest))
            at.append(groups)
        return Reading(words, at)


def _follows(words: list[Word], at: int, rest: tuple[str, ...]) -> bool:
    if at + len(rest) > len(words):
        return False
    return all(
        word.text == part
        or (part[-1] == "*" and word.text.startswith(part[:-1]))
        or (part == "<number>" and word.text[0].isdigit())
        for word, part in zip(words[at : at + len(rest)], rest, strict=True)
    )


class Reading:
    """The words of a text with the groups that start at each. `steps` counts the work done, for tests."""

    def __init__(self, words: list[Word], at: list[dict[str, set[int]]]) -> None:
        self.words = words
        self.at = at
        self.steps = 0
        self.places: dict[str, list[int]] = defaultdict(list)
        for i, groups in enumerate(at):
            for group in groups:
                self.places[group].append(i)

        # The words of each sentence: from, to.
        self._bounds: dict[int, tuple[int, int]] = {}
        for i, word in enumerate(words):
            first, _ = self._bounds.get(word.sentence, (i, i))
            self._bounds[word.sentence] = (first, i + 1)

    def bounds(self, place: int) -> tuple[int, int]:
        """The sentence around word `place`, as positions of words: from, to."""
        return self._bounds[self.words[place].sentence]

    def any_of(self, group: str, start: int, end: int) -> bool:
        """Whether something of `group` starts at one of the words start..end."""
        places = self.places.get(group, ())
        at = bisect_left(places, start)
        return at < len(places) and places[at] < end

    def runs_on(self, end: int, most: int) -> int:
        """Where up to `most` words end that follow word `end` - 1 with nothing but a space between."""
        while most and end < len(self.words) and self.words[end].start - self.words[end - 1].end <= 1:
            end, most = end + 1, most - 1
        return end

    def one_sentence(self, start: int, end: int) -> bool:
        return self.words[start].sentence == self.words[end - 1].sentence


@dataclass(frozen=True, slots=True)
class Part:
    groups: tuple[str, ...]
    gap: int  # words that may stand before it
    optional: bool


class Pattern:
    """A compiled pattern; literal words become groups of their own in `lexicon`."""

    def __init__(self, written: str, lexicon: Lexicon, groups: Mapping[str, object]) -> None:
        self.parts: list[Part] = []
        gap = 0
        for piece in written.split():
            if piece.startswith(".."):
                gap = int(piece[2:])
                continue
            optional = piece.endswith("?")
            names = _names(piece.removesuffix("?"), written, lexicon, groups)
            self.parts.append(Part(names, gap, optional))
            gap = 0
        if not self.parts or self.parts[0].optional or self.parts[0].gap:
            raise ValueError(f"{written!r} must start with a part that is always there")

    def find(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """Where it matches, as positions of words: the shortest match from each start."""
        if not all(part.optional or any(group in reading.places for group in part.groups) for part in self.parts):
            return
        for place in sorted({place for group in self.parts[0].groups for place in reading.places.get(group, ())}):
            end = self.match(reading, place)
            if end:
                yield place, end

    def match(self, reading: Reading, start: int) -> int:
        """Where the shortest match from word `start` ends, 0 if there is none."""
        ends = self._ends(reading, self.parts[0], start)
        for part in self.parts[1:]:
            after = set(ends) if part.optional else set()
            for end in ends:
                for place in range(end, min(end + part.gap + 1, len(reading.words))):
                    reading.steps += 1
                    after |= self._ends(reading, part, place)
            ends = after
            if not ends:
                return 0
        return min((end for end in ends if reading.one_sentence(start, end)), default=0)

    @staticmethod
    def _ends(reading: Reading, part: Part, place: int) -> set[int]:
        there = reading.at[place]
        found: set[int] = set()
        for group in part.groups:
            found |= there.get(group, set())
        return found


class Together:
    """Groups that meet in one sentence in any order, written as `@given @void ..12`: within twelve words, here.

    Languages order words differently, so what is meant is often a matter of which notions stand side by side.
    """

    def __init__(self, written: str, lexicon: Lexicon, groups: Mapping[str, object]) -> None:
        *pieces, reach = written.split()
        if not reach.startswith("..") or len(pieces) < 2:
            raise ValueError(f"{written!r} must name two groups or more and end with a reach such as ..12")
        self.reach = int(reach[2:])
        self.parts = [_names(piece, written, lexicon, groups) for piece in pieces]

    def find(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """Where they meet, as positions of words: the nearest of each around every place of the first."""
        if not all(any(group in reading.places for group in part) for part in self.parts):
            return
        for place, end in _placed(reading, self.parts[0], 0, len(reading.words)):
            first, last = reading.bounds(place)
            spans = [(place, end)]
            for part in self.parts[1:]:
                near = _placed(reading, part, max(first, place - self.reach), min(last, place + self.reach + 1))
                reading.steps += len(near)
                # What is part of another notion is no notion of its own.
                free = [span for span in near if not any(span[0] < b and a < span[1] for a, b in spans)]
                if not free:
                    break
                spans.append(min(free, key=lambda span: abs(span[0] - place)))
            else:
                start, stop = min(a for a, _ in spans), max(b for _, b in spans)
                if reading.one_sentence(start, stop):
                    yield start, stop


def _placed(reading: Reading, part: tuple[str, ...], start: int, end: int) -> list[tuple[int, int]]:
    """Each place of one of the groups among the words start..end, with where its longest phrase ends."""
    found: dict[int, int] = {}
    for group in part:
        places = reading.places.get(group, [])
        for i in range(bisect_left(places, start), bisect_left(places, end)):
            found[places[i]] = max(found.get(places[i], 0), *reading.at[places[i]][group])
    return sorted(found.items())


def _names(piece: str, written: str, lexicon: Lexicon, groups: Mapping[str, object]) -> tuple[str, ...]:
    """The groups of `a|b|@group`; literal words become groups of their own."""
    names = []
    for choice in piece.split("|"):
        if choice.startswith("@"):
            if choice[1:] not in groups:
                raise ValueError(f"{written!r} names {choice}, which is no group")
            names.append(choice[1:])
        else:
            lexicon.add(f"={choice}", choice.replace("_", " "))
            names.append(f"={choice}")
    return tuple(names)
