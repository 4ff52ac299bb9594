"""What is known and may help with a question: the read side of memory, ranked. It can not see proposals.

`recall` answers the live memories of one organisation, one role-agent and at most one person, best first in each scope.
It decides nothing about budgets: `runtime.context` does.

Three steps: the scopes' shelves as they are at this moment (`shelves.ask`), the arithmetic over all their rows
(`ranking.picks`), and one statement that fetches the few texts that come out, in order, of rows that are still live.

Ids come from the caller's agent and authenticated conversation, never from a model or a request's body.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from digitalworker.common.embedding import DIMENSIONS, engine
from digitalworker.common.prepared import rows_of
from digitalworker.common.search import both_ends, pieces
from digitalworker.common.text import clean

from . import shelves
from .ranking import Pick, picks
from .shelves import SCOPES, Asked, Scope, Shelf

QUESTION_MOST = 1_000  # characters of a question that are looked at, from both its ends
SIMILAR_WORDS = 0.5  # share of a text's words, by weight, from which another text counts as similar


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates of each scope come back, at most. Pinned ones come on top of that."""

    organization: int = 30
    role_agent: int = 30
    person: int = 30


class Candidate(NamedTuple):
    """One live memory that may enter a prompt.

    `score` (0..1, comparable between scopes of one answer) mixes `lexical` (0..1, share of the best word match) and
    nearness (0..1, place between the farthest and the nearest row). `similarity` is the plain cosine, -1..1, None
    without a vector. `rank` counts from 1 within the scope. `pinned`: always told, because somebody pinned it, or because
    it is the person's profile or a rule of theirs, or, then `stands_in`, because it beats one of those under its key.
    `sensitive`: not for every reviewer to read; answers use it all the same.
    """

    id: UUID
    scope: str
    kind: str
    key: str | None
    content: str
    digest: str
    revision: int
    rank: int
    score: float
    lexical: float
    similarity: float | None
    pinned: bool
    stands_in: bool = False
    sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Beaten:
    """A live memory that would have been a candidate, but a higher scope says something under the same key."""

    memory: Candidate
    by: UUID
    by_scope: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """Best first in each scope. `totals`: live memories of each scope, whether or not they came back."""

    organization: list[Candidate] = field(default_factory=list)
    role_agent: list[Candidate] = field(default_factory=list)
    person: list[Candidate] = field(default_factory=list)
    beaten: list[Beaten] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)

    def of(self, scope: str) -> list[Candidate]:
        return {"organization": self.organization, "role_agent": self.role_agent, "person": self.person}[scope]

    def all(self) -> list[Candidate]:
        return [*self.organization, *self.role_agent, *self.person]


def recall(
    *,
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None = None,
    question: str,
    query_vector: Sequence[float] | None = None,
    limits: Limits | None = None,
) -> Candidates:
    """The live memories of this organisation, this agent and this person, ranked for `question`.

    `question` may be any text, also none. `query_vector` is `embedding.query_vector(question).vector`; without it, and
    for memories not embedded yet, words alone count. The order is total: equal scores go by use, then recency, then id.
    An agent of another organisation, or a person of another agent, finds nothing.
    """
    asked, terms = look(Scope(organization_id, role_agent_id, person_id), question, query_vector)
    return ranked([asked.shelves], terms, query_vector, limits or Limits())[0]


def similar(
    *,
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None = None,
    text: str,
    vector: Sequence[float] | None = None,
    most: int = 5,
) -> list[UUID]:
    """At most `most` live memories of the same scopes that say something like `text`, most alike first; often none.

    Alike is: half of the text's words (rare ones weigh more), or a cosine the engine gives only to near-paraphrases. A
    memory under the same key as another scope's counts here as well: the reviewer wants to see it.
    """
    asked, terms = look(Scope(organization_id, role_agent_id, person_id), text, vector)
    return alike_of(asked, terms, vector, most)


def alike_of(asked: Asked, terms: list[int], vector: Sequence[float] | None, most: int) -> list[UUID]:
    """As `similar`, of shelves that are at hand, without a statement."""
    alike = engine().alike
    found = picks(asked.shelves, terms=terms, vector=vector, most=dict.fromkeys(SCOPES, most))
    near = [pick for pick in found if pick.words >= SIMILAR_WORDS or (pick.similarity or 0) >= alike]
    near.sort(key=lambda pick: (-max(pick.words, pick.similarity or 0), -pick.score, str(pick.id)))
    return [pick.id for pick in near[:most]]


