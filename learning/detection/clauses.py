"""Cuts a text into sentences and clauses, each with its place, and marks those that state nothing.

Everything keeps its position: what is not the speaker's own voice (quotations, code) is blanked out, never removed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NOT_OWN_VOICE = re.compile(
    r"```.*?(?:```|\Z)"
    r"|`[^`\n]*`"
    r"|^[ \t]*>[^\n]*"  # quoted mail
    r"|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|„[^“”\n]{1,400}[“”]"
    r"|(?<![\w'’])['‘][^'‘’\n]{1,400}['’](?!\w)"
    r"|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
_ABBREVIATED = (
    r"(?<!\bSt)(?<!\bMt)(?<!\bFt)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bD\.C)"
)
_SENTENCE_END = re.compile(rf"{_ABBREVIATED}[.!?…]+(?=[\s)\]]|$)|\n+|;(?!-?[)pPD])|\s/\s|\s(?:--?|—|–)\s")
_CLAUSE_END = re.compile(
    r",?\s+(?:and|but|so|because|since|plus)\s+(?=(?:i|i['’]m|i['’]ve|my|we|our|please|you can)\b)"
    r"|(?:,|:|\()\s*(?=(?:and |but |so |also |because )?(?:i|i['’]m|i['’]ve|my|we|we['’]re|our|please|call|always|never|do|does"
    r"|can|could|will|would|should|is|are|what|which|where|how|when)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:and |but |so )?(?:do|does|did|can|could|will|would|should|shall|may|might|is|are|am|was|were|has|have|had|what"
    r"|what['’]s|which|where|when|who|whose|why|how|any)\b",
    re.IGNORECASE,
)
# These make the whole sentence a game, a condition or somebody else's words.
_NOT_MEANT = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|imagine|pretend|assume|assuming|hypothetically|wish|let['’]?s say|say for"
    r"|as though|for example|for instance|e\.g|such as if|what would|role-?play|character|joke|joking|kidding|jk|lol"
    r"|lmao|rofl|haha\w*|hehe\w*|sarcasm|dream(?:ed|t)?"
    r"|said|says|saying|told|tells|asked|asks|wrote|writes|claims?|claimed|thinks?|thought|believes|heard|quote"
    r"|according to|apparently|supposedly|he|she|him|her|his)\b"
    r"|[😂🤣😜😉🙃😅]|(?<!\w)(?:[:;]-?[pPD](?!\w)|;-?\))|(?<!\w)/s\b|\bxd\b",
    re.IGNORECASE,
)
# These only take their own clause with them.
_NOT_SURE = re.compile(
    r"\b(?:would|could|might|maybe|perhaps|probably|possibly|i guess|not sure|going to|gonna|planning|thinking (?:of|about)"
    r"|want to|wanna|hope|hoping|trying|used to|was|were|had|should|i think|i['’]d)\b",
    re.IGNORECASE,
)
PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|just now|at the moment|currently|for now|temporarily|until"
    r"|(?:this|next|last) (?:time|once|week|weekend|month|morning|afternoon"
    r"|evening|trip|visit|order)|once|in a (?:meeting|hurry|rush))\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"(?:(?:hi|hello|hey|hiya|dear|thanks|thank you|thx|ok|okay|well|yes|yeah|yep|no|nope|sure|great|perfect|oh|ah|um|uh|so|and"
    r"|but|also|plus|btw|fyi|by the way|just so you know|as you know|for the record|for future reference"
    r"|note that|please note(?: that)?"
    r"|(?:please )?remember(?: that)?|keep in mind(?: that)?"
    r"|don['’]t forget(?: that)?|actually|because|since|because of that|sorry|anyway)"
    r"(?: (?:there|all|everyone|team|everybody|again))?\s*[,:!.–-]*\s+)+",
    re.IGNORECASE,
)
_ADDRESSEE = re.compile(r"@?[\w\[\]|^-]{2,20}[:,]\s+")


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` is the original text between `start` and `end`. `own` is the same with foreign voices blanked."""

    text: str
    own: str
    start: int
    end: int
    asks: bool
    meant: bool  # not a game, a condition, a joke or somebody else's words
    sure: bool

    @property
    def states(self) -> bool:
        return self.meant and self.sure and not self.asks

    @property
    def passing(self) -> bool:
        """Tied to a moment, so not worth keeping."""
        return PASSING.search(self.own) is not None


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    own: str
    start: int
    end: int
    asks: bool
    meant: bool
    clauses: tuple[Clause, ...]


def foreign_voice(text: str) -> list[tuple[int, int]]:
    """Where somebody else speaks in `text`: quotations, quoted mail, code."""
    return [found.span() for found in _NOT_OWN_VOICE.finditer(text)]


def sentences(text: str) -> Iterator[Sentence]:
    own = _NOT_OWN_VOICE.sub(lambda found: re.sub(r"\S", "\x7f", found[0]), text)
    at = 0
    for end in [*_SENTENCE_END.finditer(own), None]:
        stop, after = (end.start(), end.end()) if end else (len(own), len(own))
        mark = own[stop:after]
        start, stop = _trim(own, at, stop)
        at = after
        if start < stop:
            yield _sentence(text, own, start, stop, "?" in mark)


def _sentence(text: str, own: str, start: int, stop: int, asks: bool) -> Sentence:
    piece = own[start:stop]
    meant = _NOT_MEANT.search(piece) is None
    spans = _clause_spans(own, start, stop)
    # "I live in Lisbon, do you ship there?" states, then asks.
    last_asks = asks and len(spans) > 1 and _ASKS.match(own, *spans[-1]) is not None
    clauses = []
    for number, (first, last) in enumerate(spans):
        asked = asks and not (last_asks and number < len(spans) - 1)
        clause = own[first:last]
        asked = asked or _ASKS.match(clause) is not None
        clauses.append(Clause(text[first:last], clause, first, last, asked, meant, _NOT_SURE.search(clause) is None))
    return Sentence(text[start:stop], piece, start, stop, asks, meant, tuple(clauses))


def _clause_spans(own: str, start: int, stop: int) -> list[tuple[int, int]]:
    spans, at = [], start
    for cut in _CLAUSE_END.finditer(own, start, stop):
        spans.append((at, cut.start()))
        at = cut.end()
    spans.append((at, stop))
    result = []
    for first, last in spans:
        first, last = _trim(own, first, last)
        for lead in (_ADDRESSEE, _LEAD_IN):
            found = lead.match(own, first, last)
            if found and found.end() < last:
                first = found.end()
        if first < last:
            result.append((first, last))
    return result or [(start, stop)]


def _trim(text: str, start: int, stop: int) -> tuple[int, int]:
    while start < stop and (text[start].isspace() or text[start] in ",:)]*•-"):
        start += 1
    while stop > start and (text[stop - 1].isspace() or text[stop - 1] in ",:"):
        stop -= 1
    return start, stop
