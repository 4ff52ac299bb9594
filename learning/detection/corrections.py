# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""Statements about the world that put an agent right."""

import re
from collections.abc import Iterator

from learning.choices import MemoryKind, MemoryScope

from .clauses import Sentence
from .found import CONTENT_MOST, Found, sentence_case

_WRONG = re.compile(
    r"(?:(?:no|nope|wrong|incorrect|actually|correction|not quite|not exactly|sorry|careful|fyi|(?:no,? )?that['’]?s (?:not (?:right|true|correct)"
    r"|wrong|incorrect|outdated|no longer (?:true|right|correct|the case))|that is (?:wrong|not (?:right|true|correct)))\s*[,:.!–-]+\s*"
    r"|(?:no|actually)\s+)+(?:(?:actually|it is rather)[,:]?\s+)?",
    re.IGNORECASE,
)
_NOT_Y = re.compile(
    r",? (?:and )?(?:not|rather than|instead of) (?:[^,]|,\d){1,80}$|\bno longer\b|\bany ?more$", re.IGNORECASE
)
_STATES = re.compile(
    r"\b(?:is|are|isn['’]t|aren['’]t|has|have|uses?|needs?|goes|go|runs?|opens?|closes?|starts?|ends?|costs?|takes?|works?|lives?|belongs?|requires?"
    r"|means|supports?|handles?|owns?|reports?|moved|changed|switched|stays?|sits?|must|can|cannot|can['’]t|may|should|does(?:n['’]t| not)|do(?:n['’]t| not)"
    r"|ships?|sends?|lasts?|expires?|applies|apply|begins?|comes?|gets?|gives?|includes?|covers?|accepts?|allows?|contains?|leads?|manages?|answers?)\b"
    r"|\b(?:it|that|there|he|she|they|what)['’]s\b",
    re.IGNORECASE,
)
_ABOUT_ME = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|you|your|yours|you['’](?:re|ve|ll|d))\b", re.IGNORECASE)
_POINTS = re.compile(r"(?:it|this|that|these|those|they|there|he|she|here)\b(?:['’]s)?", re.IGNORECASE)


def corrections(sentence: Sentence, *, marked: bool) -> Iterator[Found]:
    """A statement about the world that puts the agent right: "No, the London office uses gateway 2".

    `marked`: whoever sent the event said that it is a correction; otherwise the words must.
    """
    if sentence.asks or not sentence.meant:
        return
    text = sentence.text
    lead = _WRONG.match(text)
    start = lead.end() if lead else 0
    words = text[start:]
    contrast = _NOT_Y.search(words) is not None
    if not (marked or (lead and contrast)):
        return
    points = _POINTS.match(words) is not None
    # "It's 4,000, not 40,000" leans on what was said before; it is worth a reviewer's look, no more.
    if points and not (contrast and lead):
        return
    if not 3 <= len(words.split()) <= 40 or len(words) > CONTENT_MOST:
        return
    if not _STATES.search(words) or _ABOUT_ME.search(words) or re.search(r"#\s?\w*\d{3,}", words):
        return
    if re.match(
        r"(?:thanks|thank|please|ok|okay|great|good|nice|sorry|never mind|wait|stop|cancel|what|which|how|why|who|when|where)\b",
        words,
        re.IGNORECASE,
    ):
        return
    span = (sentence.start + start, sentence.end)
    yield Found(
        *(MemoryScope.ROLE_AGENT, MemoryKind.FACT, None, sentence_case(words), span, 0.5 if points else 0.8),
        "A correction states it.",
    )
