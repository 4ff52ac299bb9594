"""What is known and may help with a question: the read side of memory, ranked. It can not see proposals.

`recall` answers the live memories of one organisation, one role-agent and at most one person, best first in each scope.
It decides nothing about budgets: `runtime.context` does.

One statement ranks (`STATEMENT` below): every live row of the scopes is scored by the words it shares with the question,
rare words counting more, and by how near its vector is to the question's. Both are brought to 0..1 over the scopes'
rows and mixed. It needs no vector index: a scope is a few thousand rows, and reading them all through the scope's own
b-tree index finds every match, where an approximate index loses some and slows each write.

Ids come from the caller's agent and authenticated conversation, never from a model or a request's body.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from digitalworker.common.prepared import rows_of
from digitalworker.common.search import both_ends, pieces
from digitalworker.common.text import clean

from .embedding import engine, to_sql

VECTOR_WEIGHT = 0.65  # short facts share few words with a question, so nearness counts more than words
QUESTION_MOST = 1_000  # characters of a question that are looked at, from both its ends
SIMILAR_WORDS = 0.5  # share of a text's words, by weight, from which another text counts as similar


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates of each scope come back, at most. Pinned ones of the person come on top of that."""

    organization: int = 30
    role_agent: int = 30
    person: int = 30


@dataclass(frozen=True, slots=True)
class Candidate:
    """One live memory that may enter a prompt.

    `score` (0..1, comparable between scopes of one answer) mixes `lexical` (0..1, share of the best word match) and
    `nearness` (0..1, place between the farthest and the nearest row). `similarity` is the plain cosine, -1..1, None
    without a vector. `rank` counts from 1 within the scope. `pinned`: about the person, and always told: their profile and
    their rules, and whatever beats one of those under its key.
    """

    id: UUID
    scope: str
    kind: str
    key: str | None
    content: str
    digest: str
    revision: int
    use_count: int
    last_used_at: datetime | None
    updated_at: datetime
    rank: int
    score: float
    lexical: float
    similarity: float | None
    pinned: bool


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
    asked = parameters(
        organization_id=organization_id,
        role_agent_id=role_agent_id,
        person_id=person_id,
        question=question,
        query_vector=query_vector,
        limits=limits,
    )
    return sorted_out(rows_of(STATEMENT, asked))


def sorted_out(rows: list[tuple]) -> Candidates:
    """The rows of STATEMENT by scope, with those apart that a higher scope beats."""
    found = Candidates()
    for row in map(_Row._make, rows):
        candidate = _candidate(row)
        found.totals[candidate.scope] = row.total
        if row.beaten_by is not None and row.beaten_by_place is not None:
            found.beaten.append(Beaten(candidate, row.beaten_by, _SCOPES[row.beaten_by_place]))
        else:
            found.of(candidate.scope).append(candidate)
    return found


def similar(
    *,
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None = None,
    text: str,
    vector: Sequence[float] | None = None,
    most: int = 5,
) -> list[Candidate]:
    """At most `most` live memories of the same scopes that say something like `text`, most alike first; often none.

    Alike is: half of the text's words (rare ones weigh more), or a cosine the engine gives only to near-paraphrases. A
    memory under the same key as another scope's counts here as well: the reviewer wants to see it.
    """
    asked = parameters(
        organization_id=organization_id,
        role_agent_id=role_agent_id,
        person_id=person_id,
        question=text,
        query_vector=vector,
        limits=Limits(most, most, most),
    )
    rows = [_Row(*row) for row in rows_of(STATEMENT, asked)]
    alike = engine().alike
    near = [r for r in rows if r.words >= SIMILAR_WORDS or (r.similarity is not None and r.similarity >= alike)]
    near.sort(key=lambda r: (-max(r.words, r.similarity or 0), -r.score, str(r.id)))
    return [_candidate(row) for row in near[:most]]


