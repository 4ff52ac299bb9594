"""Whether what a detector claims rests on what was said."""

import re

from .clauses import foreign_voice

_SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_WORDS = re.compile(r"\d[\d.,]*\d|\w+")
HOLDS_FROM = 0.5  # of the words of a claim must have been said


def place_of(quote: str, text: str) -> tuple[int, int] | None:
    """Where `quote` stands in `text`, as characters; None where it does not, whatever its case, spaces and marks.

    Nor does it where it lies wholly in somebody else's voice: quoted mail, a quotation, code.
    """
    words = quote.translate(_SAME).strip(" \"'.,;:!?…").split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text.translate(_SAME), re.IGNORECASE)
    if not found:
        return None
    span = found.span()
    return None if any(start <= span[0] and span[1] <= end for start, end in foreign_voice(text)) else span


def is_grounded(claim: str, text: str) -> bool:
    """Each number of the claim was said, and at least half of its words: else it is the detector's own conclusion."""
    said = set(_words(text))
    claimed = _words(claim)
    numbers = [word for word in claimed if word[0].isdigit()]
    telling = [word for word in claimed if len(word) > 3 or word[0].isdigit()]
    if any(number not in said for number in numbers):
        return False
    return not telling or sum(word in said for word in telling) >= HOLDS_FROM * len(telling)


def _words(text: str) -> list[str]:
    return [_stem(word.casefold().replace(",", "")) for word in _WORDS.findall(text)]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
