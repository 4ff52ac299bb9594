"""How relevant each memory on the shelves is to a question: the arithmetic of recall, without a database.

Each row is scored by the words it shares with the question, rare ones counting more (BM25's inverse document frequency,
damped by length), and by how near its vector is to the question's. Both are brought to 0..1 over all rows of the scopes
and mixed. Every row is looked at: a scope is a few thousand, and an approximate index would lose some of the matches.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from .shelves import SCOPES, Shelf

if TYPE_CHECKING:
    from numpy.typing import NDArray

VECTOR_WEIGHT = 0.65  # short facts share few words with a question, so nearness counts more than words


class Pick(NamedTuple):
    """A row that may come out. `place` counts scopes from 1 by precedence; `beaten_by` is the row that holds its key.

    `stands_in`: it is pinned only because it beats one that is.
    """

    id: UUID
    place: int
    pinned: bool
    score: float
    lexical: float
    words: float
    similarity: float | None
    stands_in: bool = False
    beaten_by: UUID | None = None
    beaten_by_place: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """One shelf's rows. `words`: share of the question's words by weight; `similarity`: cosine, NaN without a vector."""

    place: int
    shelf: Shelf
    words: "NDArray[Any]"
    lexical: "NDArray[Any]"
    similarity: "NDArray[Any]"
    score: "NDArray[Any]"

    def pick(self, number: int) -> Pick:
        similarity = float(self.similarity[number])
        return Pick(
            self.shelf.ids[number],
            self.place,
            bool(self.shelf.pinned[number]),
            float(self.score[number]),
            float(self.lexical[number]),
            float(self.words[number]),
            similarity if similarity == similarity else None,
        )


def picks(
    shelves: Mapping[str, Shelf],
    *,
    terms: Iterable[int],
    vector: Sequence[float] | None,
    most: Mapping[str, int],
) -> list[Pick]:
    """What is pinned, what shares its key with another scope, and of the rest the best `most` of each scope.

    Rows that score the same as the last of those come too: use and recency, which change with every answer, decide
    between them, and the database knows those.
    """
    scored = _scored(shelves, list(dict.fromkeys(terms)), vector)
    shared = _shared(scored)
    found: list[Pick] = []
    for one in scored:
        apart = shared.get(one.place, {})
        found += apart.values()
        taken = one.shelf.pinned.copy()
        found += [one.pick(int(number)) for number in taken.nonzero()[0] if int(number) not in apart]
        taken[list(apart)] = True
        found += [one.pick(int(number)) for number in _best(one.score, ~taken, most[SCOPES[one.place - 1]])]
    return found


def _scored(shelves: Mapping[str, Shelf], terms: list[int], vector: Sequence[float] | None) -> list[_Scored]:
    import numpy as np

    present = [(place, shelves[scope]) for place, scope in enumerate(SCOPES, 1) if scope in shelves]
    total = sum(shelf.n for _, shelf in present)
    # Whole millionths, so that a sum is the same in whatever order it is made.
    held = [np.zeros(shelf.n, dtype=np.int64) for _, shelf in present]
    asked = 0
    for term in terms:
        holding = [shelf.holding(term) for _, shelf in present]
        rows = sum(map(len, holding))
        value = round(1e6 * log(1 + (total - rows + 0.5) / (rows + 0.5)))
        asked += value
        for weight, holders in zip(held, holding, strict=True):
            weight[holders] += value
    lexical, similarity = [], []
    query = _unit(vector)
    for (_, shelf), weight in zip(present, held, strict=True):
        lexical.append(weight / shelf.damping)
        near = np.full(shelf.n, np.nan)
        if query is not None:
            near[shelf.embedded] = (shelf.vectors @ query)[shelf.embedded]
        similarity.append(near)
    best = max((float(each.max()) for each in lexical), default=0.0)
    known = [each[~np.isnan(each)] for each in similarity]
    farthest = min((float(each.min()) for each in known if len(each)), default=0.0)
    spread = max((float(each.max()) for each in known if len(each)), default=0.0) - farthest
    scored = []
    for (place, shelf), weight, words, near in zip(present, held, lexical, similarity, strict=True):
        lexical_share = words / best if best else words
        nearness = (near - farthest) / spread if spread else np.where(np.isnan(near), np.nan, 1.0)
        # A row without a vector is judged by its words alone. Two decimals: a smaller difference means nothing, and use
        # and recency decide instead.
        mixed = (
            VECTOR_WEIGHT * np.where(np.isnan(nearness), lexical_share, nearness) + (1 - VECTOR_WEIGHT) * lexical_share
        )
        scored.append(_Scored(place, shelf, weight / (asked or 1), lexical_share, near, np.rint(100 * mixed) / 100))
    return scored


def _unit(vector: Sequence[float] | None) -> "NDArray[Any] | None":
    import numpy as np

    if vector is None:
        return None
    query = np.asarray(vector, dtype=np.float32)
    return query / np.linalg.norm(query)


def _best(score: "NDArray[Any]", eligible: "NDArray[Any]", most: int) -> "NDArray[Any]":
    import numpy as np

    numbers = eligible.nonzero()[0]
    if most <= 0:
        return numbers[:0]
    if len(numbers) > most:
        scores = score[numbers]
        numbers = numbers[scores >= np.partition(scores, -most)[-most]]
    return numbers


def _shared(scored: list[_Scored]) -> dict[int, dict[int, Pick]]:
    """Place to row to pick, of rows whose key more than one scope holds. Within one key the higher scope wins.

    The winner takes over the best place among those it beats: what is said about the key must not vanish because the
    winner is worded less like the question.
    """
    keys = {key for one, other in combinations(scored, 2) for key in one.shelf.keys.keys() & other.shelf.keys.keys()}
    found: dict[int, dict[int, Pick]] = {}
    for key in keys:
        rows = [(one, number) for one in scored for number in one.shelf.keys.get(key, ())]
        top, winner = min(rows, key=lambda row: (row[0].place, row[0].shelf.ids[row[1]]))
        for one, number in rows:
            pick = one.pick(number)
            if one is top and number == winner:
                pinned = any(bool(each.shelf.pinned[row]) for each, row in rows)
                score = max(float(each.score[row]) for each, row in rows)
                pick = pick._replace(score=score, pinned=pinned, stands_in=pinned and not pick.pinned)
            elif one is not top:
                pick = pick._replace(beaten_by=top.shelf.ids[winner], beaten_by_place=top.place)
            found.setdefault(one.place, {})[number] = pick
    return found