def _candidate(row: "_Row") -> Candidate:
    return Candidate(
        id=row.id,
        scope=_SCOPES[row.place],
        kind=row.kind,
        key=row.key,
        content=row.content,
        digest=row.digest,
        revision=row.revision,
        use_count=row.use_count,
        last_used_at=row.last_used_at,
        updated_at=row.updated_at,
        rank=row.rank,
        score=row.score,
        lexical=row.lexical,
        similarity=row.similarity,
        pinned=row.pinned,
    )


_SCOPES = {1: "organization", 2: "role_agent", 3: "person"}  # by precedence, highest first


class _Row(NamedTuple):
    """One row of the statement, in the order of its last SELECT."""

    place: int
    rank: int
    total: int
    pinned: bool
    beaten_by: UUID | None
    beaten_by_place: int | None
    score: float
    lexical: float
    words: float
    similarity: float | None
    id: UUID
    kind: str
    key: str | None
    content: str
    digest: str
    revision: int
    use_count: int
    last_used_at: datetime | None
    updated_at: datetime


def parameters(
    *,
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None = None,
    question: str,
    query_vector: Sequence[float] | None = None,
    limits: Limits | None = None,
) -> dict[str, Any]:
    """What STATEMENT is asked with."""
    question, limits = both_ends(clean(question), QUESTION_MOST), limits or Limits()
    return {
        "organization": organization_id,
        "role_agent": role_agent_id,
        "person": person_id,
        "question": question,
        "pieces": pieces(question),
        "vector": to_sql(query_vector) if query_vector is not None else None,
        "has_vector": query_vector is not None,
        "model": engine().name,
        "weight": VECTOR_WEIGHT,
        "organization_most": limits.organization,
        "role_agent_most": limits.role_agent,
        "person_most": limits.person,
    }


