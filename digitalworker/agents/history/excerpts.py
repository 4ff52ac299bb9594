"""What is shown of a hit: the piece of its text that fits best, what matched in it, and what was said right before and after."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from digitalworker.common.prepared import rows_of

from .analysis import Terms
from .ranking import Ranked

EXCERPT = 240  # characters
BESIDE = 140  # characters of what was said before and after
_LEAD = 60  # characters of an excerpt before its first match
_WORDS_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Line:
    """What was said right before or after a hit; `excerpt` is its beginning."""

    event_id: UUID
    author_kind: str
    author: str
    occurred_at: datetime
    excerpt: str
    cut_after: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """One event that was found.

    `excerpt` is a verbatim piece of the event's text with line breaks folded; `highlights` are `(start, end)` character
    positions in it. `cut_before` and `cut_after` say whether text is missing there. `beside`: it holds none of the words
    itself and stands next to an event that does. `score` orders the hits of one search and means nothing outside it.
    `channel` and `person` are the conversation's, by name, "" for none. `before` and `after` are its neighbours in it.
    """

    event_id: UUID
    thread_id: UUID
    kind: str
    author_kind: str
    author: str
    occurred_at: datetime
    channel: str
    person: str
    excerpt: str
    highlights: tuple[tuple[int, int], ...]
    cut_before: bool
    cut_after: bool
    beside: bool
    score: float
    before: Line | None
    after: Line | None


# One index probe for each neighbour; the plan can not know how few rows there are, hence the laterals.
_NEIGHBOUR = """
    SELECT n.id, n.author_kind, n.author, n.occurred_at, left(n.text, 300) AS text
    FROM agents_chatevent n
    WHERE n.thread_id = e.thread_id AND (n.occurred_at, n.id) {compare} (e.occurred_at, e.id) AND n.text <> ''
    ORDER BY n.occurred_at {order}, n.id {order} LIMIT 1
"""
_TEXTS = f"""
SELECT e.id, e.thread_id, e.kind, e.author_kind, e.author, e.occurred_at, coalesce(c.name, ''),
    coalesce(nullif(p.display_name, ''), p.external_user_id, ''), e.text,
    b.id, b.author_kind, b.author, b.occurred_at, b.text,
    a.id, a.author_kind, a.author, a.occurred_at, a.text
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS w (id, n)
CROSS JOIN LATERAL (SELECT * FROM agents_chatevent WHERE id = w.id AND role_agent_id = %(agent)s::uuid OFFSET 0) AS e
CROSS JOIN LATERAL (SELECT channel_id, person_id FROM agents_thread WHERE id = e.thread_id OFFSET 0) AS t
LEFT JOIN agents_channel c ON c.id = t.channel_id
LEFT JOIN agents_person p ON p.id = t.person_id
LEFT JOIN LATERAL ({_NEIGHBOUR.format(compare="<", order="DESC")}) AS b ON true
LEFT JOIN LATERAL ({_NEIGHBOUR.format(compare=">", order="ASC")}) AS a ON true
ORDER BY w.n
"""  # noqa: S608 - constants


def hits_of(agent_id: UUID, ranked: Sequence[Ranked], terms: Terms) -> tuple[Hit, ...]:
    """The events as hits, in their order: two statements, however many."""
    if not ranked:
        return ()
    rows = {row[0]: row for row in rows_of(_TEXTS, {"ids": [found.id for found in ranked], "agent": agent_id})}
    marks = _Marks(terms, [row[8] for row in rows.values()])
    return tuple(_hit(found, rows[found.id], marks) for found in ranked if found.id in rows)


def _hit(found: Ranked, row: tuple, marks: "_Marks") -> Hit:
    event_id, thread_id, kind, author_kind, author, occurred_at, channel, person, said = row[:9]
    text = " ".join(said.split())
    spans = marks.spans(text)
    start = _best_start(text, spans)
    end = _end(text, start, EXCERPT)
    return Hit(
        event_id=event_id,
        thread_id=thread_id,
        kind=kind,
        author_kind=author_kind,
        author=author,
        occurred_at=occurred_at,
        channel=channel,
        person=person,
        excerpt=text[start:end],
        highlights=tuple((s - start, min(e, end) - start) for s, e in spans if s >= start and s < end),
        cut_before=start > 0,
        cut_after=end < len(text),
        beside=found.beside,
        score=found.score,
        before=_line(row[9:14]),
        after=_line(row[14:19]),
    )


def _line(row: tuple) -> Line | None:
    event_id, author_kind, author, occurred_at, said = row
    if event_id is None:
        return None
    text = " ".join(said.split())
    end = _end(text, 0, BESIDE)
    return Line(event_id, author_kind, author, occurred_at, text[:end], end < len(text))


def _end(text: str, start: int, most: int) -> int:
    """Where to stop: after `most` characters, at a word."""
    end = min(len(text), start + most)
    if end < len(text) and (space := text.rfind(" ", start + most // 2, end)) > 0:
        return space
    return end


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


# --- marks ----------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?<![^\W_])[^\W_]++(?:[-'’./:@][^\W_]++)+")
_HELD = """
SELECT word FROM string_to_table(%(words)s::text, ' ') AS word
WHERE to_tsvector('agents_words', word) @@ %(lexemes)s::tsquery
"""


class _Marks:
    """Knows what to mark in the texts of one page."""

    def __init__(self, terms: Terms, texts: Iterable[str]) -> None:
        self.words, self.joined = _held(terms.lexemes, texts) if terms.lexemes else (set(), set())
        exact = [rf"(?<!\w){_spaced(phrase)}(?!\w)" for phrase in terms.phrases]
        exact += [rf"(?<!\w){_spaced(beginning)}\w*" for beginning in terms.beginnings]
        self.exact = re.compile("|".join(exact), re.IGNORECASE) if exact else None
        self.pieces = terms.pieces

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where `text` matches, as `(start, end)` without overlaps, in order."""
        lower = _lower(text)
        found: list[tuple[int, int]] = []
        for word in self.words.intersection(_WORD.findall(lower)) | {each for each in self.joined if each in lower}:
            found += [span for span in _places(lower, word) if _is_whole(lower, *span)]
        for piece in self.pieces:
            found += _places(lower, piece)
        if self.exact:
            plain, places = _plain(lower)
            found += [(places[m.start()], places[m.end() - 1] + 1) for m in self.exact.finditer(plain) if m.group()]
        merged: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


