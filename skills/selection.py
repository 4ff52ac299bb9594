"""Which of an agent's skills a question needs, if any: pure arithmetic over names, descriptions and vectors.

A skill loaded needlessly takes room from the answer and may steer it wrong; one not loaded can still be fetched by the model,
which sees all names and descriptions. So whatever is uncertain loads nothing, and each skill that came near says why not.

A question may ask for skills by name, `/expense-claim`: see `Catalogue.choose`. Otherwise a skill is judged by what it shares
with the question, each measured against the everyday questions of `everyday.py`:

* words, by their stems, rare ones counting more;
* nearness of its vector to the question's, over what everyday questions of the same language have to this skill, in units of
  how much everyday questions differ among each other: a cosine alone means something else with each engine and each text;
* how near the question is to everyday ones, which counts against every skill;
* whether the two are in different languages, where no words can be shared and vectors lie further apart.

The weights were fitted on one half of the questions of `benchmarks.skills`, and it measures them on both.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import TYPE_CHECKING, Any
from uuid import UUID

from .everyday import QUESTIONS
from .wording import languages, slug, terms, weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    type Vector = Sequence[float] | NDArray[Any]

ASKED = "asked by name"
FITS = "fits the question"
TOO_MANY = "asked by name, but {most} at most are loaded"
TWO = "uncertain: two fit as well"
LESS = "another fits better"
NOT = "does not fit"

PASSAGE_MOST = 400  # characters of a skill that are embedded; what a description says later is exceptions and lists
QUESTION_MOST = 2_000  # characters of a question whose words are looked at, from both ends
CONSIDERED_MOST = 5

# Of log odds; 0 is where a skill is loaded. Fitted, see above.
_NEAR, _EVERYDAY, _WORDS, _FOREIGN, _BIAS = 3.82, -2.38, 0.61, 4.2, -7.1
_WORDS_ALONE, _BIAS_ALONE = 1.2, -6.3
_AS_WELL = 0.5  # a skill at most this far behind the best one fits as well
_IN_WHEN = 0.5  # of a word's weight where only "When To Use" holds it
_LENGTH = 0.05  # of the words' weight is lost with each word asked: a long question shares words by chance
_NEAREST = 3  # everyday questions

_COMMAND = re.compile(r"/[^\W_][\w-]*")
_OPENING, _CLOSING = "([{<\"'`«“„‘*", ")]}>\"'`»”“’*.,;:!?…"
# Top folders of a Unix system, which people write as they write a command.
_FOLDERS = re.compile("/(bin|boot|dev|etc|home|lib|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)", re.I)


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A skill that may be loaded. `when` is the text of its section "When To Use"; `vector` is that of `passage_text`, as a
    passage, or None while there is none."""

    key: UUID | str
    name: str
    description: str
    when: str = ""
    vector: "Vector | None" = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A skill to load. `score` and `lexical` (words alone) are 0..1, a score from 0.5 on fits; `similarity` is the cosine,
    None where there was no vector."""

    key: UUID | str
    name: str
    score: float
    lexical: float
    similarity: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Considered(Chosen):
    """One that came near and is not loaded; `why` says why not."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Best first. `unknown` are names that were asked for and are not in the catalogue, as they were written."""

    chosen: tuple[Chosen, ...] = ()
    considered: tuple[Considered, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(f"not found: {name}" for name in self.unknown)


def passage_text(name: str, description: str) -> str:
    """What is embedded for a skill. "When To Use" is left out: it is long, and of conditions more than of the subject."""
    return f"{re.sub('[-_]+', ' ', name)}: {description}"[:PASSAGE_MOST]


def commands(question: str) -> list[tuple[str, bool]]:
    """What is asked for by name, as written, and whether the question begins with it.

    A command stands as a word of its own. A path with a second slash, an address, a date and "and/or" are none.
    """
    tokens = (token.lstrip(_OPENING).rstrip(_CLOSING) for token in question.split())
    return [
        (token, place == 0)
        for place, token in enumerate(tokens)
        if _COMMAND.fullmatch(token) and not token[1:].isdecimal()
    ]


@dataclass(slots=True)
class _Score:
    entry: Entry
    odds: float
    lexical: float
    similarity: float | None

    def as_(self, kind: type[Chosen], why: str) -> Any:
        return kind(self.entry.key, self.entry.name, _share(self.odds), self.lexical, self.similarity, why)


class Catalogue:
    """The skills among which a question chooses: built once for a set of versions, then asked any number of times, by any
    number of threads.

    `everyday` are the vectors of `everyday.QUESTIONS`, as queries of the engine that made the entries' vectors. Without them
    vectors can not be judged and are not used. Of several entries with one name the one with the least key counts.
    """

    def __init__(self, entries: Sequence[Entry], everyday: "Sequence[Vector] | NDArray[Any] | None" = None) -> None:
        distinct: dict[str, Entry] = {}
        for entry in sorted(entries, key=lambda entry: str(entry.key)):
            distinct.setdefault(slug(entry.name), entry)
        self._by_slug = dict(sorted(distinct.items()))
        self._entries = list(self._by_slug.values())
        self._languages = [languages(f"{entry.name} {entry.description}") for entry in self._entries]
        self._holding: dict[str, dict[int, float]] = defaultdict(dict)
        for number, entry in enumerate(self._entries):
            for term in terms(entry.when):
                self._holding[term][number] = _IN_WHEN
            for term in terms(f"{entry.name} {entry.description}"):
                self._holding[term][number] = 1.0
        self._nearness = (
            _Nearness([entry.vector for entry in self._entries], everyday) if everyday is not None else None
        )

    def __len__(self) -> int:
        return len(self._entries)

    def choose(self, question: str, vector: "Vector | None" = None, *, at_most: int = 2) -> Choice:
        """The at most `at_most` skills to load for `question`; `vector` is its own, as a query.

        Who names a skill (`/name`, as a word anywhere, in any case) wants that one: those named are loaded, in their order, and
        no others. A name that is not in the catalogue is said in `unknown`. Where the question begins with it, nothing is
        loaded in its place, because that would answer something else than was asked; further inside it may be a folder or a
        slip, so it is said and the rest of the question chooses.

        Without a name the skill that fits best is loaded, and with it those that fit as well. If these are more than may be
        loaded, choosing among them would be a guess, and none is.
        """
        named = commands(question)
        asked = dict.fromkeys(slug(word) for word, _ in named if slug(word) in self._by_slug)
        missing = [
            (word, first) for word, first in named if slug(word) not in self._by_slug and not _FOLDERS.fullmatch(word)
        ]
        unknown = tuple(dict.fromkeys(word for word, _ in missing))
        if asked:
            return self._asked([self._by_slug[name] for name in asked], at_most, unknown)
        if any(first for _, first in missing):
            return Choice(unknown=unknown)
        return _decided(self._scored(question, vector), at_most, unknown)

    def _asked(self, entries: list[Entry], at_most: int, unknown: tuple[str, ...]) -> Choice:
        def row(kind: type[Chosen], entry: Entry, why: str) -> Any:
            return kind(entry.key, entry.name, 1.0, 1.0, None, why)

        most = max(at_most, 0)
        return Choice(
            tuple(row(Chosen, entry, ASKED) for entry in entries[:most]),
            tuple(row(Considered, entry, TOO_MANY.format(most=most)) for entry in entries[most:]),
            unknown,
        )

    def _scored(self, question: str, vector: "Vector | None") -> list[_Score]:
        """Every skill, the best first; equal ones by name."""
        asked = terms(question, QUESTION_MOST)
        shared = [0.0] * len(self._entries)
        for term in asked:
            holding = self._holding.get(term, {})
            value = weight(term, len(holding), len(self._entries))
            for number, part in holding.items():
                shared[number] += part * value
        spoken = languages(question)
        near = self._nearness.of(vector, spoken) if self._nearness and vector is not None else {}
        scores = []
        for number, entry in enumerate(self._entries):
            words = shared[number] / (1 + _LENGTH * len(asked))
            alone = _WORDS_ALONE * words + _BIAS_ALONE
            odds, similarity = alone, None
            if found := near.get(number):
                written = self._languages[number]
                foreign = bool(spoken and written and spoken.isdisjoint(written))
                odds = _NEAR * found.over + _EVERYDAY * found.everyday + _WORDS * words + _FOREIGN * foreign + _BIAS
                similarity = found.cosine
            scores.append(_Score(entry, odds, _share(alone), similarity))
        return sorted(scores, key=lambda score: -score.odds)


@dataclass(frozen=True, slots=True)
class _Near:
    cosine: float
    over: float
    everyday: float


class _Nearness:
    """Cosines, and what they are worth: see the head of this module."""

    def __init__(self, vectors: "Sequence[Vector | None]", everyday: "Sequence[Vector] | NDArray[Any]") -> None:
        import numpy as np

        self._known = [number for number, vector in enumerate(vectors) if vector is not None]
        self._places = {number: place for place, number in enumerate(self._known)}
        self._everyday = _unit(everyday)
        if len(self._everyday) != len(QUESTIONS):
            raise ValueError(f"{len(self._everyday)} vectors for {len(QUESTIONS)} everyday questions")
        among = self._everyday @ self._everyday.T
        others = among[~np.eye(len(among), dtype=bool)]
        self._level, self._spread = float(others.mean()), float(others.std()) or 1.0
        if self._known:
            self._skills = _unit([vectors[number] for number in self._known])
            self._usual = self._everyday @ self._skills.T

    def of(self, vector: "Vector", spoken: frozenset[str]) -> "dict[int, _Near]":
        """By number of the skill, of those that have a vector."""
        import numpy as np

        if not self._known:
            return {}
        question = _unit([vector])[0]
        cosines = self._skills @ question
        over = (cosines - self._usual[_same_language(spoken)].mean(axis=0)) / self._spread
        nearest = np.sort(self._everyday @ question)[-_NEAREST:].mean()
        everyday = float((nearest - self._level) / self._spread)
        return {
            number: _Near(float(cosines[place]), float(over[place]), everyday) for number, place in self._places.items()
        }


@cache
def _same_language(spoken: frozenset[str]) -> list[int]:
    """The places of the everyday questions of these languages; of all where there are none."""
    same = [place for place, question in enumerate(QUESTIONS) if languages(question) & spoken]
    return same or list(range(len(QUESTIONS)))


def _decided(scores: list[_Score], at_most: int, unknown: tuple[str, ...]) -> Choice:
    """From the best to the worst."""
    fitting = [score for score in scores if score.odds >= 0]
    as_well = sum(score.odds > fitting[0].odds - _AS_WELL for score in fitting)
    loaded = as_well if as_well <= at_most else 0

    def why_not(place: int) -> str:
        return TWO if place < as_well else LESS if place < len(fitting) else NOT

    return Choice(
        tuple(score.as_(Chosen, FITS) for score in scores[:loaded]),
        tuple(
            score.as_(Considered, why_not(place))
            for place, score in enumerate(scores[: loaded + CONSIDERED_MOST])
            if place >= loaded
        ),
        unknown,
    )


def _share(odds: float) -> float:
    return 1 / (1 + exp(-max(-50.0, min(50.0, odds))))


def _unit(vectors: Any) -> "NDArray[Any]":
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
