"""What is known and may help with a question: the read side of memory, ranked. It can not see proposals.

`recall` answers the live memories of one organisation, one role-agent and at most one person, best first in each scope.
It decides nothing about budgets: `runtime.context` does.

One statement ranks (`_RANK` below): every live row of the scopes is scored by the words it shares with the question,
rare words counting more, and by how near its vector is to the question's. Both are brought to 0..1 over the scopes'
rows and mixed. It needs no vector index: a scope is a few thousand rows, and reading them all through the scope's own
b-tree index finds every match, where an approximate index loses some and slows each write.

Ids come from the caller's agent and authenticated conversation, never from a model or a request's body.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from digitalworker.common.search import both_ends, pieces
from digitalworker.common.text import clean

from .embedding import engine, to_sql

VECTOR_WEIGHT = 0.65  # short facts share few words with a question, so nearness counts more than words
QUESTION_MOST = 1_000  # characters of a question that are looked at, from both its ends
SIMILAR_WORDS = 0.5  # share of a text's words, by weight, from which another text counts as similar


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates of each scope come back, at most. Pinned ones of the person come on top of that."""

    organization: int = 40
    role_agent: int = 40
    person: int = 40


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
    found = Candidates()
    for row in _rank(organization_id, role_agent_id, person_id, question, query_vector, limits or Limits()):
        found.totals[row.scope] = row.total
        candidate = _candidate(row)
        if row.beaten_by is not None:
            found.beaten.append(Beaten(candidate, row.beaten_by, row.beaten_by_scope))
        else:
            getattr(found, row.scope).append(candidate)
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
    limits = Limits(most, most, most)
    rows = _rank(organization_id, role_agent_id, person_id, text, vector, limits)
    alike = engine().alike
    near = [r for r in rows if r.words >= SIMILAR_WORDS or (r.similarity is not None and r.similarity >= alike)]
    near.sort(key=lambda r: (-max(r.words, r.similarity or 0), -r.score, str(r.id)))
    return [_candidate(row) for row in near[:most]]