STATEMENT = r"""
WITH
asked AS MATERIALIZED (SELECT %(vector)s::halfvec(384) AS vector),
-- The question's words as the memories' own index column has them: stemmed, without stop words, each once.
lexemes AS MATERIALIZED (
    SELECT lexeme, ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS query
    FROM unnest(to_tsvector('english', %(question)s::text))
),
-- Any of them. All of them together, which is what search boxes ask for, is held by hardly any memory.
any_lexeme AS MATERIALIZED (
    SELECT coalesce(string_agg(query::text, ' | '), '')::tsquery AS query FROM lexemes
),
-- The scopes' live rows, each scope through its own index. The agent's and the person's rows are taken by their owner
-- alone, because the planner holds organisation and agent for independent and would read both indexes; that the agent
-- is the organisation's and the person the agent's is asked once, and foreign keys on both columns bind each row. The
-- vectors come by their own owner column, as one read of the scope: by the memories' ids the planner, which can not know
-- how few rows a scope has, would hash the whole table, and a look-up for each row costs three times this join.
live AS NOT MATERIALIZED (
    SELECT 1 AS place, m.id, m.kind, m.key, m.content, m.tsv, m.use_count, m.last_used_at, m.updated_at, e.vector
    FROM learning_memory m
    LEFT JOIN learning_memoryembedding e ON %(has_vector)s::bool AND e.owner_id = %(organization)s::uuid
      AND e.memory_id = m.id AND e.model = %(model)s::text AND e.digest = m.digest
    WHERE m.organization_id = %(organization)s::uuid AND m.scope = 'organization' AND m.status = 'active'
      AND EXISTS (SELECT FROM agents_roleagent WHERE id = %(role_agent)s::uuid AND organization_id = %(organization)s::uuid)
    UNION ALL
    SELECT 2, m.id, m.kind, m.key, m.content, m.tsv, m.use_count, m.last_used_at, m.updated_at, e.vector
    FROM learning_memory m
    LEFT JOIN learning_memoryembedding e ON %(has_vector)s::bool AND e.owner_id = %(role_agent)s::uuid
      AND e.memory_id = m.id AND e.model = %(model)s::text AND e.digest = m.digest
    WHERE m.role_agent_id = %(role_agent)s::uuid AND m.scope = 'role_agent' AND m.status = 'active'
      AND EXISTS (SELECT FROM agents_roleagent WHERE id = %(role_agent)s::uuid AND organization_id = %(organization)s::uuid)
    UNION ALL
    SELECT 3, m.id, m.kind, m.key, m.content, m.tsv, m.use_count, m.last_used_at, m.updated_at, e.vector
    FROM learning_memory m
    LEFT JOIN learning_memoryembedding e ON %(has_vector)s::bool AND e.owner_id = %(person)s::uuid
      AND e.memory_id = m.id AND e.model = %(model)s::text AND e.digest = m.digest
    WHERE m.person_id = %(person)s::uuid AND m.scope = 'person' AND m.status = 'active'
      AND EXISTS (
          SELECT FROM agents_person
          WHERE id = %(person)s::uuid AND role_agent_id = %(role_agent)s::uuid AND organization_id = %(organization)s::uuid
      )
),
-- What a row's score needs. `held`: which of the asked terms the row holds. Most rows hold none, which one look at all
-- terms together finds out.
scoped AS MATERIALIZED (
    SELECT m.id, m.place, m.place = 3 AND m.kind IN ('profile', 'rule') AS pinned, lower(m.key) AS key,
        m.use_count, m.last_used_at, m.updated_at, length(m.tsv) AS length,
        1 - (m.vector <=> (SELECT vector FROM asked)) AS similarity,
        CASE WHEN m.tsv @@ (SELECT query FROM any_lexeme)
            THEN ARRAY(SELECT l.lexeme FROM lexemes l WHERE m.tsv @@ l.query) END
        || CASE WHEN %(pieces)s::text[] <> '{}'
            THEN ARRAY(SELECT piece FROM unnest(%(pieces)s::text[]) AS piece WHERE strpos(lower(m.content), piece) > 0) END
        AS held
    FROM live m
),
-- Which terms are held together, and by how many rows: a few dozen combinations, so that what follows is worked out once
-- for each of them and not for each row.
combinations AS MATERIALIZED (
    SELECT held, count(*) AS rows FROM scoped WHERE held <> '{}' GROUP BY held
),
-- How telling each term is: the fewer of these rows hold it, the more it weighs (BM25's inverse document frequency).
-- Weights are whole millionths, so that a sum is the same in whatever order it is made.
weights AS MATERIALIZED (
    SELECT asked.term, round(1e6 * ln(1 + (n.rows - coalesce(f.held, 0) + 0.5) / (coalesce(f.held, 0) + 0.5)))::bigint AS weight
    FROM (SELECT lexeme AS term FROM lexemes UNION ALL SELECT unnest(%(pieces)s::text[])) AS asked
    CROSS JOIN (SELECT count(*) AS rows FROM scoped) AS n
    LEFT JOIN (
        SELECT term, sum(rows) AS held FROM combinations CROSS JOIN LATERAL unnest(held) AS term GROUP BY term
    ) AS f USING (term)
),
worth AS MATERIALIZED (
    SELECT c.held, (SELECT sum(weight) FROM weights WHERE term = ANY (c.held))::float8 AS weight FROM combinations c
),
weighed AS MATERIALIZED (
    SELECT s.*, coalesce(w.weight, 0) AS weight FROM scoped s LEFT JOIN worth w ON w.held = s.held
),
-- A long memory holds more words by chance, so length damps.
bounds AS MATERIALIZED (
    SELECT nullif(max(weight / (1 + 0.02::float8 * length)), 0) AS most, min(similarity) AS farthest,
        nullif(max(similarity) - min(similarity), 0) AS spread,
        nullif((SELECT sum(weight) FROM weights), 0)::float8 AS asked,
        count(*) FILTER (WHERE place = 1) AS in_organization, count(*) FILTER (WHERE place = 2) AS in_role_agent,
        count(*) FILTER (WHERE place = 3) AS in_person
    FROM weighed
),
-- Words and nearness, each brought to 0..1 over these rows (min-max), and mixed. A row without a vector is judged by
-- its words alone. Two decimals: a smaller difference means nothing, and use and recency decide instead.
scored AS NOT MATERIALIZED (
    SELECT w.id, w.place, w.pinned, w.key, w.use_count, w.last_used_at, w.updated_at, w.similarity,
        coalesce(w.weight / b.asked, 0) AS words,
        coalesce(w.weight / (1 + 0.02::float8 * w.length) / b.most, 0) AS lexical,
        round(100 * (
            %(weight)s::float8 * CASE WHEN w.similarity IS NULL
                THEN coalesce(w.weight / (1 + 0.02::float8 * w.length) / b.most, 0)
                ELSE coalesce((w.similarity - b.farthest) / b.spread, 1) END
            + (1 - %(weight)s::float8) * coalesce(w.weight / (1 + 0.02::float8 * w.length) / b.most, 0)
        )) / 100 AS score
    FROM weighed w CROSS JOIN bounds b
),
-- Within one key the higher scope wins. Its row takes over the best place among those it beats: what is said about the
-- key must not vanish because the winner is worded less like the question.
contested AS MATERIALIZED (
    SELECT key, min(place) AS place, max(score) AS score, bool_or(pinned) AS pinned, count(*) AS rows,
        (array_agg(id ORDER BY place, id))[1] AS winner
    FROM scored WHERE key IS NOT NULL GROUP BY key HAVING min(place) < max(place)
),
-- The few rows that can come out: what is pinned, what is contested, and the best of each scope, counted generously enough
-- that those which turn out beaten leave no gap. Everything after this is about dozens of rows, not about thousands.
taken AS (
    SELECT * FROM scored WHERE pinned
    UNION
    SELECT * FROM scored WHERE key IN (SELECT key FROM contested)
    UNION
    SELECT best.*
    FROM (
        VALUES (1, %(organization_most)s::int), (2, %(role_agent_most)s::int), (3, %(person_most)s::int)
    ) AS limits (place, most)
    CROSS JOIN LATERAL (
        SELECT * FROM scored s WHERE s.place = limits.place AND NOT s.pinned
        ORDER BY score DESC, use_count DESC, last_used_at DESC NULLS LAST, updated_at DESC, id
        LIMIT limits.most + (SELECT coalesce(sum(rows), 0) FROM contested)
    ) AS best
),
judged AS (
    SELECT t.id, t.place, t.similarity, t.use_count, t.last_used_at, t.updated_at, t.lexical, t.words,
        CASE WHEN t.id = c.winner THEN c.score ELSE t.score END AS score,
        CASE WHEN t.id = c.winner THEN c.pinned ELSE t.pinned END AS pinned,
        CASE WHEN t.place > c.place THEN c.winner END AS beaten_by,
        CASE WHEN t.place > c.place THEN c.place END AS beaten_by_place
    FROM taken t LEFT JOIN contested c ON c.key = t.key
),
ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY place, pinned, beaten_by IS NOT NULL
        ORDER BY score DESC, use_count DESC, last_used_at DESC NULLS LAST, updated_at DESC, id
    ) AS rank
    FROM judged
)
-- Texts are fetched last, for the few rows that go out; OFFSET 0 keeps this one look-up a row, where a join may read the
-- whole table because the planner can not know how few there are.
SELECT r.place, r.rank, CASE r.place WHEN 1 THEN in_organization WHEN 2 THEN in_role_agent ELSE in_person END AS total,
    r.pinned, r.beaten_by, r.beaten_by_place, r.score, r.lexical, r.words, r.similarity,
    m.id, m.kind, m.key, m.content, m.digest, m.revision, m.use_count, m.last_used_at, m.updated_at
FROM ranked r
CROSS JOIN bounds
CROSS JOIN LATERAL (SELECT * FROM learning_memory WHERE id = r.id OFFSET 0) AS m
WHERE r.pinned OR r.rank <= CASE r.place
    WHEN 1 THEN %(organization_most)s::int WHEN 2 THEN %(role_agent_most)s::int ELSE %(person_most)s::int END
ORDER BY r.place, r.pinned DESC, r.beaten_by IS NOT NULL, r.rank
"""
