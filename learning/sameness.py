"""Whether two statements say the same, or the same with another value. Words only, and it would rather not know.

"We close at six" and "we close at 6." are the same. "We close at six" and "we close at seven" differ in a value at their end,
so the one may be an update of the other, which a person judges or a correction makes plain ("there is a printer in room 5" and
"... in room 6" are both true). Only numbers, and names where somebody corrects, count as values: "ask Anna about badges" does not
contradict "ask Anna about invoices". But what shares half of its words with another, like these two, or "the entrance is at the
front" and "... at the back", may say otherwise or something else, which only a person can tell: that is `overlap`.
"""

import re
from dataclasses import dataclass

_EDGES = ".,;:!?\"'()[]{}<>«»“”„‘’…"
_ARTICLES = frozenset({"a", "an", "the"})
_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ONES += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = {
    word: 10 * n
    for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_NUMBERS = {word: str(number) for number, word in enumerate(_ONES)}
_NUMBERS |= {word: str(number) for word, number in _TENS.items()}
_NUMBERS |= {f"{ten}-{_ONES[n]}": str(number + n) for ten, number in _TENS.items() for n in range(1, 10)}
_NUMBERS |= {"hundred": "100", "thousand": "1000"}
# What may follow a value. Any other word is what is said of it: "room 5 leaks" is about another room than "room 6 leaks".
_UNIT = re.compile(
    r"(?:second|minute|hour|day|week|month|year|euro|dollar|pound|person|piece|item|time)s?|people|am|pm|daily|percent"
    r"|[%€$£]|km|kg|g|m|cm|mm|[gmt]b"
)
_TELLING = 2  # characters; shorter words say nothing about what a text is of
_ALIKE = 0.5  # of the longer text's words
_WORDS_BEFORE = 2  # what a statement must say before its value; less tells nothing about what it is of


def normal(text: str) -> str:
    """The words that count, in order: without case, articles and punctuation around them, small numbers as digits.

    Two texts with the same are the same statement. Never empty for a text that holds anything.
    """
    return " ".join(word.plain for word in _words(text)) or " ".join(text.casefold().split())


def updates(new: str, old: str, *, names: bool) -> bool:
    """Whether `new` says of the same thing as `old` that its value is another. `names`: a name at the end is a value too."""
    first, second = _split(new, names), _split(old, names)
    return first is not None and second is not None and first[0] == second[0] and first[1] != second[1]


def before_value(text: str, *, names: bool) -> str:
    """What a statement says before its last value, to look for others like it; "" where it has none that counts."""
    parts = _split(text, names)
    return parts[0][0] if parts else ""


def overlap(text: str, other: str) -> float:
    """The share of the longer text's words that the other has as well; 0 where it is less than half."""
    mine, theirs = telling(text), telling(other)
    share = len(mine & theirs) / max(len(mine), len(theirs), 2)
    return share if share >= _ALIKE else 0


def telling(text: str) -> set[str]:
    """The words that may tell what a text is of."""
    return {word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > _TELLING}


@dataclass(frozen=True, slots=True)
class _Word:
    plain: str
    is_number: bool
    is_name: bool


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    for raw in text.split():
        bare = raw.strip(_EDGES)
        plain = bare.casefold()
        if not bare or plain in _ARTICLES:
            continue
        number = plain in _NUMBERS or bool(re.search(r"\d", bare))
        words.append(_Word(_NUMBERS.get(plain, plain), number, bare[0].isupper() and bool(words)))
    return words


def _split(text: str, names: bool) -> tuple[tuple[str, str], str] | None:
    """((before, after), value) around the last value of a statement, or None."""
    words = _words(text)
    is_value = [word.is_number or (names and word.is_name) for word in words]
    end = max((place + 1 for place, value in enumerate(is_value) if value), default=0)
    start = end
    while start and is_value[start - 1] and words[start - 1].is_number == words[end - 1].is_number:
        start -= 1
    if not end or start < _WORDS_BEFORE or not all(_UNIT.fullmatch(word.plain) for word in words[end:]):
        return None
    part = lambda some: " ".join(word.plain for word in some)  # noqa: E731
    return (part(words[:start]), part(words[end:])), part(words[start:end])
