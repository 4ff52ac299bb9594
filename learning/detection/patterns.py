# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""What people plainly say of themselves: a table, read from the top; the first pattern that fits a clause speaks.

A pattern must match a clause from its beginning (after "hi", "by the way" and the like), in the first person, in the
speaker's own voice. So "she says I'm based in Lisbon", "if I lived in Lisbon" and "are you based in Lisbon?" give nothing.
"""

import re

from learning.choices import MemoryKind

from .pattern import frame, p
from .vocabulary import (
    ALLERGEN,
    CHANNEL,
    DEPARTMENT,
    EATING,
    ERRAND,
    GARMENT,
    GARMENTS,
    HOW,
    I_AM,
    IN_GARMENT,
    JOB,
    LANGUAGE,
    NAME_WORD,
    OTHER_CHANNEL,
    PLACE,
    POINTING,
    REST,
    SIZE,
    TEAM,
)

_NOT_A_NAME = re.compile(
    r"(?:back|when|if|at|on|in|and|or|a|an|the|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b|(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|crazy|maybe|asap|please|now|later|not)\b",
    re.IGNORECASE,
)


def _is_name(found: re.Match) -> bool:
    return not _NOT_A_NAME.match(found["v"])


def _is_allergen(found: re.Match) -> bool:
    return not ERRAND.search(found["v"]) and not re.search(
        r"(?:day|morning)s?\b|\b(?:people|work|bad|stupid|bugs|code)\b", found["v"], re.IGNORECASE
    )


def _is_job(found: re.Match) -> bool:
    """Claims of power over the system are not job titles: they would only lend weight to what is asked next."""
    return re.search(r"\b(?:admin|your|root|super|system owner)\b", found["v"], re.IGNORECASE) is None


def _size_key(found: re.Match) -> str:
    garment = (found["garment"] or "").lower()
    return f"{GARMENTS[garment]}_size" if garment else "size"


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
    "errand": POINTING,
}  # tickets and orders are what a team works with

PATTERNS = [
    # Sizes. "My size" is the author's even inside a question; "size 38" alone may be anybody's.
    p(
        frame(rf".{{0,160}}?\bmy (?:(?P<garment>{GARMENT}) )?size(?:\s+is|\s*[,:=(-])\s*(?:a |an )?{SIZE}"),
        "size",
        "names their own size",
        confidence=0.9,
        **_SAYS_SIZE,
    ),
    p(
        frame(rf".{{0,160}}?\bmy (?:(?P<garment>{GARMENT}) )?size {SIZE}"),
        "size",
        "names their own size",
        accept=_ends_there,
        **_SAYS_SIZE,
    ),
    p(
        frame(
            rf"(?:an? |the )?size {SIZE} (?:usually |always |normally )?(?:fits me|is my size|is what i wear){IN_GARMENT}?"
        ),
        "size",
        "names their own size",
        confidence=0.9,
        **_SAYS_SIZE | {"in_questions": False},
    ),
    p(
        frame(rf"i{HOW} wear (?:an? )?(?:size )?{SIZE}{IN_GARMENT}?"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    p(
        frame(rf"i{HOW} take (?:an? )?size {SIZE}{IN_GARMENT}?"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    p(
        frame(rf"i{HOW} take (?:an? )?{SIZE}{IN_GARMENT}"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    p(
        frame(rf"{I_AM}{HOW} (?:an? )?size {SIZE}{IN_GARMENT}?"),
        "size",
        "says which size they wear",
        **_WEARS_SIZE,
    ),
    # Who they are.
    p(
        frame(r"(?:you can |just |everyone |everybody |people |friends )?(?:please )?(?:calls? me|i go by) ")
        + rf"(?P<v>{NAME_WORD}(?: {NAME_WORD})?)",
        "name",
        "says what to call them",
        confidence=0.9,
        whole=True,
        accept=_is_name,
    ),
    p(
        frame(r"my (?:first |full |preferred )?name(?:['’]s| is) ") + rf"(?P<v>{NAME_WORD}(?: {NAME_WORD}){{0,2}})",
        "name",
        "gives their name",
        accept=_is_name,
    ),
    p(
        frame(r"my (?:preferred )?pronouns are (?P<v>\w{2,5}(?:/\w{2,5}){1,2})"),
        "pronouns",
        "gives their pronouns",
        confidence=0.9,
    ),
    p(
        frame(
            rf"(?:{I_AM}{HOW} (?:based|located|living) in|i{HOW} live in|i{HOW} work from|i(?:['’]ve| have)? (?:just |recently )?moved to|(?:my|our) (?:home|office) is in) "
        )
        + PLACE,
        "location",
        "says where they live or work",
    ),
    p(
        frame(
            r"(?:my time ?zone is|i(?:['’]m| am) in the) (?P<v>[A-Za-z]{2,5}(?:[+-]\d{1,2})?|[A-Z][a-z]+/[A-Z][a-z_]+|(?:Central European|Eastern|Pacific|Mountain|Central))(?: time)?(?: ?zone)?"
        ),
        "time_zone",
        "names their time zone",
        whole=True,
        accept=lambda m: "zone" in m[0].lower(),
    ),
    p(
        frame(r"(?:i(?:['’]m| am)|i work) (?:on|in|with|for) (?:the|our) ")
        + frame(rf"{TEAM} (?:team|department|division|squad|group)"),
        "team",
        "names their team",
    ),
    p(
        frame(r"(?:my (?:team|department) is (?:called )?|i work in )") + DEPARTMENT,
        "team",
        "names their team",
        whole=True,
    ),
    p(
        frame(rf"{I_AM}{HOW} (?:an? (?P<v>{JOB})(?= at | for | in | from | with |$))"),
        "role",
        "says what their job is",
        accept=_is_job,
    ),
    p(
        frame(r"i work as (?:an? )?(?P<v>[a-z][\w -]{2,40}?)(?= at | for | in | from |$)"),
        "role",
        "says what their job is",
        accept=_is_job,
    ),
    p(
        frame(rf"my (?:job|job title|title|role|occupation) is (?:an? )?(?P<v>{JOB})(?= at | for | in | from |$)"),
        "role",
        "says what their job is",
        accept=_is_job,
    ),
    # Languages, contact, food.
    p(
        frame(r"(?:my (?:native|first|preferred|main) language is|i only speak|i mostly speak) ") + LANGUAGE,
        "language",
        "names their language",
    ),
    p(
        frame(
            rf"i{HOW} prefer (?:to be (?:contacted|reached) )?(?:by |via |using |through )?{CHANNEL}{OTHER_CHANNEL}?(?: for .{{2,60}})?"
        ),
        "contact_preference",
        "says how to reach them",
        whole=True,
        lasting=False,
    ),
    p(
        frame(
            rf"(?:please )?(?:always )?(?:contact|reach) me (?:only )?(?:by|via|on|through) {CHANNEL}(?: only)?{OTHER_CHANNEL}?"
        ),
        "contact_preference",
        "says how to reach them",
        whole=True,
    ),
    p(
        frame(rf"(?:the )?best way to (?:reach|contact) me is (?:by |via |on |through )?{CHANNEL}"),
        "contact_preference",
        "says how to reach them",
    ),
    p(
        frame(rf"{I_AM}{HOW} allergic to {ALLERGEN}"),
        "allergy",
        "names an allergy",
        confidence=0.9,
        sensitive=True,
        accept=_is_allergen,
    ),
    p(
        frame(r"i have an?(?: severe| bad| mild| serious)? (?P<v>[a-z]+(?: [a-z]+)?) allergy"),
        "allergy",
        "names an allergy",
        confidence=0.9,
        sensitive=True,
    ),
    p(
        frame(rf"i have an?(?: severe| bad| mild| serious)? allergy to {ALLERGEN}"),
        "allergy",
        "names an allergy",
        confidence=0.9,
        sensitive=True,
    ),
    p(
        frame(rf"(?:{I_AM}{HOW} (?:an? )?|i{HOW} (?:eat|follow an?|keep) (?:only )?){EATING}(?: diet| food)?"),
        "diet",
        "says what they eat",
        confidence=0.9,
    ),
    p(
        frame(
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
    p(
        frame(rf"i{HOW} prefer {REST}"),
        None,
        "states a preference",
        confidence=0.7,
        accept=_is_lasting_liking,
        **_FACT,
    ),
    p(frame(rf"my (?:favou?rite|preferred) [\w ]{{3,30}} (?:is|are) {REST}"), None, "states a preference", **_FACT),
    p(
        frame(rf"i (?:always|never|usually|only) (?:use|work|fly|travel|wear|buy|drink|eat|book|sit|pay|read) {REST}"),
        None,
        "states a habit",
        confidence=0.7,
        accept=_is_lasting_liking,
        **_FACT,
    ),
    p(
        frame(
            rf"(?:my|our) (?:team|department|company|office|group|squad|organi[sz]ation|lab|shop|school|clinic|firm) (?:also )?(?:uses|runs(?: on)?|works (?:with|on|from|in)|meets|has switched to|switched to|moved to|relies on|is (?:based|located) in|prefers|follows) {REST}"
        ),
        None,
        "tells how their team works",
        **_AT_WORK,
    ),
    p(
        frame(r"(?:we|i)(?: all| mostly| mainly| only)? use ")
        + r"(?P<rest>(?:[A-Z][\w.+#-]*|IntelliJ|iOS|macOS|iPhones?)(?: [^\x7f]{1,80})?)",
        None,
        "tells what they use",
        confidence=0.7,
        **_AT_WORK,
    ),
    p(
        frame(
            r"i (?:work|am available|['’]m available)(?: only)? (?:(?:on|from) )?(?P<rest>(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b.{0,60}|part[- ]time.{0,40}|(?:from )?\d{1,2}(?::\d\d)?(?: ?[ap]m)? (?:to|until|-) \d{1,2}.{0,30})"
        ),
        None,
        "tells when they work",
        **_FACT,
    ),
    p(
        frame(
            r"i have (?P<rest>(?:an?|one|two|three|four|five|\d) (?:young |small |little |grown |teenage )?(?:kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|horses?))"
        ),
        None,
        "tells of their household",
        confidence=0.7,
        **_FACT,
    ),
]
