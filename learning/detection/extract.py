# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""What a text plainly says about its author, about how to be answered, or about what the agent got wrong.

A pattern must match a clause from its beginning (after "hi", "by the way" and the like), in the first person, in the
speaker's own voice. So "she says I'm based in Lisbon", "if I lived in Lisbon" and "are you based in Lisbon?" give nothing.
English only; other languages give nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from digitalworker.agents.choices import EventKind
from learning.choices import MemoryKind, MemoryScope

from .clauses import Clause, Sentence, sentences

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


def extract(text: str, kind: str = EventKind.MESSAGE) -> list[Found]:
    """At most a few things, each with its own key or words. Two values for one key cancel each other out."""
    found: list[Found] = []
    corrects = kind in {EventKind.CORRECTION, EventKind.DRAFT_EDIT}
    # A draft is addressed to somebody else: its "I" is the agent, so only an explicit correction counts.
    about_author = kind != EventKind.DRAFT_EDIT
    for sentence in sentences(text):
        hits = list(_about_author(sentence)) if about_author else []
        hits = hits or list(_directives(sentence, MemoryScope.ROLE_AGENT if corrects else MemoryScope.PERSON, kind))
        if corrects and not hits:
            hits = list(_corrections(sentence, marked=kind == EventKind.CORRECTION))
        found += hits
    return _agreeing(found)


def _agreeing(found: list[Found]) -> list[Found]:
    values: dict[tuple, set[str]] = {}
    for one in found:
        if one.key:
            values.setdefault((one.scope, one.key), set()).add(one.content.casefold())
    kept: dict[tuple, Found] = {}
    for one in found:
        if one.key and len(values[one.scope, one.key]) > 1:
            continue
        kept.setdefault((one.scope, one.key, one.content.casefold()), one)
    return list(kept.values())


# --- vocabulary -----------------------------------------------------------------------------------------------------

