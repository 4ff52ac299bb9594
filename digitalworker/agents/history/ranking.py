"""The statement that ranks: which of an agent's events fit best, and which stand beside one that does.

Every event that is looked at gets a number, `held`, with a bit for each term it holds. Looked at are

- the newest 500 events in the asked range, by which also is judged how rare each word is: their share stands for all;
- older ones that hold a rare word, or two less rare ones, or all: found through the index on words, rarest first, as many as
  400 events are likely to hold. A word that 25 of the newest hold is not looked for further back by itself;
- where conversations are asked for (of a person, in a channel), the newest 500 events of those;
- two neighbours on either side of each of the 50 best: a question and its answer share few words.

So a search costs about the same however much an agent was told, and, because words are marked as their agent's, however much
the others were. The price: of an agent with many thousand events, an old one that holds only common words may stay unfound.
"""

# ruff: noqa: S608 - the SQL is put together from constants of this module; what is asked for goes in as parameters

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from digitalworker.common.prepared import rows_of

from .analysis import PIECES_MOST, WORDS_MOST, Terms
from .query import FILTERS_MOST

RECENT = 500  # newest events, all looked at
RECENT_AS_TEXT = 10_000  # newest events searched for the query as plain text, when words found nothing
OLDER = 400  # older events that the words looked for in the index are likely to bring
PLENTY = 25  # of the newest events: a word so common is not looked for in the index by itself
PAIRED = 0.15  # share of the newest events up to which a word is looked for together with another
PAIRS = 12
THREADS = 200  # latest conversations of a person or channel that are looked into
BEST = 50  # matches whose neighbours are looked at
WORDS, PIECES = (0, 4, 8, 12, 20, WORDS_MOST + FILTERS_MOST), (0, 2, 8, PIECES_MOST)  # terms a statement is made for
SMOOTHING = 0.6  # what an event gains from the better of its two neighbours


@dataclass(frozen=True, slots=True)
class Range:
    """Which events count. `audience`: conversations of this person, or of nobody in particular."""

    agent: UUID
    audience: UUID | None = None
    person: UUID | None = None
    channel: UUID | None = None
    author_kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"threads": THREADS}

    def shape(self) -> "Shape":
        return Shape(self.audience is not None, self.person is not None, self.channel is not None)


class Ranked(NamedTuple):
    """`beside`: it holds none of the words itself and stands next to an event that does. `full`: so many events hold words
    that there may be more than come out."""

    id: UUID
    beside: bool
    score: float
    full: bool


def rank(asked: Range, terms: Terms, most: int, *, recent: int | None = None) -> list[Ranked]:
    """The best `most` events, best first; among equals the newer first."""
    parameters = asked.parameters() | {
        "any": " | ".join(terms.queries),
        "together": " & ".join(terms.queries),
        "words": len(terms.queries),
        "require": terms.require,
        "required": list(terms.required),
        "must": list(terms.must),
        "never": list(terms.never),
        "recent": recent or RECENT,
        "older": OLDER,
        "plenty": PLENTY,
        "paired": PAIRED,
        "pairs": PAIRS,
        "best": BEST,
        "smoothing": SMOOTHING,
        "most": most,
    }
    queries, pieces = _padded(terms.queries, "'-'", WORDS), _padded(terms.pieces, "\uffff", PIECES)
    parameters |= {f"q{n}": query for n, query in enumerate(queries)}
    parameters |= {f"p{n}": piece for n, piece in enumerate(pieces)}
    shape = asked.shape()._replace(
        queries=len(queries),
        pieces=len(pieces),
        require=bool(terms.require),
        positive=bool(terms.required),
        patterns=bool(terms.must or terms.never),
    )
    return [Ranked(*row) for row in rows_of(statement(shape), parameters)]


def _padded(terms: Sequence[str], nothing: str, sizes: Sequence[int]) -> Sequence[str]:
    """Filled up with what no event holds: the database plans a statement for each of a few sizes, and not for each number."""
    return (*terms, *[nothing] * (next(size for size in sizes if size >= len(terms)) - len(terms)))


# --- the statement --------------------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """What the statement's text depends on. Few ever occur, so the database plans each once a connection."""

    audience: bool
    person: bool
    channel: bool
    queries: int = 0
    pieces: int = 0
    require: bool = False
    positive: bool = False
    patterns: bool = False


