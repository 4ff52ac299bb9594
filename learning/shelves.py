"""What ranking needs to know of live memories, kept in the process from one question to the next.

A shelf holds the live memories of one owner, as numbers: ids, hashes of their stemmed words and of their keys, vectors.
It holds no text. Each question asks the database for the *mark* of every scope, a hash over the ids, digests and
revisions of its live rows as that question's own snapshot has them. A shelf of another mark is read anew, so a shelf is
never older than the question, whoever wrote and by whatever way. Texts are fetched per question and only where the row
is still live, which is why nothing deleted can come out of a shelf.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection

from digitalworker.common.embedding import DIMENSIONS
from digitalworker.common.prepared import rows_of
from digitalworker.common.search import all_pieces

if TYPE_CHECKING:  # numpy takes a tenth of a second that only whoever ranks should pay
    from numpy.typing import NDArray

SCOPES = ("organization", "role_agent", "person")  # by precedence, highest first
LENGTH_DAMPS = 0.02  # a long memory holds more words by chance


class Scope(NamedTuple):
    """Whose memories a question may reach. The ids come from the caller's agent and authenticated conversation."""

    organization: UUID
    role_agent: UUID
    person: UUID | None

    def owner(self, scope: str) -> UUID | None:
        return getattr(self, scope)


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """The live memories of one owner; `n` of them, each array in the same order.

    `terms` are hashes in ascending order, and `holders` the row that holds each. `keys` lead from the hash of a lower-case key
    to the rows under it. `damping` is 1 + 0.02 x the count of distinct words. `vectors` is (n, 384), rows of length 1, or of
    zeros where `embedded` is False.
    """

    mark: int
    ids: list[UUID]
    pinned: "NDArray[Any]"
    damping: "NDArray[Any]"
    terms: "NDArray[Any]"
    holders: "NDArray[Any]"
    keys: Mapping[int, list[int]]
    vectors: "NDArray[Any]"
    embedded: "NDArray[Any]"

    @property
    def n(self) -> int:
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """About what it takes in memory."""
        arrays = self.vectors.nbytes + self.terms.nbytes + self.holders.nbytes
        return int(arrays) + 200 * self.n + 1_000

    def holding(self, term: int) -> "NDArray[Any]":
        """The rows that hold it."""
        return self.holders[self.terms.searchsorted(term, "left") : self.terms.searchsorted(term, "right")]


# How shelves know a stemmed word, a piece of text and a key. Python salts its hashes anew in each process.
term = hash


def piece(text: str) -> int:
    """A piece of text that is looked for inside texts, see `common.search.pieces`."""
    return hash(f"piece {text}")


def key_of(key: str) -> int:
    return hash(f"key {key}")


class Asked(NamedTuple):
    """The shelves a question may be answered from, by scope, and its stemmed words."""

    shelves: dict[str, Shelf]
    words: list[str]


def ask(scope: Scope, question: str, *, model: str, with_vectors: bool) -> Asked:
    """One statement where all shelves are at hand, one more where some must be read."""
    parameters = {**scope._asdict(), "question": question}
    marks: dict[str, tuple[int, int]] = {}
    words: list[str] = []
    for name, count, mark, lexemes in rows_of(_MARKS, parameters):
        marks[name] = (count, mark)
        words = lexemes if lexemes is not None else words
    shelves: dict[str, Shelf] = {}
    for name, (count, mark) in marks.items():
        owner = scope.owner(name)
        if count and owner:
            kept = _find(owner, model)
            if kept is not None and kept.mark == mark and kept.n == count:
                shelves[name] = kept
    missing = [name for name, (count, _) in marks.items() if count and name not in shelves]
    if missing:
        for name, shelf in _read(scope, missing, model).items():
            shelves[name] = shelf
            _keep(scope, name, model, shelf)
    if with_vectors:
        for name, shelf in list(shelves.items()):
            if name not in missing and not shelf.embedded.all():
                shelves[name] = _complete(shelf, scope.owner(name), model)
                _keep(scope, name, model, shelves[name])
    return Asked({name: shelves[name] for name in SCOPES if name in shelves}, words)


# --- the database ---------------------------------------------------------------------------------------------------

# Each scope through its own index. The agent's and the person's rows are taken by their owner alone, because the planner
# holds organisation and agent for independent and would read both indexes; that the agent is the organisation's and the
# person the agent's is asked once, and foreign keys on both columns bind each row.
_AGENT = (
    "EXISTS (SELECT FROM agents_roleagent WHERE id = %(role_agent)s::uuid AND organization_id = %(organization)s::uuid)"
)
_PERSON = """EXISTS (
    SELECT FROM agents_person
    WHERE id = %(person)s::uuid AND role_agent_id = %(role_agent)s::uuid AND organization_id = %(organization)s::uuid
)"""
_LIVE = {
    scope: f"m.{scope}_id = %({scope})s::uuid AND m.scope = '{scope}' AND m.status = 'active' AND {belongs}"
    for scope, belongs in (("organization", _AGENT), ("role_agent", _AGENT), ("person", _PERSON))
}
_MARK = "uuid_hash_extended(m.id, hashtextextended(m.digest, 2 * m.revision + m.pinned::int))"
# One statement, so one snapshot. The question is stemmed by the same dictionary as the memories.
_MARKS = " UNION ALL ".join(
    f"SELECT '{scope}', count(*), coalesce(bit_xor({_MARK}), 0), "  # noqa: S608 - constants
    + ("tsvector_to_array(to_tsvector('english', %(question)s::text))" if scope == "organization" else "NULL::text[]")
    + f" FROM learning_memory m WHERE {where}"
    for scope, where in _LIVE.items()
)
# The vectors come by their own owner column, as one read of the scope. Only texts with anything beyond ASCII can hold
# what must be looked for in pieces.
_ROWS = " UNION ALL ".join(
    f"""
    SELECT '{scope}', m.id, {_MARK}, m.pinned OR '{scope}' = 'person' AND m.kind IN ('profile', 'rule'), lower(m.key),
        length(m.tsv), array_to_string(tsvector_to_array(m.tsv), chr(31)),
        CASE WHEN octet_length(m.content) > char_length(m.content) THEN lower(m.content) END, halfvec_send(e.vector)
    FROM learning_memory m
    LEFT JOIN learning_memoryembedding e
      ON e.owner_id = %({scope})s::uuid AND e.memory_id = m.id AND e.model = %(model)s::text AND e.digest = m.digest
    WHERE '{scope}' = ANY(%(scopes)s::text[]) AND {where}
    """  # noqa: S608 - constants
    for scope, where in _LIVE.items()
)
_VECTORS = """
    SELECT e.memory_id, halfvec_send(e.vector)
    FROM learning_memoryembedding e
    JOIN learning_memory m ON m.id = e.memory_id AND m.digest = e.digest AND m.status = 'active'
    WHERE e.owner_id = %(owner)s::uuid AND e.memory_id = ANY(%(ids)s::uuid[]) AND e.model = %(model)s::text
"""


