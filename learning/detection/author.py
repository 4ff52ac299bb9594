"""Reads the table of `patterns` over a sentence: what its author says of themselves."""

import re
from collections.abc import Iterator

from learning.choices import MemoryKind, MemoryScope

from .clauses import PASSING, Clause, Sentence
from .found import CONTENT_MOST, Found, sentence_case
from .life import LIFE
from .pattern import Pattern
from .patterns import PATTERNS
from .vocabulary import ERRAND


def about_author(sentence: Sentence) -> Iterator[Found]:
    for clause in sentence.clauses:
        one = _first(clause) or _asked_to_remember(sentence, clause)
        if one:
            yield one


def _first(clause: Clause) -> Found | None:
    for pattern in (*PATTERNS, *LIFE):
        if not (clause.states or (clause.meant and (pattern.in_questions or (pattern.past and not clause.asks)))):
            continue
        found = pattern.regex.match(clause.own)
        if not found or (pattern.whole and found.end() < len(clause.own.rstrip(" .,!"))):
            continue
        if not _fits(pattern, clause, found):
            continue
        return _found(clause, found, pattern)
    return None


def _fits(pattern: Pattern, clause: Clause, found: re.Match) -> bool:
    words = found[0] if pattern.within else clause.own
    if pattern.lasting and PASSING.search(words):
        return False
    if (pattern.lasting or pattern.within) and pattern.kind == MemoryKind.FACT and pattern.errand.search(words):
        return False
    return pattern.accept is None or pattern.accept(found)


def _found(clause: Clause, found: re.Match, pattern: Pattern) -> Found | None:
    span = (clause.start + found.start(), clause.start + found.end())
    if pattern.kind == MemoryKind.FACT:
        content = sentence_case(found[0])
        key = None
    else:
        content = found["v"].strip(" ,.")
        key = pattern.name_key(found) if pattern.name_key else pattern.key
        if key and key.endswith("size"):
            content = content.upper() if content.isalpha() and len(content) <= 4 else content
        elif key == "contact_preference":
            content = content.removeprefix("the ")
    if len(content) > CONTENT_MOST:
        return None
    return Found(
        MemoryScope.PERSON,
        pattern.kind,
        key,
        content,
        span,
        pattern.confidence,
        f"The author {pattern.why}.",
        pattern.sensitive,
    )


_REMEMBER = re.compile(
    r"(?:please )?(?:remember|note|keep in mind|don['’]t forget|for future reference|for the record)(?:,? that|,)? ",
    re.IGNORECASE,
)


def _asked_to_remember(sentence: Sentence, clause: Clause) -> Found | None:
    """ "Please remember that I ..." is kept in the author's own words even where no pattern knows them."""
    asked = _REMEMBER.match(sentence.text)
    if not asked or clause is not sentence.clauses[0] or not clause.states or clause.passing:
        return None
    if not re.match(r"(?:i|i['’]m|i['’]ve|my|we|our)\b", clause.own, re.IGNORECASE) or ERRAND.search(clause.own):
        return None
    if "\x7f" in clause.own or not 3 <= len(clause.own.split()) <= 30 or len(clause.own) > CONTENT_MOST:
        return None
    return Found(
        *(MemoryScope.PERSON, MemoryKind.FACT, None, sentence_case(clause.own), (clause.start, clause.end), 0.8),
        "The author asked for it to be remembered.",
    )