_I_AM = r"(?:i['’]?m|i am|im)"
_HOW = r"(?:\s+(?:really|just|actually|usually|generally|normally|always|still|now|mostly|personally|also|very|quite|severely|highly|mildly|deathly|strictly|currently))?"
_NAME_WORD = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]*"
_PLACE = rf"(?P<v>(?:the )?{_NAME_WORD}\.?(?:[ ]{_NAME_WORD}|[ ](?:de|da|do|la|le|am|an der|upon|of)[ ]{_NAME_WORD}|,[ ]{_NAME_WORD}){{0,3}})"
_SIZE = (
    r"(?P<v>(?:(?:eu|us|uk|it|fr)\s?)?(?:\d{1,3}(?:[.,]5|\s?1/2|½)?(?:\s?(?:x|/)\s?\d{2,3})?|[x]{0,4}[sl]|m|(?:extra[- ])?(?:small|large)|medium)"
    r"(?:\s?(?:eu|us|uk|regular|petite|wide|narrow|tall))?)(?![\w%$€£-]|[.,]\d)"
)
_GARMENTS = {
    **dict.fromkeys(("shoe", "boot", "sneaker", "trainer", "sandal", "heel"), "shoe"),
    **dict.fromkeys(("trouser", "pant", "jean", "slack"), "trouser"),
    **dict.fromkeys(("shirt", "t-shirt", "top", "blouse"), "shirt"),
    **{
        name: name
        for name in ("ring", "hat", "glove", "dress", "jacket", "coat", "bra", "waist", "collar", "suit", "skirt")
    },
}
_GARMENT = "|".join(sorted(_GARMENTS, key=len, reverse=True))
_IN_GARMENT = rf"(?: (?:in|for) (?:(?:most|my|all|of my) )*(?P<garment>{_GARMENT})(?:es|s)?\b)"
_CHANNEL = r"(?P<v>e-?mails?|(?:the )?phone|phone calls?|calls?|texts?|text messages?|sms|chat|whatsapp|slack|teams|letters?|post|signal|telegram)"
_OTHER_CHANNEL = (
    rf"(?:\s+(?:over|to|rather than|instead of|than|and not|not)\s+(?:by )?{_CHANNEL.replace('?P<v>', '?:')})"
)
_LANGUAGE = (
    r"(?P<v>English|German|French|Spanish|Portuguese|Italian|Dutch|Polish|Czech|Slovak|Danish|Swedish|Norwegian|Finnish|Greek"
    r"|Turkish|Russian|Ukrainian|Romanian|Hungarian|Bulgarian|Croatian|Serbian|Arabic|Hebrew|Hindi|Urdu|Bengali|Tamil|Chinese"
    r"|Mandarin|Cantonese|Japanese|Korean|Vietnamese|Thai|Indonesian|Malay|Swahili|Catalan|Welsh|Irish)"
)
_JOB = (
    r"(?:[\w-]+ ){0,3}(?:accountant|administrator|analyst|architect|artist|assistant|attorney|auditor|baker|barista|bookkeeper|buyer"
    r"|carpenter|chef|clerk|coach|consultant|controller|cook|coordinator|counsell?or|dentist|designer|developer|director|doctor|driver"
    r"|economist|editor|electrician|engineer|freelancer|founder|gardener|geologist|intern|journalist|lawyer|lecturer|librarian"
    r"|machinist|manager|mechanic|midwife|musician|nurse|officer|paralegal|paramedic|pharmacist|photographer|physician|physicist"
    r"|pilot|planner|plumber|principal|producer|professor|programmer|psychologist|receptionist|recruiter|representative|researcher"
    r"|scientist|secretary|specialist|strategist|supervisor|surgeon|sysadmin|teacher|technician|therapist|trainer|translator"
    r"|tutor|underwriter|vet|veterinarian|waiter|waitress|welder|writer|lead|cto|ceo|cfo|coo|vp [\w ]{2,20}|head of [\w ]{2,20})"
)
_TEAM = r"(?P<v>[\w&/-]{2,20}(?: [\w&/-]{2,20}){0,2}?)"
_DEPARTMENT = (
    r"(?i:(?P<v>(?:IT|HR|R&D|human resources|accounting|accounts|finance|sales(?: ops)?|marketing|legal|engineering|(?:customer )?support|operations"
    r"|procurement|purchasing|logistics|payroll|product|design|research|security|compliance|facilities|communications|data|quality)))"
)
_REST = r"(?P<rest>[^\x7f]{2,160})"
_REPLIES = r"(?:replies|answers?|responses?|messages|e-?mails|explanations?|summaries|reply|response)"
_LENGTH = r"(?:very |really |more )?(?:short(?:er)?|brief(?:er)?|concise|compact|terse|long(?:er)?|detailed|thorough)"
_STYLE = r"(?:very |more |less )?(?:formal|informal|simple|plain|technical|friendly|direct|polite)"
_ITEM = r"(?!(?:and|or|but|so)\b)[a-z][a-z-]+"
_ALLERGEN = rf"(?P<v>{_ITEM}(?: {_ITEM})?(?:(?:, | and | or |, and ){_ITEM}){{0,4}})"
_EATING = r"(?P<v>vegetarian|vegan|pescatarian|flexitarian|gluten[- ]free|lactose[- ]intolerant|c(?:o)?eliac|diabetic|halal|kosher|keto|dairy[- ]free)"

