"""Searching what was said: an agent's conversations, by any word, best first. On demand only; no prompt holds history by itself.

One statement ranks (`_RANK` below). A search must stay fast for an agent with a million events, so what is looked at is bounded:

- the newest 1,000 events of the agent are all looked at;
- a word held by less than one in fifty of those is looked for in all older events, newest 500 matches a word;
- a more common word finds those newest events; if the query has no other, also older ones that hold all of it;
- of a person whose conversations are asked for, the newest 1,000 events are looked at as well.

What full text can not see (a query of stop words, a part of a word, Chinese, emoji) is looked for as plain text in the newest
1,000 events, and, when nothing was found at all, the whole query in the newest 10,000.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from digitalworker.common.errors import Invalid, NotFound
from digitalworker.common.search import both_ends, codes, pieces
from digitalworker.common.text import clean
from digitalworker.common.types import Actor

from .models import Person, RoleAgent
from .policies import visible_agents

RECENT = 1_000  # newest events, all looked at
RECENT_AS_TEXT = 10_000  # newest events searched for the query as plain text, when words found nothing
OLDER = 500  # newest older matches of each rare word
COMMON = 0.02  # share of the newest events from which a word is common
BEST = 80  # matches whose neighbours are looked at
SMOOTHING = 0.5  # what an event gains from the better of its two neighbours: a question and its answer share few words
QUERY_MOST = 500  # characters
PAGE_MOST, HITS_MOST = 50, 200
EXCERPT = 240  # characters
_LEAD = 60  # characters of an excerpt before its first match
_WORDS_MOST = 5_000


@dataclass(frozen=True, slots=True)
class Hit:
    """One event that was found.

    `excerpt` is a verbatim piece of the event's text with line breaks folded; `highlights` are `(start, end)` character
    positions in it. `cut_before` and `cut_after` say whether text is missing there. `beside`: it holds none of the words
    itself and stands next to an event that does. `score` orders the hits of one search and means nothing outside it.
    """

    event_id: UUID
    thread_id: UUID
    kind: str
    author_kind: str
    author: str
    occurred_at: datetime
    excerpt: str
    highlights: tuple[tuple[int, int], ...]
    cut_before: bool
    cut_after: bool
    beside: bool
    score: float


@dataclass(frozen=True, slots=True)
class Hits:
    """One page of hits, best first; `next` is the cursor of the following page, None at the end."""

    rows: tuple[Hit, ...]
    next: str | None = None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def search_history(
    *,
    actor: Actor,
    agent: RoleAgent,
    query: str,
    person: Person | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Hits:
    """The events of `agent` that fit `query` best: any of its words, rare ones counting more, newer ones first among equals.

    With `person`, only conversations of that person and conversations of nobody in particular. `limit` is 1..50; pages
    end after 200 hits. `query` may be any text; an empty one finds nothing. Raises NotFound when the actor may not see the
    agent, Invalid for a bad cursor or limit.
    """
    if not visible_agents(actor).filter(pk=agent.pk).exists():
        raise NotFound("There is no such role-agent.")
    if not 1 <= limit <= PAGE_MOST:
        raise Invalid(f"Ask for 1 to {PAGE_MOST} hits.", errors={"limit": [f"1 to {PAGE_MOST}"]})
    start = _start(cursor)
    asked = both_ends(clean(query), QUERY_MOST)
    if not asked:
        return Hits(())
    parts = [*pieces(asked), *codes(asked)]
    rows = _rank(agent, person, asked, parts, RECENT, start + limit + 1)
    if not rows:
        parts = [asked.lower()]
        rows = _rank(agent, person, "", parts, RECENT_AS_TEXT, start + limit + 1)
    page = rows[start : start + limit]
    more = len(rows) > start + limit and start + limit < HITS_MOST
    held = _words_held(page, asked)
    return Hits(tuple(_hit(row, held, parts) for row in page), str(start + limit) if more else None)


def _start(cursor: str | None) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 5 and int(cursor) < HITS_MOST):
        raise Invalid("This page link is damaged. Start again from the first page.", code="bad_cursor")
    return int(cursor)


# --- ranking --------------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """One row of the statement, in the order of its last SELECT."""

    id: UUID
    thread_id: UUID
    kind: str
    author_kind: str
    author: str
    occurred_at: datetime
    text: str
    beside: bool
    score: float


def _rank(agent: RoleAgent, person: Person | None, words: str, parts: list[str], recent: int, most: int) -> list[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(
            _RANK,
            {
                "agent": agent.pk,
                "person": person.pk if person else None,
                "words": words,
                "pieces": parts,
                "recent": recent,
                "older": OLDER,
                "common": COMMON,
                "best": BEST,
                "smoothing": SMOOTHING,
                "most": most,
            },
        )
        return [_Row(*row) for row in cursor.fetchall()]


_ASKED = """
-- The query's words as the events' index column has them: stemmed, without stop words, each once.
lexemes AS MATERIALIZED (
    SELECT lexeme, ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery AS query
    FROM unnest(to_tsvector('english', %(words)s))
),
any_lexeme AS MATERIALIZED (
    SELECT coalesce(string_agg(query::text, ' | '), '')::tsquery AS query FROM lexemes
)"""

# What is needed of an event: which of the terms it or its author's name holds, and how long it is. Most hold none, which one
# look at all words together finds out; a name alone makes no event a match.
_EVENT = """
    e.id, e.thread_id, e.occurred_at, length(e.tsv) AS length,
    CASE WHEN e.tsv @@ (SELECT query FROM any_lexeme)
        THEN ARRAY(SELECT l.lexeme FROM lexemes l WHERE e.tsv @@ l.query) || CASE WHEN e.author <> '' THEN ARRAY(
            SELECT l.lexeme FROM unnest(to_tsvector('english', e.author)) AS name JOIN lexemes l USING (lexeme)
            WHERE NOT e.tsv @@ l.query
        ) END END
    || CASE WHEN %(pieces)s::text[] <> '{}'
        THEN ARRAY(SELECT piece FROM unnest(%(pieces)s::text[]) AS piece WHERE strpos(lower(e.text), piece) > 0) END
    AS held
