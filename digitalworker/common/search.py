"""What full-text search can not see by itself, shared by the search over memories and the search over conversations.

PostgreSQL's parser takes a run of Chinese, Japanese, Korean or Thai for one word, drops emoji, and splits codes by
rules that depend on their neighbours. Such parts of a question are looked for as pieces of text instead.
"""

import re
import unicodedata

PIECES_MOST = 32

# Scripts written without spaces between words, and Hangul, whose words carry endings.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
# A letter and a digit in one token, or digits with something between them: ERR-42, case_1, 44-1882, INC0012978901, v1.2.
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d]|\S*\d[-_./:#]\d)[^\W_](?:[\w./:#-]*[^\W_])?")


def both_ends(text: str, most: int) -> str:
    """At most `most` characters: people put their question before or after what they paste, so the middle is left out."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]} {text[-(most - head - 1) :]}"


def pieces(text: str) -> list[str]:
    """Lower-case pieces to look for inside texts, distinct, in order, at most 32: pairs of characters of scripts
    without spaces (a lone character as it is), and symbols such as emoji."""
    found: dict[str, None] = {}
    for run in _UNSPACED.findall(text):
        for start in range(max(1, len(run) - 1)):
            found[run[start : start + 2].lower()] = None
    for character in text:
        if unicodedata.category(character) == "So":
            found[character] = None
    return list(found)[:PIECES_MOST]


def all_pieces(text: str) -> set[str]:
    """Every piece by which `pieces` of some question could find this lower-case text."""
    found = {character for character in text if unicodedata.category(character) == "So"}
    for run in _UNSPACED.findall(text):
        found.update(run)
        found.update(run[start : start + 2] for start in range(len(run) - 1))
    return found


def codes(text: str) -> list[str]:
    """Tokens that name one thing exactly, lower-case and distinct, at most 32: error codes, ticket and part numbers."""
    return list(dict.fromkeys(match.lower() for match in _CODE.findall(text)))[:PIECES_MOST]