def _read(scope: Scope, scopes: list[str], model: str) -> dict[str, Shelf]:
    by_scope: dict[str, list[tuple]] = {}
    for name, *row in rows_of(_ROWS, {**scope._asdict(), "scopes": scopes, "model": model}, binary=True):
        by_scope.setdefault(name, []).append(tuple(row))
    return {name: _shelf(rows) for name, rows in by_scope.items()}


def _shelf(rows: Sequence[tuple]) -> Shelf:
    import numpy as np

    mark = 0
    terms: list[int] = []
    holders: list[int] = []
    keys: dict[int, list[int]] = {}
    for number, (_, part, _, key, _, words, content, _) in enumerate(rows):
        mark ^= part
        found = list(map(term, words.split("\x1f")))
        if content:
            found += map(piece, all_pieces(content))
        terms += found
        holders += [number] * len(found)
        if key is not None:
            keys.setdefault(key_of(key), []).append(number)
    vectors, embedded = _unpacked([row[7] for row in rows])
    return Shelf(
        mark=mark,
        ids=[row[0] for row in rows],
        pinned=np.array([row[2] for row in rows], dtype=bool),
        damping=1 + LENGTH_DAMPS * np.array([row[4] for row in rows], dtype=np.float64),
        **postings(terms, holders),
        keys=keys,
        vectors=vectors,
        embedded=embedded,
    )


def postings(terms: Sequence[int], holders: Sequence[int]) -> "dict[str, NDArray[Any]]":
    """A shelf's `terms` and `holders`, from pairs in any order."""
    import numpy as np

    unordered = np.array(terms, dtype=np.int64)
    order = unordered.argsort(kind="stable")
    return {"terms": unordered[order], "holders": np.array(holders, dtype=np.int32)[order]}


def _unpacked(sent: Sequence[bytes | None]) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Vectors as pgvector sends them, big-endian half floats after four bytes of header, brought to length 1."""
    import numpy as np

    embedded = np.array([each is not None for each in sent], dtype=bool)
    vectors = np.zeros((len(sent), DIMENSIONS), dtype=np.float32)
    if embedded.any():
        packed = b"".join(bytes(each)[4:] for each in sent if each is not None)
        halves = np.frombuffer(packed, dtype=">f2").reshape(-1, DIMENSIONS).astype(np.float32)
        vectors[embedded] = halves / np.linalg.norm(halves, axis=1, keepdims=True)
    return vectors, embedded


def _complete(shelf: Shelf, owner: UUID | None, model: str) -> Shelf:
    """`shelf` with the vectors that were made since it was read."""
    missing = [shelf.ids[number] for number in (~shelf.embedded).nonzero()[0]]
    made = dict(rows_of(_VECTORS, {"owner": owner, "ids": missing, "model": model}, binary=True))
    if not made:
        return shelf
    numbers = [number for number, pk in enumerate(shelf.ids) if pk in made]
    vectors, embedded = shelf.vectors.copy(), shelf.embedded.copy()
    vectors[numbers], _ = _unpacked([made[shelf.ids[number]] for number in numbers])
    embedded[numbers] = True
    return replace(shelf, vectors=vectors, embedded=embedded)


# --- what is kept ---------------------------------------------------------------------------------------------------

# Least lately used first. Keyed by database too: one process may look at several, as tests and benchmarks do.
_kept: OrderedDict[tuple[str, UUID, str], Shelf] = OrderedDict()
_lock = threading.Lock()


def _place(owner: UUID, model: str) -> tuple[str, UUID, str]:
    return str(connection.settings_dict["NAME"]), owner, model


def _find(owner: UUID, model: str) -> Shelf | None:
    place = _place(owner, model)
    with _lock:
        if place in _kept:
            _kept.move_to_end(place)
        return _kept.get(place)


def _keep(scope: Scope, name: str, model: str, shelf: Shelf) -> None:
    owner = scope.owner(name)
    if owner is None:
        return
    place = _place(owner, model)
    with _lock:
        _kept[place] = shelf
        _kept.move_to_end(place)
        size = sum(each.bytes for each in _kept.values())
        while size > settings.DW_RECALL_MEMORY_MB * 1_000_000 and len(_kept) > len(SCOPES):
            _, dropped = _kept.popitem(last=False)
            size -= dropped.bytes


def clear() -> None:
    """Forget every shelf; the next question reads its own."""
    with _lock:
        _kept.clear()