def among(shape: Shape, thread: str) -> str:
    """Whose conversations and where, as conditions on a thread; "" where any will do."""
    conditions = []
    if shape.audience:
        conditions.append(f"({thread}.person_id IS NULL OR {thread}.person_id = %(audience)s::uuid)")
    if shape.person:
        conditions.append(f"{thread}.person_id = %(person)s::uuid")
    if shape.channel:
        conditions.append(f"{thread}.channel_id = %(channel)s::uuid")
    return " AND ".join(conditions)


# Parameters stand where an index can use them: the plan is made before they are known.
_IN_RANGE = """
    c.occurred_at >= coalesce(%(since)s::timestamptz, '-infinity')
    AND c.occurred_at < coalesce(%(until)s::timestamptz, 'infinity')
    AND (%(author_kind)s::text IS NULL OR c.author_kind = %(author_kind)s::text) AND c.text <> ''
"""
# BETWEEN and the first sort column make this the index on (agent, time): with a plain = the planner may walk the primary
# key instead, through everybody else's events, until it has met enough of this agent's.
_COLUMNS = "c.id, c.thread_id, c.occurred_at, c.tsv, c.text"
_WALK = f"""
    SELECT {_COLUMNS} FROM agents_chatevent c
    WHERE c.role_agent_id BETWEEN %(agent)s::uuid AND %(agent)s::uuid AND {_IN_RANGE}
    ORDER BY c.role_agent_id, c.occurred_at DESC, c.id DESC
"""


def _event(shape: Shape) -> str:
    """The columns that are needed of an event `e`. Most hold no word at all, which one look at all of them finds out."""
    held = []
    if shape.queries:
        bits = " + ".join(
            f"CASE WHEN e.tsv @@ %(q{n})s::tsquery THEN {1 << n}::bigint ELSE 0 END" for n in range(shape.queries)
        )
        held.append(f"CASE WHEN e.tsv @@ %(any)s::tsquery THEN {bits} ELSE 0 END")
    held += [
        f"CASE WHEN strpos(lower(e.text), %(p{n})s::text) > 0 THEN {1 << (shape.queries + n)}::bigint ELSE 0 END"
        for n in range(shape.pieces)
    ]
    fits = ["true"]
    if shape.require:
        fits.append("e.tsv @@ %(require)s::tsquery")
    if shape.patterns:
        fits.append("NOT EXISTS (SELECT FROM unnest(%(must)s::text[]) AS p WHERE unaccent(e.text) !~* p)")
        fits.append("NOT EXISTS (SELECT FROM unnest(%(never)s::text[]) AS p WHERE unaccent(e.text) ~* p)")
    return (
        f"e.id, e.thread_id, e.occurred_at, length(e.tsv) AS length, {' + '.join(held)} AS held, {' AND '.join(fits)}"
    )


def _visible(shape: Shape, event: str) -> str:
    which = among(shape, "t")
    return f"EXISTS (SELECT FROM agents_thread t WHERE t.id = {event}.thread_id AND {which})" if which else "true"


def newest_events(shape: Shape, columns: str) -> str:
    """The newest of the range. With conversations of one kind asked for, the newest of those, however many others came since."""
    newest = f"SELECT {columns} FROM ({_WALK} LIMIT %(recent)s) AS e WHERE {_visible(shape, 'e')}"
    if not (shape.audience or shape.person or shape.channel):
        return newest
    which = among(shape, "t") if shape.person or shape.channel else "t.person_id = %(audience)s::uuid"
    theirs = f"""
    SELECT {columns} FROM (
        SELECT {_COLUMNS}
        FROM (
            SELECT t.id FROM agents_thread t WHERE t.role_agent_id = %(agent)s::uuid AND {which}
            ORDER BY t.last_event_at DESC NULLS LAST, t.id DESC LIMIT %(threads)s
        ) AS t
        CROSS JOIN LATERAL (
            SELECT c.* FROM agents_chatevent c WHERE c.thread_id = t.id AND {_IN_RANGE}
            ORDER BY c.occurred_at DESC, c.id DESC LIMIT %(recent)s
        ) AS c
        ORDER BY c.occurred_at DESC, c.id DESC LIMIT %(recent)s
    ) AS e
    """
    return theirs if shape.person or shape.channel else f"{newest} UNION {theirs}"


