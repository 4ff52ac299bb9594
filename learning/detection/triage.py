"""Could this event teach anything? Answers in microseconds, and for most events: no."""

import re

from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.models import ChatEvent

SHORTEST, LONGEST = 6, 4_000  # characters; a longer one is a log or a document that was pasted, not a statement

_HUMAN = {AuthorKind.PERSON, AuthorKind.STAFF}
_CORRECTS = {EventKind.CORRECTION, EventKind.DRAFT_EDIT}
_FIRST_PERSON = re.compile(r"\b(?:i|im|i['’]\w+|my|me|we|our)\b", re.IGNORECASE)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|going forward|as a rule|in general|by default|in [A-Z][a-z]+|short\w*"
    r"|brief\w*|concise|compact|terse|long\w*|detailed|thorough|formal|emojis?|emoticons|slang|jargon|exclamation|abbreviations)\b",
    re.IGNORECASE,
)


def triage(event: ChatEvent) -> bool:
    """Whether to listen closer.

    What an agent or a system said is never evidence, whatever it says: otherwise the agent would learn from itself.
    """
    if event.author_kind not in _HUMAN or event.kind not in {EventKind.MESSAGE, *_CORRECTS}:
        return False
    return worth_hearing(event.text, event.kind)


def worth_hearing(text: str, kind: str) -> bool:
    if not SHORTEST <= len(text) <= LONGEST:
        return False
    return kind in _CORRECTS or bool(_FIRST_PERSON.search(text) or _STANDING.search(text))