"""

# A conversation of this person, or of nobody in particular. Without a person this is folded away before planning.
_VISIBLE = """
    (%(person)s::uuid IS NULL OR EXISTS (
        SELECT FROM agents_thread t WHERE t.id = e.thread_id AND (t.person_id IS NULL OR t.person_id = %(person)s::uuid)
    ))
"""

_RANK = f"""
WITH
{_ASKED},
-- The newest events. BETWEEN and the first sort column make this the index on (agent, id): with a plain = the planner
-- may walk the primary key from its end instead, through everybody else's events, until it has met enough of this agent's.
newest AS MATERIALIZED (
    SELECT {_EVENT}
    FROM (
        SELECT * FROM agents_chatevent WHERE role_agent_id BETWEEN %(agent)s AND %(agent)s
        ORDER BY role_agent_id, id DESC LIMIT %(recent)s
    ) AS e
    WHERE {_VISIBLE}
),
-- The person's own newest ones, however many others the agent talked to since.
own AS MATERIALIZED (
    SELECT {_EVENT}
    FROM (
        SELECT c.* FROM agents_thread t JOIN agents_chatevent c ON c.thread_id = t.id
        WHERE t.person_id = %(person)s AND t.role_agent_id = %(agent)s
        ORDER BY c.id DESC LIMIT %(recent)s
    ) AS e
    WHERE e.id NOT IN (SELECT id FROM newest)
),
-- The oldest of them, where there are older ones still.
border AS MATERIALIZED (
    SELECT id FROM agents_chatevent WHERE role_agent_id BETWEEN %(agent)s AND %(agent)s
    ORDER BY role_agent_id, id DESC OFFSET %(recent)s - 1 LIMIT 1
),
-- The terms' shares in them stand for their shares in all events.
shares AS MATERIALIZED (
    SELECT term, count(*)::float8 / (SELECT greatest(count(*), 1) FROM newest) AS share,
        count(*) >= %(common)s * %(recent)s AS common
    FROM newest n CROSS JOIN LATERAL unnest(n.held) AS term GROUP BY term
),
-- Older events: those with a rare word, word by word, or, where all are common, those with all of them; through the index
-- on (agent, words).
-- OFFSET 0 keeps the planner from walking the other index and testing each event for a word that hardly any holds.
older AS MATERIALIZED (
    SELECT found.id, r.lexeme FROM (
        SELECT l.lexeme, l.query FROM lexemes l LEFT JOIN shares s ON s.term = l.lexeme WHERE s.common IS NOT TRUE
        UNION ALL
        SELECT NULL, string_agg(l.query::text, ' & ')::tsquery FROM lexemes l LEFT JOIN shares s ON s.term = l.lexeme
        HAVING bool_and(s.common)
    ) AS r
    CROSS JOIN border b
    CROSS JOIN LATERAL (
        SELECT m.id FROM (
            SELECT e.id FROM agents_chatevent e WHERE e.role_agent_id = %(agent)s AND e.tsv @@ r.query OFFSET 0
        ) AS m
        WHERE m.id < b.id ORDER BY m.id DESC LIMIT %(older)s
    ) AS found
),
candidates AS MATERIALIZED (
    SELECT * FROM newest WHERE held <> '{{}}'
    UNION ALL
    SELECT * FROM own WHERE held <> '{{}}'
    UNION ALL
    SELECT {_EVENT} FROM agents_chatevent e
    WHERE e.id IN (SELECT id FROM older EXCEPT SELECT id FROM own) AND {_VISIBLE}
),
-- How telling each term is: the fewer events hold it, the more it weighs (BM25's inverse document frequency).
amount AS MATERIALIZED (
    SELECT count(*)::float8 AS events
    FROM (SELECT FROM agents_chatevent WHERE role_agent_id = %(agent)s LIMIT 5 * %(recent)s) AS counted
),
weights AS MATERIALIZED (
    SELECT term, ln(1 + (n - held + 0.5) / (held + 0.5)) AS weight
    FROM (
        SELECT asked.term, amount.events AS n,
            CASE WHEN s.common OR o.held IS NULL THEN least(coalesce(s.share, 0), 1) * amount.events
                ELSE least(coalesce(s.share, 0) * %(recent)s + o.held, amount.events) END AS held
        FROM (SELECT lexeme AS term FROM lexemes UNION SELECT unnest(%(pieces)s::text[])) AS asked
        CROSS JOIN amount
        LEFT JOIN shares s USING (term)
        LEFT JOIN (SELECT lexeme, count(*) AS held FROM older GROUP BY lexeme) AS o ON o.lexeme = asked.term
    ) AS counted
),
-- The best by their own words; a long event holds more words by chance, so length damps.
best AS MATERIALIZED (
    SELECT c.id, c.thread_id, c.occurred_at, sum(w.weight) / (1 + 0.02::float8 * c.length) AS score
    FROM candidates c CROSS JOIN LATERAL unnest(c.held) AS term JOIN weights w USING (term)
    GROUP BY c.id, c.thread_id, c.occurred_at, c.length
    ORDER BY score DESC, c.id DESC LIMIT %(best)s
),
-- Their neighbours, two on each side: the near one may be a hit, and is judged by its own neighbours too.
around AS MATERIALIZED (
    SELECT {_EVENT}, e.distance
    FROM best b
    CROSS JOIN LATERAL (
        (SELECT n.*, row_number() OVER (ORDER BY n.occurred_at DESC, n.id DESC) AS distance FROM agents_chatevent n
         WHERE n.thread_id = b.thread_id AND (n.occurred_at, n.id) < (b.occurred_at, b.id)
         ORDER BY n.occurred_at DESC, n.id DESC LIMIT 2)
        UNION ALL
        (SELECT n.*, row_number() OVER (ORDER BY n.occurred_at, n.id) AS distance FROM agents_chatevent n
         WHERE n.thread_id = b.thread_id AND (n.occurred_at, n.id) > (b.occurred_at, b.id)
         ORDER BY n.occurred_at, n.id LIMIT 2)
    ) AS e
),
pool AS MATERIALIZED (
    SELECT id, thread_id, occurred_at, max(score) AS score, min(distance) AS distance
    FROM (
        SELECT id, thread_id, occurred_at, score, 0 AS distance FROM best
        UNION ALL
        SELECT a.id, a.thread_id, a.occurred_at,
            (SELECT coalesce(sum(w.weight), 0) / (1 + 0.02::float8 * a.length) FROM weights w WHERE w.term = ANY (a.held)),
            a.distance
        FROM around a
    ) AS gathered
    GROUP BY id, thread_id, occurred_at
),
smoothed AS (
    SELECT id, distance, score = 0 AS beside, score + %(smoothing)s * greatest(
        lag(score, 1, 0::float8) OVER thread, lead(score, 1, 0::float8) OVER thread
    ) AS score
    FROM pool WINDOW thread AS (PARTITION BY thread_id ORDER BY occurred_at, id)
)
SELECT e.id, e.thread_id, e.kind, e.author_kind, e.author, e.occurred_at, e.text, s.beside, s.score
FROM smoothed s JOIN agents_chatevent e ON e.id = s.id
WHERE s.distance <= 1 AND s.score > 0 AND e.text <> ''
ORDER BY round(s.score::numeric, 4) DESC, e.occurred_at DESC, e.id DESC
LIMIT %(most)s
"""  # noqa: S608 - every part is a constant of this module

# --- excerpts -------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\W_]+(?:[-'’./:@][^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")


def _words_held(rows: list[_Row], asked: str) -> set[str]:
    """Those words of the texts that PostgreSQL takes for one of the query's: only its own stemmer can tell."""
    words: dict[str, None] = {}
    for row in rows:
        for pattern in (_TOKEN, _WORD):
            words.update(dict.fromkeys(match.lower() for match in pattern.findall(row.text)))
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH {_ASKED} SELECT word FROM unnest(%(texts)s::text[]) AS word, any_lexeme "  # noqa: S608 - a constant
            "WHERE to_tsvector('english', word) @@ any_lexeme.query",
            {"words": asked, "texts": list(words)[:_WORDS_MOST]},
        )
        return {row[0] for row in cursor.fetchall()}