def _candidate(row: "_Row") -> Candidate:
    return Candidate(
        id=row.id,
        scope=row.scope,
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


class _Row(NamedTuple):
    """One row of the statement, in the order of its last SELECT."""

    scope: str
    rank: int
    total: int
    pinned: bool
    beaten_by: UUID | None
    beaten_by_scope: str | None
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


def _rank(
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None,
    question: str,
    vector: Sequence[float] | None,
    limits: Limits,
) -> list[_Row]:
    question = both_ends(clean(question), QUESTION_MOST)
    with connection.cursor() as cursor:
        cursor.execute(
            _RANK,
            {
                "organization": organization_id,
                "role_agent": role_agent_id,
                "person": person_id,
                "question": question,
                "pieces": pieces(question),
                "vector": to_sql(vector) if vector is not None else None,
                "model": engine().name,
                "weight": VECTOR_WEIGHT,
                "organization_most": limits.organization,
                "role_agent_most": limits.role_agent,
                "person_most": limits.person,
            },
        )
        return [_Row(*row) for row in cursor.fetchall()]


# What a row of a scope needs for its score. Written once, used in each of the three branches below.
#
# `similarity` is a scalar subquery on purpose: it stays one look-up in the vectors' primary key for each row. As a
# join the planner may hash the whole table of vectors, because it can not know how few rows a scope has.
# `held`: which of the asked terms the row holds. Most rows hold none, which one look at all terms together finds out.
_ROW = """
    m.id, m.scope, m.kind, lower(m.key) AS key, m.use_count, m.last_used_at, m.updated_at, length(m.tsv) AS length,
    CASE WHEN %(vector)s IS NOT NULL THEN (
        SELECT 1 - (e.vector <=> %(vector)s::halfvec(384))
        FROM learning_memoryembedding e
        WHERE e.memory_id = m.id AND e.model = %(model)s AND e.digest = m.digest
    ) END AS similarity,
    CASE WHEN m.tsv @@ (SELECT query FROM any_lexeme)
        THEN ARRAY(SELECT l.lexeme FROM lexemes l WHERE m.tsv @@ l.query) END
    || CASE WHEN %(pieces)s::text[] <> '{}'
        THEN ARRAY(SELECT piece FROM unnest(%(pieces)s::text[]) AS piece WHERE strpos(lower(m.content), piece) > 0) END
    AS held
"""

_RANK = f"""
WITH
-- The question's words as the memories' own index column has them: stemmed, without stop words, each once.
lexemes AS MATERIALIZED (
    SELECT lexeme, ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery AS query
    FROM unnest(to_tsvector('english', %(question)s))
),
-- Any of them. All of them together, which is what search boxes ask for, is held by hardly any memory.
any_lexeme AS MATERIALIZED (
    SELECT coalesce(string_agg(query::text, ' | '), '')::tsquery AS query FROM lexemes
),
-- The scopes' live rows, each scope through its own index. The agent's and the person's rows are taken by their owner
-- alone, because the planner holds organisation and agent for independent and would read both indexes; that the agent
-- is the organisation's and the person the agent's is asked once, and foreign keys on both columns bind each row.
scoped AS MATERIALIZED (
    SELECT 1 AS place, {_ROW}
    FROM learning_memory m
    WHERE m.organization_id = %(organization)s AND m.scope = 'organization' AND m.status = 'active'
      AND EXISTS (SELECT FROM agents_roleagent WHERE id = %(role_agent)s AND organization_id = %(organization)s)
    UNION ALL
    SELECT 2, {_ROW}
    FROM learning_memory m
    WHERE m.role_agent_id = %(role_agent)s AND m.scope = 'role_agent' AND m.status = 'active'
      AND EXISTS (SELECT FROM agents_roleagent WHERE id = %(role_agent)s AND organization_id = %(organization)s)
    UNION ALL
    SELECT 3, {_ROW}
    FROM learning_memory m
    WHERE m.person_id = %(person)s AND m.scope = 'person' AND m.status = 'active'
      AND EXISTS (
          SELECT FROM agents_person
          WHERE id = %(person)s AND role_agent_id = %(role_agent)s AND organization_id = %(organization)s
      )
),
-- How telling each term is: the fewer of these rows hold it, the more it weighs (BM25's inverse document frequency).
-- Weights are whole millionths, so that a sum is the same in whatever order it is made.
hits AS MATERIALIZED (
    SELECT s.id, term FROM scoped s CROSS JOIN LATERAL unnest(s.held) AS term
),
weights AS MATERIALIZED (
    SELECT asked.term, round(1e6 * ln(1 + (n.rows - coalesce(f.held, 0) + 0.5) / (coalesce(f.held, 0) + 0.5)))::bigint AS weight
    FROM (SELECT lexeme AS term FROM lexemes UNION ALL SELECT unnest(%(pieces)s::text[])) AS asked
    CROSS JOIN (SELECT count(*) AS rows FROM scoped) AS n
    LEFT JOIN (SELECT term, count(*) AS held FROM hits GROUP BY term) AS f USING (term)
),
word_scores AS MATERIALIZED (
    SELECT hits.id, sum(weight)::float8 AS weight FROM hits JOIN weights USING (term) GROUP BY hits.id
),
-- A long memory holds more words by chance, so length damps.
measured AS MATERIALIZED (
    SELECT s.*, coalesce(w.weight, 0) AS weight, coalesce(w.weight, 0) / (1 + 0.02::float8 * s.length) AS damped
    FROM scoped s LEFT JOIN word_scores w USING (id)
),
-- Words and nearness, each brought to 0..1 over these rows (min-max), and mixed. A row without a vector is judged by
-- its words alone. Two decimals: a smaller difference means nothing, and use and recency decide instead.
bounds AS MATERIALIZED (
    SELECT nullif(max(damped), 0) AS best, min(similarity) AS farthest,
        nullif(max(similarity) - min(similarity), 0) AS spread,
        nullif((SELECT sum(weight) FROM weights), 0)::float8 AS asked
    FROM measured
),
scored AS (
    SELECT m.*, x.lexical, coalesce(m.weight / b.asked, 0) AS words,
        round(100 * (
            %(weight)s * CASE WHEN m.similarity IS NULL THEN x.lexical
                ELSE coalesce((m.similarity - b.farthest) / b.spread, 1) END
            + (1 - %(weight)s) * x.lexical
        )) / 100 AS score,
        m.place = 3 AND m.kind IN ('profile', 'rule') AS pinned
    FROM measured m CROSS JOIN bounds b
    CROSS JOIN LATERAL (SELECT coalesce(m.damped / b.best, 0) AS lexical) AS x
),
-- Within one key the higher scope wins. Its row takes over the best place among those it beats: what is said about the
-- key must not vanish because the winner is worded less like the question.
contested AS MATERIALIZED (
    SELECT key, min(place) AS place, (array_agg(id ORDER BY place, id))[1] AS winner,
        (array_agg(scope ORDER BY place, id))[1] AS winner_scope
    FROM measured WHERE key IS NOT NULL GROUP BY key HAVING min(place) < max(place)
),
inherited AS MATERIALIZED (
    SELECT c.winner AS id, max(s.score) AS score, bool_or(s.pinned) AS pinned
    FROM scored s JOIN contested c USING (key) GROUP BY c.winner
),
judged AS (
    SELECT s.id, s.scope, s.place, s.lexical, s.words, s.similarity, s.use_count, s.last_used_at, s.updated_at,
        greatest(s.score, i.score) AS score, s.pinned OR coalesce(i.pinned, false) AS pinned,
        c.winner AS beaten_by, c.winner_scope AS beaten_by_scope
    FROM scored s
    LEFT JOIN contested c ON c.key = s.key AND s.place > c.place
    LEFT JOIN inherited i ON i.id = s.id
),
ranked AS (
    SELECT *, count(*) OVER (PARTITION BY place) AS total,
        row_number() OVER (
            PARTITION BY place, pinned, beaten_by IS NOT NULL
            ORDER BY score DESC, use_count DESC, last_used_at DESC NULLS LAST, updated_at DESC, id
        ) AS rank
    FROM judged
)
-- Texts are fetched last, for the few rows that go out.
SELECT r.scope, r.rank, r.total, r.pinned, r.beaten_by, r.beaten_by_scope, r.score, r.lexical, r.words, r.similarity,
    m.id, m.kind, m.key, m.content, m.digest, m.revision, m.use_count, m.last_used_at, m.updated_at
FROM ranked r
JOIN learning_memory m ON m.id = r.id
WHERE r.pinned OR r.rank <= CASE r.place
    WHEN 1 THEN %(organization_most)s WHEN 2 THEN %(role_agent_most)s ELSE %(person_most)s END
ORDER BY r.place, r.pinned DESC, r.beaten_by IS NOT NULL, r.rank
"""  # noqa: S608 - both parts are constants
