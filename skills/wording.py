"""Words as they are compared between a question and a skill: stems, languages, how much a shared word says.

PostgreSQL stems the words of memories, but the selection of skills is computed in the process and must be the same without a
database. A cutter of endings is enough here: both sides are cut alike, and what it joins wrongly is rare.
"""

import re
import unicodedata
from collections import Counter
from functools import cache
from math import log

from digitalworker.common.search import both_ends, pieces

from .everyday import ASKING, COMMON, QUESTIONS

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = re.compile("(?:ations?|ingly|ings?|ments?|ions?|edly|ed|ies|ers?|ors?|ables?|ally|al|es|(?<!s)s|e|y)$")
_STEM_LEAST = 4  # characters
_PASSED = frozenset().union(ASKING, *COMMON.values())
# An everyday question's word counts as two skills', and as many more skills are imagined as make an agent's three a language.
_IMAGINED, _EVERYDAY = 150, 2


def slug(name: str) -> str:
    """How a name is written after a slash: lower case, with hyphens."""
    return "-".join(_WORD.findall(unicodedata.normalize("NFKC", name).casefold()))


def terms(text: str, most: int = 100_000) -> list[str]:
    """The distinct stems of a text, in order, without the words everybody uses; pairs of characters of scripts without
    spaces."""
    text = both_ends(unicodedata.normalize("NFKC", text), most).casefold()
    words = (word for word in _WORD.findall(text) if word not in _PASSED and len(word) > 1)
    return list(dict.fromkeys([*map(stem, words), *pieces(text)]))


def stem(word: str) -> str:
    if len(word) == _STEM_LEAST:
        return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
    if ending := _ENDINGS.search(word, _STEM_LEAST):
        word = word[: ending.start()]
    return word[:-1] if len(word) > _STEM_LEAST and word[-1] == word[-2] else word


def weight(term: str, skills: int, of: int) -> float:
    """How much it says that a question and a skill share this term, which so many of `of` skills hold: its rarity there and
    in everyday questions (BM25's inverse document frequency)."""
    rows = skills + _EVERYDAY * _everyday()[term]
    return log(1 + (max(_IMAGINED + of - rows, 0) + 0.5) / (rows + 0.5))


def languages(text: str) -> frozenset[str]:
    """In which language a text may be by its commonest words, several where they tie, or its script where that is not Latin;
    empty where it can not be told."""
    text = text.casefold()
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    if scripts and (script := max(sorted(scripts), key=scripts.__getitem__)) != "LATIN":
        return frozenset({script})
    words = _WORD.findall(text)
    counts = {name: sum(word in common for word in words) for name, common in COMMON.items()}
    most = max(counts.values())
    return frozenset(name for name, count in counts.items() if count == most > 0)


@cache
def _everyday() -> Counter[str]:
    return Counter(term for question in QUESTIONS for term in terms(question))