def look(scope: Scope, question: str, vector: Sequence[float] | None) -> tuple[Asked, list[int]]:
    """The shelves a question reaches, and the terms it asks for."""
    if vector is not None and len(vector) != DIMENSIONS:
        raise ValueError(f"a vector of {len(vector)} dimensions; the columns hold {DIMENSIONS}")
    question = both_ends(clean(question), QUESTION_MOST)
    asked = shelves.ask(scope, question, model=engine().name, with_vectors=vector is not None)
    terms = [shelves.term(word) for word in asked.words] + [shelves.piece(part) for part in pieces(question)]
    return asked, terms


def ranked(
    several: Sequence[Mapping[str, Shelf]], terms: list[int], vector: Sequence[float] | None, limits: Limits
) -> list[Candidates]:
    """What each of `several` sets of shelves, by scope, has for a question. One statement."""
    most: Mapping[str, int] = {scope: getattr(limits, scope) for scope in SCOPES}
    found = [Candidates(totals={scope: shelf.n for scope, shelf in shelves.items()}) for shelves in several]
    chosen = [
        (number, pick)
        for number, shelves in enumerate(several)
        for pick in picks(shelves, terms=terms, vector=vector, most=most)
    ]
    for (number, pick), row in _with_texts(chosen, [*most.values()] * len(several)):
        candidate = _candidate(pick, row)
        if pick.beaten_by is not None and pick.beaten_by_place is not None:
            found[number].beaten.append(Beaten(candidate, pick.beaten_by, SCOPES[pick.beaten_by_place - 1]))
        else:
            found[number].of(candidate.scope).append(candidate)
    return found


def _with_texts(chosen: list[tuple[int, Pick]], most: list[int]) -> list[tuple[tuple[int, Pick], "_Row"]]:
    if not chosen:
        return []
    # Rows of one group are ranked among themselves. Arrays go as text: psycopg takes a millisecond over five lists.
    groups = [
        4 * (len(SCOPES) * number + pick.place) + 2 * pick.pinned + (pick.beaten_by is not None)
        for number, pick in chosen
    ]
    rows = rows_of(
        _TEXTS,
        {
            "ids": _array(pick.id for _, pick in chosen),
            "groups": _array(groups),
            "scores": _array(pick.score for _, pick in chosen),
            "most": _array(most),
            "imagined": IMAGINED,
        },
    )
    return [(chosen[number - 1], _Row(*row)) for number, *row in rows]


def _array(values: Iterable[object]) -> str:
    return f"{{{','.join(map(str, values))}}}"


class _Row(NamedTuple):
    rank: int
    kind: str
    key: str | None
    content: str
    digest: str
    revision: int
    sensitive: bool | None


def _candidate(pick: Pick, row: _Row) -> Candidate:
    return Candidate(
        id=pick.id,
        scope=SCOPES[pick.place - 1],
        kind=row.kind,
        key=row.key,
        content=row.content,
        digest=row.digest,
        revision=row.revision,
        rank=row.rank,
        score=pick.score,
        lexical=pick.lexical,
        similarity=pick.similarity,
        pinned=pick.pinned,
        stands_in=pick.stands_in,
        sensitive=bool(row.sensitive),
    )


IMAGINED = UUID(int=0)  # the id of the memory there is not, see `imagine`

# What the database knows best: which rows are still live, how much each is used, and what they say.
_TEXTS = """
    SELECT number, rank, kind, key, content, digest, revision, sensitive
    FROM (
        SELECT p.number, p.place_group, m.kind, m.key, m.content, m.digest, m.revision, m.sensitive, row_number() OVER (
            PARTITION BY p.place_group
            ORDER BY p.score DESC, coalesce(m.use_count, 0) DESC, m.last_used_at DESC NULLS LAST, m.updated_at DESC, p.id
        ) AS rank
        FROM unnest(%(ids)s::uuid[], %(groups)s::int[], %(scores)s::float8[])
            WITH ORDINALITY AS p (id, place_group, score, number)
        LEFT JOIN learning_memory m ON m.id = p.id AND m.status = 'active'
        WHERE m.id IS NOT NULL OR p.id = %(imagined)s::uuid
    ) AS r
    WHERE place_group & 2 > 0 OR rank <= (%(most)s::int[])[place_group / 4]
    ORDER BY place_group / 4, place_group & 2 DESC, place_group & 1, rank
"""
