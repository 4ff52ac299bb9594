"""What recall would find if one more thing were known: for a reviewer who asks what an approval changes.

It is the ranking of every answer, with one row more and without the one it takes the place of, so that the preview can not
drift from what an answer is given. Nothing is written, and nothing of it is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

from digitalworker.common.embedding import DIMENSIONS
from digitalworker.common.prepared import rows_of
from digitalworker.common.search import all_pieces

from . import shelves
from .recall import IMAGINED, Candidate, Candidates, Limits, alike_of, look, ranked
from .shelves import Scope, Shelf

__all__ = ["IMAGINED", "Imagined", "OneMore", "recall_with"]

ALIKE_MOST = 6
_WORDS = "SELECT tsvector_to_array(words), length(words) FROM to_tsvector('english', %(text)s::text) AS words"


@dataclass(frozen=True, slots=True)
class OneMore:
    """A memory that is only proposed. `replaces` is the live memory that would make room for it."""

    scope: str
    kind: str
    key: str | None
    content: str
    replaces: UUID | None = None


class Imagined(NamedTuple):
    """What recall finds now and once the one more were known, and the live memories it is much like, the most alike first."""

    before: Candidates
    after: Candidates
    alike: list[UUID]


def recall_with(
    one_more: OneMore,
    *,
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None,
    question: str,
    query_vector: Sequence[float] | None = None,
    limits: Limits | None = None,
) -> Imagined:
    """As `recall.recall`, now and once `one_more` were known. Its candidate has the id IMAGINED. Three statements."""
    limits = limits or Limits()
    asked, terms = look(Scope(organization_id, role_agent_id, person_id), question, query_vector)
    row = _row(one_more)
    alike = alike_of(asked, row.terms.tolist(), None, ALIKE_MOST)
    changed = {name: _without(shelf, one_more.replaces, terms) for name, shelf in asked.shelves.items()}
    changed[one_more.scope] = _with(changed.get(one_more.scope), row)
    order = {name: changed[name] for name in shelves.SCOPES if name in changed}
    before, after = ranked([asked.shelves, order], terms, query_vector, limits)
    return Imagined(before, _told(after, one_more), alike)


def _without(shelf: Shelf, gone: UUID | None, terms: list[int]) -> Shelf:
    """`shelf` with only what these terms need, and without the row `gone`."""
    import numpy as np

    at = shelf.ids.index(gone) if gone in shelf.ids else shelf.n
    pairs = [(term, row - (row > at)) for term in terms for row in shelf.holding(term).tolist() if row != at]
    keys = {key: [row - (row > at) for row in rows if row != at] for key, rows in shelf.keys.items()}
    left = np.arange(shelf.n) != at
    return Shelf(
        mark=0,
        ids=[*shelf.ids[:at], *shelf.ids[at + 1 :]],
        pinned=shelf.pinned[left],
        damping=shelf.damping[left],
        **shelves.postings([term for term, _ in pairs], [row for _, row in pairs]),
        keys={key: rows for key, rows in keys.items() if rows},
        vectors=shelf.vectors[left],
        embedded=shelf.embedded[left],
    )


def _row(one: OneMore) -> Shelf:
    """A shelf of this one memory."""
    import numpy as np

    words, length = rows_of(_WORDS, {"text": f"{one.key or ''} {one.content}"})[0]
    terms = [*map(shelves.term, words), *map(shelves.piece, all_pieces(one.content.lower()))]
    always = one.scope == "person" and one.kind in {"profile", "rule"}
    return Shelf(
        mark=0,
        ids=[IMAGINED],
        pinned=np.array([always]),
        damping=np.array([1 + shelves.LENGTH_DAMPS * length]),
        **shelves.postings(terms, [0] * len(terms)),
        keys={shelves.key_of(one.key.lower()): [0]} if one.key else {},
        vectors=np.zeros((1, DIMENSIONS), dtype=np.float32),
        embedded=np.array([False]),
    )


def _with(shelf: Shelf | None, row: Shelf) -> Shelf:
    import numpy as np

    if shelf is None:
        return row
    terms, holders = (
        [*shelf.terms.tolist(), *row.terms.tolist()],
        [*shelf.holders.tolist(), *[shelf.n] * len(row.terms)],
    )
    keys = dict(shelf.keys)
    for key in row.keys:
        keys[key] = [*keys.get(key, []), shelf.n]
    return Shelf(
        mark=0,
        ids=[*shelf.ids, *row.ids],
        pinned=np.append(shelf.pinned, row.pinned),
        damping=np.append(shelf.damping, row.damping),
        **shelves.postings(terms, holders),
        keys=keys,
        vectors=np.vstack([shelf.vectors, row.vectors]),
        embedded=np.append(shelf.embedded, row.embedded),
    )


def _told(found: Candidates, one: OneMore) -> Candidates:
    """The imagined row says what is proposed; the database has no text for it."""

    def told(candidate: Candidate) -> Candidate:
        if candidate.id != IMAGINED:
            return candidate
        return candidate._replace(kind=one.kind, key=one.key, content=one.content, digest="", revision=0)

    for candidates in (found.organization, found.role_agent, found.person):
        candidates[:] = map(told, candidates)
    found.beaten[:] = [replace(each, memory=told(each.memory)) for each in found.beaten]
    return found
