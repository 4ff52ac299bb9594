# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""Could this event teach anything? Answers in microseconds, and for most events: no.

A regular expression or two decide, so a text that passes may still say nothing; one that is set aside is never heard by a
detector. What is set aside is counted apart from what was listened to in vain.
"""

import re

from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.models import ChatEvent

SHORTEST, LONGEST = 6, 4_000  # characters; a longer one is a log or a document that was pasted, not a statement

_HUMAN = {AuthorKind.PERSON, AuthorKind.STAFF}
_CORRECTS = {EventKind.CORRECTION, EventKind.DRAFT_EDIT}
# What one asks for, thinks, tries or waits for is about the errand at hand.
_ERRAND_VERBS = (
    r"need|needed|want|wanted|would|wouldn['’]?t|will|won['’]?t|can|can['’]?t|cannot|could|couldn['’]?t|did|didn['’]?t|do|was|wasn['’]?t|were|think"
    r"|thought|guess|see|saw|know|knew|mean|meant|hope|understand|understood|understad|see|found|find|bought|purchased|ordered|received|paid|sent|send"
    r"|asked|ask|tried|try|said|say|told|tell|heard|hear|read|wonder|suppose|believe|agree|apologi[sz]e|appreciate|noticed|forgot|remember"
    r"|assume|should|shouldn['’]?t|might|may|must|hate|feel|felt|look|looked|wish|care|mind|doubt|expected|placed|requested|checked|clicked"
    r"|recall|called|contacted|confirm|accept|cancel|return|exchange|get|give|go back|had|made|(?:don['’]?t|do not) have|have (?:an? )?(?:problem|issue|question|trouble)|have to|haven['’]?t"
)
_ERRAND_STATES = (
    r"sorry|not|sure|afraid|trying|looking|having|getting|wondering|unable|asking|calling|contacting|writing|waiting|hoping|thinking|sick|tired"
    r"|happy|glad|okay|ok|fine|done|ready|curious|confused|worried|aware|seeing|talking|saying|doing|supposed|able|open|certain|willing|interested|facing|stuck"
)
_ERRAND_THINGS = (
    r"orders?|refunds?|returns?|money|packages?|parcels?|items?|tickets?|bookings?|reservations?|flights?|cart|payments?|card|credit card|gift card"
    r"|account|e-?mail|zip|password|question|problem|issue|mistake|bad|apologies|request|case|purchase|delivery|shipment|invoice|luggage|bag|last"
    r"|user id|id|address|phone number|date of birth|goodness|god"
)
_OF_SELF = re.compile(
    r"\b(?:i|i['’]?m|i['’]ve|me|my|we|our|remember|record|future|mind)\b", re.IGNORECASE
)  # far quicker, and most have none
_SPEAKS_OF_SELF = re.compile(
    rf"\bi (?!(?:(?:just|really|also|only|actually|still|already|definitely|totally|completely|don['’]?t|do not) )*(?:{_ERRAND_VERBS})\b)"
    rf"|\bi['’]?m (?!(?:(?:just|really|also|still|so|very|a bit|a little) )*(?:{_ERRAND_STATES})\b)"
    r"|\bi['’]ve (?:just |recently |always |really )*(?:been|got|moved|started|joined|lost|graduated|had an?|loved|enjoyed|worked|lived|played)\b"
    rf"|\b(?:my|our) (?!(?:[\w-]+ ){{0,2}}(?:{_ERRAND_THINGS})\b)"
    r"|\b(?:call|contact|reach|address) me\b|\bwe(?:['’]re|['’]ve)? (?:all |both |have |just |recently |mostly |mainly |also |only |always |never )*"
    r"(?:use|run|have|work|are|got|own|love|enjoy|prefer|go|keep|adopted|moved|been|on|lost|started)\b"
    r"|\bremember\b|\bfor (?:the record|future)\b|\bkeep in mind\b|\bfits me\b|\b(?:i|we) (?:don['’]t|do not) (?:eat|drink|work|use|have)\b",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|going forward|as a rule|in general|by default|in (?-i:[A-Z])[a-z]+|short\w*"
    r"|brief\w*|concise|compact|terse|(?<!no )long(?:er)?|detailed|thorough|formal|emojis?|emoticons|slang|jargon|exclamation|abbreviations)\b",
    re.IGNORECASE,
)
# Words with which a message puts something right, or says how things are done; only a model can tell what to make of it.
_PUTS_RIGHT = re.compile(
    r"\bno,|\b(?:actually|incorrect|not (?:quite )?(?:right|true|correct)|that['’]?s wrong|no longer|any ?more|instead of|rather than|should be"
    r"|is now|are now|has (?:changed|moved)|we (?:always|never|usually)|first\b.{3,80}\bthen|fyi|note that)\b",
    re.IGNORECASE,
)


def triage(event: ChatEvent, *, by_model: bool = False) -> bool:
    """Whether to listen closer. `by_model`: a model listens, which makes more of what puts something right.

    What an agent, a tool or a system said is never evidence, whatever it says: otherwise the agent would learn from itself.
    A colleague's reply and a note on a tool's run are people's own words, and pass where they set something right.
    """
    if event.author_kind not in _HUMAN:
        return False
    return worth_hearing(event.text, event.kind, by_model=by_model)


def worth_hearing(text: str, kind: str, *, by_model: bool = False) -> bool:
    if not SHORTEST <= len(text) <= LONGEST:
        return False
    if kind in _CORRECTS:
        return True
    if by_model and _PUTS_RIGHT.search(text):
        return True
    return kind == EventKind.MESSAGE and bool(
        (_OF_SELF.search(text) and _SPEAKS_OF_SELF.search(text)) or _STANDING.search(text)
    )