def _older(shape: Shape, event: str) -> str:
    """Older events by the words, or pairs of words, that hardly any event holds; `plan` says which."""
    if not shape.queries:
        return ""
    numbers = range(shape.queries)
    words = ", ".join(f"({n}, %(q{n})s::tsquery, c{n})" for n in numbers)
    whole = []
    # All of them, where that is not what everybody says.
    likely = "max(events) * exp(sum(ln(share))) <= 2 * %(older)s"
    whole.append(f"\n    UNION ALL SELECT %(together)s::tsquery FROM terms HAVING count(*) > 1 AND {likely}")
    if shape.positive:  # what every hit must hold, unless even the rarest word of it is everywhere
        rarest = "min(likely) FILTER (WHERE n = ANY (%(required)s::int[]))"
        whole.append(f"\n    UNION ALL SELECT %(require)s::tsquery FROM terms HAVING {rarest} <= 4 * %(older)s")
    wanted = "(w.query && %(require)s::tsquery)" if shape.require else "w.query"
    return f""",
-- Where there is more than the newest; how much more is guessed from how fast those came.
border AS MATERIALIZED (
    SELECT %(recent)s * coalesce(
        extract(epoch FROM n.latest - n.first) / nullif(extract(epoch FROM n.latest - n.last), 0), 10)::float8 AS events
    FROM (
        SELECT (SELECT max(occurred_at) FROM agents_chatevent WHERE role_agent_id = %(agent)s::uuid) AS latest,
            (SELECT min(occurred_at) FROM agents_chatevent WHERE role_agent_id = %(agent)s::uuid) AS first,
            (SELECT occurred_at FROM agents_chatevent
             WHERE role_agent_id BETWEEN %(agent)s::uuid AND %(agent)s::uuid
             ORDER BY role_agent_id, occurred_at DESC, id DESC OFFSET %(recent)s LIMIT 1) AS last
    ) AS n
    WHERE n.last IS NOT NULL
),
terms AS MATERIALIZED (
    SELECT t.n, t.query, t.held, b.events, b.events * (t.held + 0.5::float8) / (c.events + 1) AS likely,
        (t.held + 0.5::float8) / (c.events + 1) AS share
    FROM counted c CROSS JOIN border b
    CROSS JOIN LATERAL (VALUES {words}) AS t (n, query, held)
    WHERE t.n < %(words)s::int
),
singles AS MATERIALIZED (
    SELECT n, query
    FROM (
        SELECT *, row_number() OVER rarest AS place, sum(likely) OVER rarest AS total FROM terms
        WINDOW rarest AS (ORDER BY likely, n ROWS UNBOUNDED PRECEDING)
    ) AS t
    WHERE held < %(plenty)s AND (place = 1 OR total <= %(older)s / 2)
),
pairs AS MATERIALIZED (
    SELECT query
    FROM (
        SELECT a.query && b.query AS query, sum(2 * a.likely * b.share) OVER (
            ORDER BY a.likely * b.share, a.n, b.n ROWS UNBOUNDED PRECEDING) AS total
        FROM terms a JOIN terms b ON a.n < b.n
        WHERE a.share <= %(paired)s AND b.share <= %(paired)s
          AND a.n NOT IN (SELECT n FROM singles) AND b.n NOT IN (SELECT n FROM singles)
    ) AS t
    WHERE total <= %(older)s / 2 ORDER BY total LIMIT %(pairs)s
),
wanted AS MATERIALIZED (
    SELECT query FROM singles UNION ALL SELECT query FROM pairs{"".join(whole)}
),
-- Each looked up by itself: one look-up for any of them would weigh every event that holds one word of a pair. OFFSET 0
-- keeps the planner from walking another index and testing each event for words that hardly any holds.
older AS MATERIALIZED (
    SELECT {event} AS fits
    FROM (
        SELECT DISTINCT ON (c.occurred_at, c.id) {_COLUMNS}
        FROM wanted w
        CROSS JOIN LATERAL (SELECT * FROM agents_chatevent WHERE tsv @@ {wanted} OFFSET 0) AS c
        WHERE c.role_agent_id = %(agent)s::uuid AND {_IN_RANGE} AND {_visible(shape, "c")}
          AND c.id NOT IN (SELECT id FROM looked_at)
        ORDER BY c.occurred_at DESC, c.id DESC LIMIT 5 * %(older)s
    ) AS e
)"""


