"""Words nobody said, taken for the most similar ones somebody did.

Only asked when nothing was found at all. The words to choose from are those of the newest 1,000 events the searcher may see,
not a dictionary of the agent: what another person said in confidence must not come back as a suggestion.
"""

import re

from digitalworker.common.prepared import rows_of

from .ranking import Range, Shape, newest_events

RECENT = 1_000  # events whose words are the ones to choose from
ALIKE = 0.35  # share of common trigrams, of all
WORDS_MOST = 8
_WORD = re.compile(r"[^\W\d_]{3,40}")


def corrected(within: Range, asked: str) -> str:
    """`asked` with each word nobody said replaced by the most similar one somebody did, where there is one."""
    words = list(dict.fromkeys(match.lower() for match in _WORD.findall(asked)))[:WORDS_MOST]
    if not words:
        return asked
    parameters = within.parameters() | {"asked": words, "alike": ALIKE, "recent": RECENT}
    found = dict(rows_of(_statement(within.shape()), parameters))
    return _WORD.sub(lambda match: found.get(match.group().lower(), match.group()), asked)


def _statement(shape: Shape) -> str:
    """Alike by trigrams or, where a short word has too few of those, the same letters in another order."""
    return f"""
WITH
said AS MATERIALIZED ({newest_events(shape, "e.text")}),
vocabulary AS MATERIALIZED (
    SELECT word, count(*) AS times
    FROM said CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector('simple', unaccent(said.text)))) AS word
    WHERE word ~ '^[[:alpha:]]{{3,40}}$' GROUP BY word
)
SELECT asked.word, best.word
FROM (SELECT word, unaccent(word) AS plain FROM unnest(%(asked)s::text[]) AS word) AS asked
CROSS JOIN LATERAL (
    SELECT v.word, CASE
        WHEN length(v.word) = length(asked.plain) AND translate(v.word, asked.plain, '') = ''
            AND translate(asked.plain, v.word, '') = '' THEN greatest(0.5, similarity(v.word, asked.plain))
        ELSE similarity(v.word, asked.plain) END AS alike
    FROM vocabulary v
    ORDER BY alike DESC, v.times DESC, v.word LIMIT 1
) AS best
WHERE best.alike >= %(alike)s::real
"""  # noqa: S608 - put together from constants