# Words that tie a sentence to the errand at hand.
_ERRAND = re.compile(
    r"\b(?:this|that|these|those|it|its|one|ones|here|there|same|order(?:s|ed)?|reservations?|bookings?|flights?|refund\w*|return\w*"
    r"|exchang\w*|tickets?|payments?|paid|items?|deliver\w*|shipments?|packages?|carts?|tracking|invoices?|gift card|credit card"
    r"|cancel\w*|upgrade|option|available|instead|original|both|either|all of|you(?:r|['’]re)?)\b|#\s?\w*\d",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:this|that|these|those|it|one|ones|same|you(?:r|['’]re)?)\b", re.IGNORECASE)
_NOT_A_NAME = re.compile(
    r"(?:back|when|if|at|on|in|and|or|a|an|the|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b|(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|crazy|maybe|asap|please|now|later|not)\b",
    re.IGNORECASE,
)


# --- statements about the author ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pattern:
    regex: re.Pattern
    key: str | None  # None: free text, in the author's own words
    why: str
    confidence: float = 0.8
    lasting: bool = True  # refuse it when the clause speaks of now or of the errand at hand
    in_questions: bool = False
    sensitive: bool = False
    whole: bool = False  # the match must reach the end of its clause
    kind: str = MemoryKind.PROFILE
    errand: re.Pattern = _ERRAND
    accept: Callable[[re.Match], bool] | None = None
    name_key: Callable[[re.Match], str] | None = None


def _p(source: str, key: str | None, why: str, **options) -> _Pattern:
    # A value that must begin with a capital is written outside of the case-insensitive frame.
    return _Pattern(re.compile(source), key, why, **options)


def _frame(frame: str) -> str:
    return f"(?i:{frame})"


def _is_name(found: re.Match) -> bool:
    return not _NOT_A_NAME.match(found["v"])


def _is_allergen(found: re.Match) -> bool:
    return not _ERRAND.search(found["v"]) and not re.search(
        r"(?:day|morning)s?\b|\b(?:people|work|bad|stupid|bugs|code)\b", found["v"], re.IGNORECASE
    )


def _is_job(found: re.Match) -> bool:
    """Claims of power over the system are not job titles: they would only lend weight to what is asked next."""
    return re.search(r"\b(?:admin|your|root|super|system owner)\b", found["v"], re.IGNORECASE) is None


def _size_key(found: re.Match) -> str:
    garment = (found["garment"] or "").lower()
    return f"{_GARMENTS[garment]}_size" if garment else "size"


def _ends_there(found: re.Match) -> bool:
    """The size is the end of what is said: not "my size 9 order", "I take 2 sugars" or "size 4 for my son"."""
    rest = found.string[found.end() :]
    return (
        re.match(
            r"\s*(?:$|[,.!?;:)(/]|(?:and|but|so|usually|normally|in general|most of the time|please)\b)",
            rest,
            re.IGNORECASE,
        )
        is not None
    )


def _is_lasting_liking(found: re.Match) -> bool:
    rest = found["rest"]
    return (
        not re.match(r"(?:to|not|a bit|a little|my|if|when|you|them|him|and|or|with)\b", rest, re.IGNORECASE)
        and len(rest.split()) <= 12
    )


_SAYS_SIZE = {"lasting": False, "in_questions": True, "name_key": _size_key}
_WEARS_SIZE = {"lasting": False, "name_key": _size_key, "accept": _ends_there}
_FACT = {"kind": MemoryKind.FACT, "whole": True}
_AT_WORK = {
    "kind": MemoryKind.FACT,
    "whole": True,
    "errand": _POINTING,
}  # tickets and orders are what a team works with

_PATTERNS = [
    # Sizes. "My size" is the author's even inside a question; "size 38" alone may be anybody's.
    _p(
        _frame(rf".{{0,160}}?\bmy (?:(?P<garment>{_GARMENT}) )?size(?:\s+is|\s*[,:=(-])\s*(?:a |an )?{_SIZE}"),
        "size",
        "names their own size",
        confidence=0.9,
        **_SAYS_SIZE,
    ),
    _p(
        _frame(rf".{{0,160}}?\bmy (?:(?P<garment>{_GARMENT}) )?size {_SIZE}"),
        "size",
        "names their own size",
        accept=_ends_there,
        **_SAYS_SIZE,
    ),
    _p(
        _frame(
            rf"(?:an? |the )?size {_SIZE} (?:usually |always |normally )?(?:fits me|is my size|is what i wear){_IN_GARMENT}?"
        ),
        "size",
        "names their own size",
        confidence=0.9,
        **_SAYS_SIZE | {"in_questions": False},
    ),
    _p(
        _frame(rf"i{_HOW} wear (?:an? )?(?:size )?{_SIZE}{_IN_GARMENT}?"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    _p(
        _frame(rf"i{_HOW} take (?:an? )?size {_SIZE}{_IN_GARMENT}?"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    _p(
        _frame(rf"i{_HOW} take (?:an? )?{_SIZE}{_IN_GARMENT}"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    _p(
        _frame(rf"{_I_AM}{_HOW} (?:an? )?size {_SIZE}{_IN_GARMENT}?"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    # Who they are.
    _p(
        _frame(r"(?:you can |just |everyone |everybody |people |friends )?(?:please )?(?:calls? me|i go by) ")
        + rf"(?P<v>{_NAME_WORD}(?: {_NAME_WORD})?)",
        "name",
        "says what to call them",
        confidence=0.9,
        whole=True,
        accept=_is_name,
    ),
    _p(
        _frame(r"my (?:first |full |preferred )?name(?:['’]s| is) ") + rf"(?P<v>{_NAME_WORD}(?: {_NAME_WORD}){{0,2}})",
        "name",
        "gives their name",
        accept=_is_name,
    ),
    _p(
        _frame(r"my (?:preferred )?pronouns are (?P<v>\w{2,5}(?:/\w{2,5}){1,2})"),
        "pronouns",
        "gives their pronouns",
        confidence=0.9,
    ),
    _p(
        _frame(
            rf"(?:{_I_AM}{_HOW} (?:based|located|living) in|i{_HOW} live in|i{_HOW} work from|i(?:['’]ve| have)? (?:just |recently )?moved to|(?:my|our) (?:home|office) is in) "
        )
        + _PLACE,
        "location",
        "says where they live or work",
    ),
    _p(
        _frame(
            r"(?:my time ?zone is|i(?:['’]m| am) in the) (?P<v>[A-Za-z]{2,5}(?:[+-]\d{1,2})?|[A-Z][a-z]+/[A-Z][a-z_]+|(?:Central European|Eastern|Pacific|Mountain|Central))(?: time)?(?: ?zone)?"
        ),
        "time_zone",
        "names their time zone",
        whole=True,
        accept=lambda m: "zone" in m[0].lower(),
    ),
    _p(
        _frame(r"(?:i(?:['’]m| am)|i work) (?:on|in|with|for) (?:the|our) ")
        + _frame(rf"{_TEAM} (?:team|department|division|squad|group)"),
        "team",
        "names their team",
    ),
    _p(
        _frame(r"(?:my (?:team|department) is (?:called )?|i work in )") + _DEPARTMENT,
        "team",
        "names their team",
        whole=True,
    ),
    _p(
        _frame(rf"{_I_AM}{_HOW} (?:an? (?P<v>{_JOB})(?= at | for | in | from | with |$))"),
        "role",
        "says what their job is",
        accept=_is_job,
    ),
    _p(
        _frame(r"i work as (?:an? )?(?P<v>[a-z][\w -]{2,40}?)(?= at | for | in | from |$)"),
        "role",
        "says what their job is",
        accept=_is_job,
    ),
    _p(
        _frame(rf"my (?:job|job title|title|role|occupation) is (?:an? )?(?P<v>{_JOB})(?= at | for | in | from |$)"),
        "role",
        "says what their job is",
        accept=_is_job,
    ),
    # Languages, contact, food.
    _p(
        _frame(r"(?:my (?:native|first|preferred|main) language is|i only speak|i mostly speak) ") + _LANGUAGE,
        "language",
        "names their language",
    ),
    _p(
        _frame(
            rf"i{_HOW} prefer (?:to be (?:contacted|reached) )?(?:by |via |using |through )?{_CHANNEL}{_OTHER_CHANNEL}?(?: for .{{2,60}})?"
        ),
        "contact_preference",
        "says how to reach them",
        whole=True,
        lasting=False,
    ),
    _p(
        _frame(
            rf"(?:please )?(?:always )?(?:contact|reach) me (?:only )?(?:by|via|on|through) {_CHANNEL}(?: only)?{_OTHER_CHANNEL}?"
        ),
        "contact_preference",
        "says how to reach them",
        whole=True,
    ),
    _p(
        _frame(rf"(?:the )?best way to (?:reach|contact) me is (?:by |via |on |through )?{_CHANNEL}"),
        "contact_preference",
        "says how to reach them",
    ),
    _p(
        _frame(rf"{_I_AM}{_HOW} allergic to {_ALLERGEN}"),
        "allergy",
        "names an allergy",
        confidence=0.9,
        sensitive=True,
        accept=_is_allergen,
    ),
    _p(
        _frame(r"i have an?(?: severe| bad| mild| serious)? (?P<v>[a-z]+(?: [a-z]+)?) allergy"),
        "allergy",
        "names an allergy",
        confidence=0.9,
        sensitive=True,
    ),
    _p(
        _frame(rf"i have an?(?: severe| bad| mild| serious)? allergy to {_ALLERGEN}"),
        "allergy",
        "names an allergy",
        confidence=0.9,
        sensitive=True,
    ),
    _p(
        _frame(rf"(?:{_I_AM}{_HOW} (?:an? )?|i{_HOW} (?:eat|follow an?|keep) (?:only )?){_EATING}(?: diet| food)?"),
        "diet",
        "says what they eat",
        confidence=0.9,
    ),
    _p(
        _frame(
            r"i (?:don['’]t|do not|never|can['’]t|cannot) (?P<v>(?:eat|drink) [a-z]+(?:(?:, | or | and )[a-z]+){0,3})"
        ),
        None,
        "says what they do not eat",
        whole=True,
        kind=MemoryKind.FACT,
        accept=lambda m: (
            not re.search(
                r"\b(?:now|here|there|yet|well|much|anything|lunch|dinner|breakfast|enough)\b", m["v"], re.IGNORECASE
            )
        ),
    ),
    # Lasting preferences and circumstances, in their own words.
    _p(
        _frame(rf"i{_HOW} prefer {_REST}"),
        None,
        "states a preference",
        confidence=0.7,
        accept=_is_lasting_liking,
        **_FACT,
    ),
    _p(_frame(rf"my (?:favou?rite|preferred) [\w ]{{3,30}} (?:is|are) {_REST}"), None, "states a preference", **_FACT),
    _p(
        _frame(
            rf"i (?:always|never|usually|only) (?:use|work|fly|travel|wear|buy|drink|eat|book|sit|pay|read) {_REST}"
        ),
        None,
        "states a habit",
        confidence=0.7,
        accept=_is_lasting_liking,
        **_FACT,
    ),
    _p(
        _frame(
            rf"(?:my|our) (?:team|department|company|office|group|squad|organi[sz]ation|lab|shop|school|clinic|firm) (?:also )?(?:uses|runs(?: on)?|works (?:with|on|from|in)|meets|has switched to|switched to|moved to|relies on|is (?:based|located) in|prefers|follows) {_REST}"
        ),
        None,
        "tells how their team works",
        **_AT_WORK,
    ),
    _p(
        _frame(r"(?:we|i)(?: all| mostly| mainly| only)? use ")
        + r"(?P<rest>(?:[A-Z][\w.+#-]*|IntelliJ|iOS|macOS|iPhones?)(?: [^\x7f]{1,80})?)",
        None,
        "tells what they use",
        confidence=0.7,
        **_AT_WORK,
    ),
    _p(
        _frame(
            r"i (?:work|am available|['’]m available)(?: only)? (?:(?:on|from) )?(?P<rest>(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b.{0,60}|part[- ]time.{0,40}|(?:from )?\d{1,2}(?::\d\d)?(?: ?[ap]m)? (?:to|until|-) \d{1,2}.{0,30})"
        ),
        None,
        "tells when they work",
        **_FACT,
    ),
    _p(
        _frame(
            r"i have (?P<rest>(?:an?|one|two|three|four|five|\d) (?:young |small |little |grown |teenage )?(?:kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|horses?))"
        ),
        None,
        "tells of their household",
        confidence=0.7,
        **_FACT,
    ),
]


def _about_author(sentence: Sentence) -> Iterator[Found]:
    for clause in sentence.clauses:
        one = _first(clause) or _asked_to_remember(sentence, clause)
        if one:
            yield one


def _first(clause: Clause) -> Found | None:
    for pattern in _PATTERNS:
        if not (clause.states or (pattern.in_questions and clause.meant)):
            continue
        found = pattern.regex.match(clause.own)
        if not found or (pattern.whole and found.end() < len(clause.own.rstrip(" .,!"))):
            continue
        if pattern.lasting and (
            clause.passing or (pattern.kind == MemoryKind.FACT and pattern.errand.search(clause.own))
        ):
            continue
        if pattern.accept and not pattern.accept(found):
            continue
        return _found(clause, found, pattern)
    return None


def _found(clause: Clause, found: re.Match, pattern: _Pattern) -> Found | None:
    span = (clause.start + found.start(), clause.start + found.end())
    if pattern.kind == MemoryKind.FACT:
        content = _sentence_case(found[0])
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
    if not re.match(r"(?:i|i['’]m|i['’]ve|my|we|our)\b", clause.own, re.IGNORECASE) or _ERRAND.search(clause.own):
        return None
    if "\x7f" in clause.own or not 3 <= len(clause.own.split()) <= 30 or len(clause.own) > CONTENT_MOST:
        return None
    return Found(
        *(MemoryScope.PERSON, MemoryKind.FACT, None, _sentence_case(clause.own), (clause.start, clause.end), 0.8),
        "The author asked for it to be remembered.",
    )


# --- directives on how to behave ------------------------------------------------------------------------------------

_DO = (
    r"(?:answer|reply|respond|write|use|send|ask|address|include|mention|explain|give|show|speak|say|tell|start|begin|sign|keep|assume"
    r"|suggest|recommend|offer|share|cc|add|attach|format|translate|link|quote|cite|check|confirm|remind|contact|e-?mail|call|greet|round"
    r"|list|summari[sz]e|avoid|put|leave|talk|spell|refer|escalate|route|forward|quote|verify|notify|copy"
    r"|be (?:very |more |less )?(?:brief|polite|formal|informal|careful|clear|precise|honest|concise|direct|patient|specific))"
)
_LASTING = r"(?:from now on|in (?:the )?future|going forward|from here on|as a rule|in general|by default),?\s+"
_DIRECTIVES = [
    (
        re.compile(
            rf"(?:please,? )?(?:{_LASTING})?(?:please,? )?(?:always|only )?\s?(?:answer|reply|respond|write(?: to me| back)?|speak|talk)(?: to me| me)? (?:only )?in (?-i:{_LANGUAGE})(?: only| from now on| please|,? always)?",
            re.IGNORECASE,
        ),
        "reply_language",
        "sets the language of replies",
        0.8,
    ),
    (
        re.compile(
            rf"i{_HOW} (?:like|prefer|want|need|appreciate|love) (?:(?:my|your|the) )?{_LENGTH} {_REPLIES}(?: (?:over|to|than) .{{2,40}})?",
            re.IGNORECASE,
        ),
        "reply_length",
        "says how long replies should be",
        0.8,
    ),
    (
        re.compile(
            rf"(?:please,? )?(?:{_LASTING})?(?:always )?(?:keep|make) (?:(?:your|the|all) )?(?:{_REPLIES}|it|things) (?:as )?{_LENGTH}(?: .{{2,40}})?",
            re.IGNORECASE,
        ),
        "reply_length",
        "says how long replies should be",
        0.7,
    ),
    (
        re.compile(
            rf"i{_HOW} (?:like|prefer|want) (?:(?:your|the) )?{_STYLE} {_REPLIES}|(?:please,? )?(?:always )?(?:address me (?:formally|informally|by (?:my )?(?:first|last) name)|be (?:more |less )?(?:formal|informal) with me)",
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


def _directives(sentence: Sentence, scope: str, kind: str) -> Iterator[Found]:
    """A standing order, not a request: it says always, never or from now on, or how replies should be."""
    if sentence.asks or not sentence.meant:
        return
    clause = sentence.clauses[0]
    # A directive may hold commas, so it runs to the end of its sentence.
    voice = sentence.text if scope == MemoryScope.ROLE_AGENT else sentence.own  # an agent's rule may quote a phrase
    start, words = clause.start, voice[clause.start - sentence.start :]
    for regex, key, why, confidence in _DIRECTIVES:
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
            *(scope, MemoryKind.RULE, key, _sentence_case(found[0]), (start, start + found.end()), confidence),
            f"The author {why}.",
        )
        return


def _about_errand(words: str) -> bool:
    return any(not re.fullmatch(r"your?|it|all of", hit[0], re.IGNORECASE) for hit in _ERRAND.finditer(words))


# --- corrections ----------------------------------------------------------------------------------------------------

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


def _corrections(sentence: Sentence, *, marked: bool) -> Iterator[Found]:
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
        *(MemoryScope.ROLE_AGENT, MemoryKind.FACT, None, _sentence_case(words), span, 0.5 if points else 0.8),
        "A correction states it.",
    )


def _sentence_case(words: str) -> str:
    words = " ".join(words.replace("\x7f", " ").split()).strip(" ,:;-")
    words = re.sub(r"(?:[\s.!]|[:;]-?[)(DP]|[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F])+$", "", words)
    # "e-mail" keeps its small letter only inside; "iPhone" keeps it always.
    if words[:1].islower() and not words[1:2].isupper():
        words = words[0].upper() + words[1:]
    return words
