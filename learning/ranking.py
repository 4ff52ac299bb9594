"""How relevant each memory on the shelves is to a question: the arithmetic of recall, without a database.

Each row is scored by the words it shares with the question, rare ones counting more (BM25's inverse document frequency,
damped by length), and by how near its vector is to the question's. Both are brought to 0..1 over all rows of the scopes
and mixed. Every row is looked at: a scope is a few thousand, and an approximate index would lose some of the matches.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from .shelves import SCOPES, Shelf

if TYPE_CHECKING:
    from numpy.typing import NDArray

VECTOR_WEIGHT = 0.65  # short facts share few words with a question, so nearness counts more than words


@dataclass(frozen=True, slots=True)
class Pick:
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

    def pick(self, number: int, **changes) -> Pick:
        similarity = float(self.similarity[number])
        given: dict[str, Any] = {
            "id": self.shelf.ids[number],
            "place": self.place,
            "pinned": bool(self.shelf.pinned[number]),
            "score": float(self.score[number]),
            "lexical": float(self.lexical[number]),
            "words": float(self.words[number]),
            "similarity": similarity if similarity == similarity else None,
        }
        return Pick(**(given | changes))


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
    weights = {}
    for each in terms:
        rows = sum(len(shelf.held.get(each, ())) for _, shelf in present)
        weights[each] = int(np.rint(1e6 * np.log(1 + (total - rows + 0.5) / (rows + 0.5))))
    asked = sum(weights.values())
    held, lexical, similarity = [], [], []
    query = _unit(vector)
    for _, shelf in present:
        weight = np.zeros(shelf.n, dtype=np.int64)
        for each, value in weights.items():
            rows_held = shelf.held.get(each)
            if rows_held is not None:
                weight[rows_held] += value
        held.append(weight)
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
    places: dict[int, list[tuple[_Scored, int]]] = {}
    for one in scored:
        for other in scored:
            if other is not one:
                for key in one.shelf.keys.keys() & other.shelf.keys.keys():
                    places.setdefault(key, [])
    for key, rows in places.items():
        rows += [(one, number) for one in scored for number in one.shelf.keys.get(key, ())]
    found: dict[int, dict[int, Pick]] = {}
    for rows in places.values():
        rows.sort(key=lambda row: (row[0].place, row[0].shelf.ids[row[1]]))
        top, winner = rows[0]
        for one, number in rows:
            changes: dict[str, Any] = {}
            if one is top and number == winner:
                pinned = any(bool(each.shelf.pinned[row]) for each, row in rows)
                changes = {
                    "score": max(float(each.score[row]) for each, row in rows),
                    "pinned": pinned,
                    "stands_in": pinned and not one.shelf.pinned[number],
                }
            elif one is not top:
                changes = {"beaten_by": top.shelf.ids[winner], "beaten_by_place": top.place}
            found.setdefault(one.place, {})[number] = one.pick(number, **changes)
    return found
