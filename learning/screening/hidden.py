"""Characters that nobody types by hand and no reader sees: findings in themselves, whatever they spell.

Emoji sequences, flags of countries' parts, right-to-left text with its marks, joiners of Arabic and Indic scripts, soft
hyphens and a byte order mark at the start are ordinary and not found.
"""

import re
import unicodedata
from collections.abc import Iterator

from . import characters
from .normalise import smuggled

# (rule, severity, why, start, end)
Hidden = tuple[str, str, str, int, int]

_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_IN_WORD = re.compile("(?<=[^\\W\\d_])[\u034f\u180e\u200b-\u200d\u2060-\u2064\ufeff]+(?=[^\\W\\d_])")
_BESIDE_WORD = re.compile("(?<=[^\\W\\d_])[\u200b-\u200d\u2060-\u2064]+(?=\\s)")
_ROW = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060-\u2064\u2800\u3164\ufeff\uffa0]{4,}")
_STACKED = re.compile("[\u0300-\u036f\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4,}")
_LATER_BLOCK = "\u0590"  # from here on scripts join, break and turn with characters that Latin text has no use for


def hidden(text: str) -> Iterator[Hidden]:
    """What is hidden in `text`, as positions in it. Control characters apart, ASCII hides nothing."""
    if text.isascii():
        return
    flags = {position for flag in _FLAG.finditer(text) for position in range(*flag.span())}
    for row in _TAGS.finditer(text):
        if row.start() not in flags:
            yield "hidden.tags", "high", "Characters that spell text nobody can see", *row.span()
    spelled = {name: changes for name, changes in smuggled(text) if name != "tags"}
    for name, changes in spelled.items():
        for start, end, _ in changes:
            yield f"hidden.{name}", "high", "A row of invisible characters that spells text", start, end
    rows = {start for changes in spelled.values() for start, _, _ in changes}
    for row in _SELECTORS.finditer(text):
        if row.start() not in rows and len(row[0]) > 2:
            yield "hidden.selectors", "medium", "A row of characters that only choose the look of others", *row.span()
    for row in _ROW.finditer(text):
        if row.start() not in rows:
            yield "hidden.row", "medium", "A row of characters that nobody can see", *row.span()
    for row in _STACKED.finditer(text):
        yield "hidden.marks", "medium", "A letter under a pile of accents", row.start() - (row.start() > 0), row.end()
    yield from _split_words(text)
    yield from _turned(text)
    for word in _WORD.finditer(text):
        if characters.is_mixed(word[0]):
            yield "mixed-script", "medium", "A word that mixes letters of two scripts which look alike", *word.span()


def _split_words(text: str) -> Iterator[Hidden]:
    for gap in _IN_WORD.finditer(text):
        before, after = text[gap.start() - 1], text[gap.end()]
        if before < _LATER_BLOCK and after < _LATER_BLOCK:
            yield "hidden.in-word", "medium", "Invisible characters inside a word", *gap.span()
    beside = [gap for gap in _BESIDE_WORD.finditer(text) if text[gap.start() - 1] < _LATER_BLOCK]
    if len(beside) > 1:  # one may come along when a page is copied
        for gap in beside:
            yield "hidden.beside-word", "medium", "Invisible characters behind words", *gap.span()


def _turned(text: str) -> Iterator[Hidden]:
    signs = list(_BIDI.finditer(text))
    if not signs:
        return
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        return
    for sign in signs:
        if sign[0] in characters.BIDI_OVERRIDES:
            yield (
                "hidden.direction",
                "high",
                "A sign that makes text read in another order than it is stored",
                *sign.span(),
            )
        elif sign[0] in characters.BIDI_OPENERS:
            yield (
                "hidden.direction",
                "low",
                "A sign that changes the direction of text which has only one",
                *sign.span(),
            )
