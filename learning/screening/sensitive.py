"""Words that only owners and admins should read before they are decided: personal data of somebody else than who is
speaking, and health, legal and staff matters, belief, sexuality, union membership and offences.

What people say of their own address or number is theirs to say. Whose it is, is read from the words around it: "my", "her",
a name, "the customer's". A mailbox or a line of a department is nobody's.
"""

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .forms import PATTERNS, Forms
from .injection import Finding
from .personal import Personal, find_personal, is_called_otherwise

MATTERS = PATTERNS / "matters.toml"
OTHERS = PATTERNS / "others.toml"
THIRD_PARTY = "pii.third-party"
CATEGORY = "category."  # the family of the rules of matters.toml
_SENTENCE = re.compile(
    r"(?:[^.!?\n;]|[.](?=\w)|(?<=\b[A-Z])\.|(?<=\b(?:Mr|Dr|St))\.|(?<=\bMrs)\."
    r"|(?<=\d)\.(?= (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)))+[.!?\n;]*"
)

_NAMES = {
    "EMAIL_ADDRESS": "e-mail address",
    "PHONE_NUMBER": "phone number",
    "STREET_ADDRESS": "postal address",
    "DATE_OF_BIRTH": "date of birth",
    "IBAN_CODE": "bank account",
    "CREDIT_CARD": "card number",
    "US_SSN": "social security number",
}
# National ids that have only a check digit, so only a worker finds them (`pii`).
_BY_CHECK_DIGIT = {
    *("UK_NINO", "DE_TAX_ID", "DE_SOCIAL_SECURITY", "ES_NIF", "ES_NIE", "IT_FISCAL_CODE", "PL_PESEL"),
    "FI_PERSONAL_IDENTITY_CODE",
}
_FORMS = Forms("people.toml", cased=("name",))
_PERSONAL_BOX = re.compile(r"^[^\W\d_]{1,20}[._-][^\W\d_]{2,20}\d{0,6}@")


def find_sensitive(text: str, *, key: str = "", about_person: bool = False) -> list[Finding]:
    """Findings of `pii.third-party` and `category.*` in `text`, by position; `why` holds nothing of it.

    `about_person`: it is kept as what is known of the one person who said it, so a bare value ("asthma") is about somebody,
    and a bare number is their own.
    """
    found = [*_third_party(text, key, about_person), *_matters(text, key, about_person)]
    found += [each for each in _told_of_others(text, key) if not any(_same_place(each, other) for other in found)]
    return sorted(found, key=lambda finding: (finding.start, finding.end, finding.rule))


def is_sensitive(rule: str) -> bool:
    """Whether a finding of `rule` is one of these, and not about steering the agent."""
    return rule == THIRD_PARTY or rule.startswith(CATEGORY)


# --- whose is it? -----------------------------------------------------------------------------------------------------


def _third_party(text: str, key: str, about_person: bool) -> Iterator[Finding]:
    for personal in find_personal(text):
        if personal.kind in _NAMES and _of_somebody_else(text, key, personal, about_person):
            why = f"it holds the {_NAMES[personal.kind]} of somebody else"
            yield Finding(THIRD_PARTY, "medium", why, personal.start, personal.end, "plain")


def find_of_others(text: str, places: Iterable[Personal], *, key: str = "") -> list[Finding]:
    """Of national ids that were found elsewhere, those that the words around say to be somebody else's. An id alone does not
    tell whose it is: the speaker's, a shop's, or nobody's, where a number passes its check by chance."""
    why = "it holds the number of a paper or an insurance of somebody else"
    return [
        Finding(THIRD_PARTY, "medium", why, one.start, one.end, "plain")
        for one in places
        if one.kind in _BY_CHECK_DIGIT
        and not is_called_otherwise(text, one.start)
        and _of_somebody_else(text, key, one, False)
    ]


def _of_somebody_else(text: str, key: str, personal: Personal, about_person: bool) -> bool:
    before = _around(text, personal)
    value = text[personal.start : personal.end]
    if personal.kind == "EMAIL_ADDRESS" and _FORMS.role_box.match(value):
        return False
    theirs = max((found.end() for found in _FORMS.theirs.finditer(before)), default=-1)
    theirs = max([theirs, *(found.end() for found in _FORMS.name.finditer(before) if _is_name(found[0]))])
    own = max((found.start() for found in _FORMS.own.finditer(before)), default=-1)
    if theirs >= 0 or own >= 0:
        # The nearest word decides; "my colleague's" is one word that starts with the other.
        return theirs > own
    if about_person:
        return False
    if personal.kind in {"US_SSN", "DATE_OF_BIRTH"} or _FORMS.theirs.search(key.replace("_", " ")):
        return True
    return personal.kind == "EMAIL_ADDRESS" and bool(_PERSONAL_BOX.match(value))