@lru_cache(maxsize=512)
def statement(shape: Shape) -> str:
    event, bits = _event(shape), range(shape.queries + shape.pieces)
    older = _older(shape, event)
    score = " + ".join(f"CASE WHEN held & {1 << n} <> 0 THEN w{n} ELSE 0 END" for n in bits)
    score = f"({score}) / (1 + 0.02::float8 * length)"
    held = ", ".join(f"coalesce(sum(rows) FILTER (WHERE held & {1 << n} <> 0), 0)::float8 AS c{n}" for n in bits)
    weights = ", ".join(f"ln(1 + (many - d{n} + 0.5::float8) / (d{n} + 0.5::float8)) AS w{n}" for n in bits)
    # A word that was looked for alone is counted; of the others the share among the newest stands for all.
    shared = [f"c{n} * many / events" for n in bits]
    known, amount, found = ", ".join(f"{each} AS d{n}" for n, each in enumerate(shared)), "events", ""
    if older:
        counts = ", ".join(f"count(*) FILTER (WHERE held & {1 << n} <> 0) AS o{n}" for n in range(shape.queries))
        found = (
            f"CROSS JOIN (SELECT {counts} FROM older) AS o CROSS JOIN (SELECT array_agg(n) AS alone FROM singles) AS s"
        )
        amount = "greatest(events, (SELECT events FROM border))"
        for n in range(shape.queries):
            shared[n] = f"CASE WHEN {n} = ANY (alone) THEN c{n} + o{n} ELSE {shared[n]} END"
        known = ", ".join(f"{each} AS d{n}" for n, each in enumerate(shared))
    more = "UNION ALL SELECT * FROM older" if older else ""
    return f"""
WITH
looked_at AS MATERIALIZED ({newest_events(shape, f"{event} AS fits")}),
counted AS MATERIALIZED (
    SELECT coalesce(sum(rows), 0)::float8 AS events, {held}
    FROM (SELECT held, count(*) AS rows FROM looked_at GROUP BY held) AS combinations
){older},
-- How telling each term is: the fewer events hold it, the more it weighs (BM25's inverse document frequency).
weights AS MATERIALIZED (
    SELECT {weights}
    FROM (
        SELECT many, {known} FROM (SELECT *, {amount} AS many FROM counted WHERE events > 0) AS c {found}
    ) AS counts
),
-- The best by their own words; a long event holds more words by chance, so length damps.
best AS MATERIALIZED (
    SELECT id, thread_id, occurred_at, {score} AS score
    FROM (SELECT * FROM looked_at {more}) AS candidates CROSS JOIN weights
    WHERE held <> 0 AND fits
    ORDER BY score DESC, occurred_at DESC, id DESC LIMIT %(best)s
),
-- Their neighbours, two on each side: the near one may be a hit, and is judged by its own neighbours too.
around AS MATERIALIZED (
    SELECT {event} AND e.in_range AS fits, e.distance
    FROM best b
    CROSS JOIN LATERAL (
        (SELECT {_COLUMNS}, {_IN_RANGE} AS in_range,
             row_number() OVER (ORDER BY c.occurred_at DESC, c.id DESC) AS distance
         FROM agents_chatevent c
         WHERE c.thread_id = b.thread_id AND (c.occurred_at, c.id) < (b.occurred_at, b.id)
         ORDER BY c.occurred_at DESC, c.id DESC LIMIT 2)
        UNION ALL
        (SELECT {_COLUMNS}, {_IN_RANGE} AS in_range,
             row_number() OVER (ORDER BY c.occurred_at, c.id) AS distance
         FROM agents_chatevent c
         WHERE c.thread_id = b.thread_id AND (c.occurred_at, c.id) > (b.occurred_at, b.id)
         ORDER BY c.occurred_at, c.id LIMIT 2)
    ) AS e
),
pool AS MATERIALIZED (
    SELECT id, thread_id, occurred_at, max(score) AS score, min(distance) AS distance, bool_and(fits) AS fits
    FROM (
        SELECT id, thread_id, occurred_at, score, 0 AS distance, true AS fits FROM best
        UNION ALL
        SELECT id, thread_id, occurred_at, {score}, distance, fits FROM around CROSS JOIN weights
    ) AS gathered
    GROUP BY id, thread_id, occurred_at
),
smoothed AS (
    SELECT id, occurred_at, distance, fits, score = 0 AS beside, score + %(smoothing)s::float8 * greatest(
        lag(score, 1, 0::float8) OVER thread, lead(score, 1, 0::float8) OVER thread
    ) AS score
    FROM pool WINDOW thread AS (PARTITION BY thread_id ORDER BY occurred_at, id)
)
SELECT id, beside, score, (SELECT count(*) FROM best) = %(best)s AS "full" FROM smoothed
WHERE distance <= 1 AND fits AND score > 0
ORDER BY round(score::numeric, 4) DESC, occurred_at DESC, id DESC
LIMIT %(most)s
"""