def _spans(text: str, held: set[str], parts: list[str]) -> list[tuple[int, int]]:
    """Where `text` matches, as `(start, end)` without overlaps, in order."""
    found = []
    for token in _TOKEN.finditer(text):
        if token.group().lower() in held:
            inner = [w.span() for w in _WORD.finditer(text, *token.span()) if w.group().lower() in held]
            found += inner or [token.span()]
    for part in parts:
        found += [match.span() for match in re.finditer(re.escape(part), text, re.IGNORECASE)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _hit(row: _Row, held: set[str], parts: list[str]) -> Hit:
    text = " ".join(row.text.split())
    spans = _spans(text, held, parts)
    start = _best_start(text, spans)
    end = min(len(text), start + EXCERPT)
    if end < len(text) and (space := text.rfind(" ", start + EXCERPT // 2, end)) > 0:
        end = space
    return Hit(
        event_id=row.id,
        thread_id=row.thread_id,
        kind=row.kind,
        author_kind=row.author_kind,
        author=row.author,
        occurred_at=row.occurred_at,
        excerpt=text[start:end],
        highlights=tuple((s - start, min(e, end) - start) for s, e in spans if s >= start and s < end),
        cut_before=start > 0,
        cut_after=end < len(text),
        beside=row.beside,
        score=row.score,
    )


def _best_start(text: str, spans: list[tuple[int, int]]) -> int:
    """Where the excerpt begins: so that it holds the most matches, a little before the first of them, at a word."""
    if len(text) <= EXCERPT or not spans:
        return 0
    inside = [sum(first <= start < first + EXCERPT - _LEAD for start, _ in spans) for first, _ in spans]
    begin = max(0, min(spans[inside.index(max(inside))][0] - _LEAD, len(text) - EXCERPT))
    if begin == 0:
        return 0
    space = text.find(" ", begin, begin + _LEAD // 2)
    return space + 1 if space >= 0 else begin
