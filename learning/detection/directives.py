# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""Standing orders on how to behave, as distinct from requests: they say always, never or from now on, or how replies
should be."""

import re
from collections.abc import Iterator

from digitalworker.agents.choices import EventKind
from learning.choices import MemoryKind, MemoryScope

from .clauses import Sentence
from .found import CONTENT_MOST, Found, sentence_case
from .vocabulary import ERRAND, HOW, LANGUAGE, LENGTH, REPLIES, STYLE

_DO = (
    r"(?:answer|reply|respond|write|use|send|ask|address|include|mention|explain|give|show|speak|say|tell|start|begin|sign|keep|assume"
    r"|suggest|recommend|offer|share|cc|add|attach|format|translate|link|quote|cite|check|confirm|remind|contact|e-?mail|call|greet|round"
    r"|list|summari[sz]e|avoid|put|leave|talk|spell|refer|escalate|route|forward|quote|verify|notify|copy"
    r"|be (?:very |more |less )?(?:brief|polite|formal|informal|careful|clear|precise|honest|concise|direct|patient|specific))"
)
_LASTING = r"(?:from now on|in (?:the )?future|going forward|from here on|as a rule|in general|by default),?\s+"
_TABLE = [
    (
        re.compile(
            rf"(?:please,? )?(?:{_LASTING})?(?:please,? )?(?:always|only )?\s?(?:answer|reply|respond|write(?: to me| back)?|speak|talk)(?: to me| me)? (?:only )?in (?-i:{LANGUAGE})(?: only| from now on| please|,? always)?",
            re.IGNORECASE,
        ),
        "reply_language",
        "sets the language of replies",
        0.8,
    ),
    (
        re.compile(
            rf"i{HOW} (?:like|prefer|want|need|appreciate|love) (?:(?:my|your|the) )?{LENGTH} {REPLIES}(?: (?:over|to|than) .{{2,40}})?",
            re.IGNORECASE,
        ),
        "reply_length",
        "says how long replies should be",
        0.8,
    ),
    (
        re.compile(
            rf"(?:please,? )?(?:{_LASTING})?(?:always )?(?:keep|make) (?:(?:your|the|all) )?(?:{REPLIES}|it|things) (?:as )?{LENGTH}(?: .{{2,40}})?",
            re.IGNORECASE,
        ),
        "reply_length",
        "says how long replies should be",
        0.7,
    ),
    (
        re.compile(
            rf"i{HOW} (?:like|prefer|want) (?:(?:your|the) )?{STYLE} {REPLIES}|(?:please,? )?(?:always )?(?:address me (?:formally|informally|by (?:my )?(?:first|last) name)|be (?:more |less )?(?:formal|informal) with me)",
            re.IGNORECASE,
        ),
        "reply_style",
        "says how to be spoken to",
        0.8,
    ),
    (
        re.compile(
            r"(?:please,? )?(?:don['’]t|do not|never|stop) (?:ever )?us(?:e|ing) (?:any )?(?:emojis?|emoticons|slang|jargon|exclamation marks|abbreviations)(?: .{2,40})?",
            re.IGNORECASE,
        ),
        "reply_style",
        "says how to be spoken to",
        0.8,
    ),
    (
        re.compile(
            rf"(?:please,? )?(?:you (?:should|must|need to) )?(?:always|never|don['’]t ever|do not ever) {_DO}\b(?! (?:up|never|die|no to)\b).{{2,200}}",
            re.IGNORECASE,
        ),
        None,
        "sets a standing rule",
        0.7,
    ),
    (
        re.compile(
            rf"(?:please,? )?{_LASTING}(?:please,? )?(?:(?:always|never|only|don['’]t|do not) )?{_DO}\b.{{2,200}}",
            re.IGNORECASE,
        ),
        None,
        "sets a standing rule",
        0.7,
    ),
]


def directives(sentence: Sentence, scope: str, kind: str) -> Iterator[Found]:
    """A standing order, not a request: it says always, never or from now on, or how replies should be."""
    if sentence.asks or not sentence.meant:
        return
    clause = sentence.clauses[0]
    # A directive may hold commas, so it runs to the end of its sentence.
    voice = sentence.text if scope == MemoryScope.ROLE_AGENT else sentence.own  # an agent's rule may quote a phrase
    start, words = clause.start, voice[clause.start - sentence.start :]
    for regex, key, why, confidence in _TABLE:
        found = regex.match(words)
        if not found or found.end() < len(words.rstrip(" .,!")) or "\x7f" in found[0] or len(found[0]) > CONTENT_MOST:
            continue
        # An agent's rule may name orders and refunds, that is its work; a person's may not name the errand at hand.
        if scope == MemoryScope.PERSON and (_about_errand(found[0]) or clause.passing):
            continue
        if kind == EventKind.DRAFT_EDIT and not re.search(
            r"\b(?:always|never|from now on|in future|going forward)\b", found[0], re.IGNORECASE
        ):
            continue
        yield Found(
            *(scope, MemoryKind.RULE, key, sentence_case(found[0]), (start, start + found.end()), confidence),
            f"The author {why}.",
        )
        return


def _about_errand(words: str) -> bool:
    return any(not re.fullmatch(r"your?|it|all of", hit[0], re.IGNORECASE) for hit in ERRAND.finditer(words))
