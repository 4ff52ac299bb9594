"""One row of the tables of what people say of themselves."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from learning.choices import MemoryKind

from .vocabulary import ERRAND


@dataclass(frozen=True, slots=True)
class Pattern:
    regex: re.Pattern
    key: str | None  # None: free text, in the author's own words
    why: str
    confidence: float = 0.8
    lasting: bool = True  # refuse it when the clause speaks of now or of the errand at hand
    in_questions: bool = False
    sensitive: bool = False
    whole: bool = False  # the match must reach the end of its clause
    kind: str = MemoryKind.PROFILE
    errand: re.Pattern = ERRAND
    within: bool = False  # only what was matched must be free of the errand, not the rest of its clause
    past: bool = False  # it may speak of what was, as in "I was born in Lisbon"
    accept: Callable[[re.Match], bool] | None = None
    name_key: Callable[[re.Match], str] | None = None


def p(source: str, key: str | None, why: str, **options) -> Pattern:
    """`source` minds capitals; what does not is written inside a `frame`."""
    return Pattern(re.compile(source), key, why, **options)


def frame(words: str) -> str:
    return f"(?i:{words})"