def _around(text: str, personal: Personal) -> str:
    """The sentence up to the value, and what is said of it right after: "030 901820 is my wife's"."""
    for sentence in _SENTENCE.finditer(text):
        if sentence.start() <= personal.start < sentence.end():
            after = text[personal.end : min(sentence.end(), personal.end + 40)]
            said_after = re.match(r"\s*(?:,\s*)?(?:is|was|belongs to|ist|gehört|est|es|\()\s[^,]*", after)
            return text[sentence.start() : personal.start] + (said_after[0] if said_after else "")
    return text[max(0, personal.start - 80) : personal.start]


def _is_name(text: str) -> bool:
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", text.replace("’s", "").replace("'s", ""))}
    return not words & _listed("no_name") and not words <= _listed("thing")


@functools.cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(_FORMS.text(name).split())


# --- what is said of somebody else in plain words? ------------------------------------------------------------------------


def _told_of_others(text: str, key: str) -> Iterator[Finding]:
    """One finding of each kind a sentence, from the person to the end of what is said of them."""
    told = f"{key.replace('_', ' ').replace('-', ' ')}: " if key else ""
    for sentence in _SENTENCE.finditer(told + text):
        for rule, why, patterns in _others():
            if found := next(filter(None, (_of_a_person(pattern, sentence[0]) for pattern in patterns)), None):
                start, end = (max(0, sentence.start() + at - len(told)) for at in found.span())
                yield Finding(rule, "medium", why, start, end or len(text), "plain")


def _of_a_person(pattern: re.Pattern, sentence: str) -> re.Match | None:
    return next(
        (found for found in pattern.finditer(sentence) if found["name"] is None or _is_name(found["name"])), None
    )


def _same_place(one: Finding, other: Finding) -> bool:
    return one.rule == other.rule and one.start <= other.end and other.start <= one.end


@functools.cache
def _others() -> list[tuple[str, str, list[re.Pattern]]]:
    file = tomllib.loads(OTHERS.read_text(encoding="utf-8"))

    def filled(text: str) -> str:
        return re.sub(r"<<(\w+)>>", lambda part: filled(file["parts"][part[1]]), text)

    return [
        (kind["rule"], kind["why"], [re.compile(filled(pattern)) for pattern in kind["said"]])
        for kind in file["others"]
    ]


# --- what is it about? --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Matter:
    rule: str
    why: str
    always: re.Pattern | None
    of_person: re.Pattern | None
    excepted: re.Pattern | None


def _matters(text: str, key: str, about_person: bool) -> Iterator[Finding]:
    people, matters = _loaded()
    told = f"{key.replace('_', ' ').replace('-', ' ')}: " if key else ""
    for sentence in _SENTENCE.finditer(told + text):
        said = sentence[0]
        about_somebody = (
            about_person or bool(people.search(said)) or any(_is_name(n[0]) for n in _FORMS.name.finditer(said))
        )
        for matter in matters:
            found = matter.always.search(said) if matter.always else None
            if found is None and about_somebody and matter.of_person:
                found = matter.of_person.search(said)
            if found is None or (matter.excepted and matter.excepted.search(said)):
                continue
            start = max(0, sentence.start() + found.start() - len(told))
            end = max(0, sentence.start() + found.end() - len(told))
            if end > start:
                yield Finding(matter.rule, "medium", matter.why, start, end, "plain")
            else:  # the key says it: then all of the value is about it
                yield Finding(matter.rule, "medium", matter.why, 0, len(text), "plain")


@functools.cache
def _loaded() -> tuple[re.Pattern, list[_Matter]]:
    file = tomllib.loads(MATTERS.read_text(encoding="utf-8"))

    def compiled(matter: dict, name: str) -> re.Pattern | None:
        regex = matter.get(name, "").replace("<<policy>>", file["people"]["policy"])
        return re.compile(rf"(?<!\w)(?:{regex})(?!\w)", re.IGNORECASE) if regex else None

    matters = [
        _Matter(
            rule=matter["rule"],
            why=matter["why"],
            always=compiled(matter, "always"),
            of_person=compiled(matter, "of_person"),
            excepted=compiled(matter, "except"),
        )
        for matter in file["matters"]
    ]
    return re.compile(rf"(?<!\w)(?:{file['people']['words']})(?!\w)", re.IGNORECASE), matters
