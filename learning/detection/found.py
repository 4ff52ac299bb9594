"""One thing a text says, and the words in which it is kept."""

import re
from dataclasses import dataclass

from learning.choices import Risk

CONTENT_MOST = 240  # a fact is one short sentence


@dataclass(frozen=True, slots=True)
class Found:
    """One thing a text says. `span` is the place of its evidence in the text, as (start, end) in characters.

    `content` of a profile attribute is its value alone; of a fact or rule it is the author's own words.
    """

    scope: str
    kind: str
    key: str | None
    content: str
    span: tuple[int, int]
    confidence: float
    rationale: str
    sensitive: bool = False
    risk: str = Risk.LOW  # as the detector sees it; local rules may raise it
    skill: bool = False  # the words tell how something is done, and may be worth a procedure; nothing else holds then


def sentence_case(words: str) -> str:
    words = " ".join(words.replace("\x7f", " ").split()).strip(" ,:;-")
    words = re.sub(r"(?:[\s.!]|[:;]-?[)(DP]|[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F])+$", "", words)
    # "e-mail" keeps its small letter only inside; "iPhone" keeps it always.
    if words[:1].islower() and not words[1:2].isupper():
        words = words[0].upper() + words[1:]
    return words