def _held(lexemes: frozenset[str], texts: Iterable[str]) -> tuple[set[str], set[str]]:
    """Those words of the texts that are one of the query's, and words joined by - or . that are one only as a whole.

    Only the database's own stemmer can tell. It is asked about words that begin like one: a stem begins as its word does,
    but for a y (dying, die) and for accents.
    """
    said = _lower(" ".join(texts))
    begins = {lexeme[:2] for lexeme in lexemes} | {f"{lexeme[0]}y" for lexeme in lexemes}
    likely = {word for word in set(_WORD.findall(said)) if word[:2] in begins or not word[:2].isascii()}
    joined = {token for token in _JOINED.findall(said) if not likely.isdisjoint(_WORD.findall(token))}
    quoted = ("'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" for lexeme in lexemes)
    words = " ".join([*sorted(likely), *sorted(joined)][:_WORDS_MOST])
    held = {word for (word,) in rows_of(_HELD, {"words": words, "lexemes": " | ".join(sorted(quoted))})}
    words_held = held & likely
    return words_held, {token for token in held - likely if words_held.isdisjoint(_WORD.findall(token))}


def _lower(text: str) -> str:
    """Lower case, character by character: the few whose small form is longer stay."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _places(text: str, part: str) -> list[tuple[int, int]]:
    found, start = [], text.find(part)
    while start >= 0:
        found.append((start, start + len(part)))
        start = text.find(part, start + len(part))
    return found


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum()


def _spaced(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in text.split())


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """`text` without accents, and for each of its characters where it came from."""
    if text.isascii():
        return text, range(len(text))
    letters, places = [], []
    for place, character in enumerate(text):
        folded = _LIGATURES.get(character) or unicodedata.normalize("NFD", character)
        for letter in folded:
            if not unicodedata.combining(letter):
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


_LIGATURES = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "Æ": "AE", "Œ": "OE", "Ø": "O", "Ł": "L"}
