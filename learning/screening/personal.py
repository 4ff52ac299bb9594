"""Personal data that has a form: addresses, numbers and ids, with their places. No model, no heavy package, 0.2 ms a text.

A number is told from an order number by its check digit, by its grouping, or by the word before it. National ids that need
a library are `pii`'s business.
"""

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .forms import Forms


@dataclass(frozen=True, slots=True)
class Personal:
    """text[start:end] is a "PHONE_NUMBER", an "EMAIL_ADDRESS", ..."""

    kind: str
    start: int
    end: int


_FORMS = Forms("personal.toml", cased=("street",))
_NEAR = 36  # characters before a number in which a word says what it is

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[\w](?:[\w-]{0,61}\w)?\.){1,5}[^\W\d_]{2,24}(?![\w@])", re.IGNORECASE
)
_IPV4 = re.compile(r"(?<![\w.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-]|\.\d)")
_VERSION = re.compile(r"(?:\bv|\bversions?|\brelease|\bbuild)[ :]*\Z", re.IGNORECASE)
_IPV6 = re.compile(r"(?<![\w:.])(?=[0-9a-f:.]*:[0-9a-f:.]*:)[0-9a-f:.]{3,45}(?![\w:])", re.IGNORECASE)
_SSN = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])")
_SSN_WORD = re.compile(r"\b(?:ssn|social security|itin|tax ?id)\b[^\n]{0,25}\Z", re.IGNORECASE)
_NINE = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}(?![\w-])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?!\w)", re.IGNORECASE)
_CARD = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){11,18}(?![\w-]|[.,]\d)")
_INTERNATIONAL = re.compile(
    r"(?<![\w+])(?:\+|00|001[-. ])[1-9](?:[ ./-]?(?:\(0\))?[ ./-]?\(?\d{1,5}\)?){2,6}(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?!\w)"
)
_NORTH_AMERICA = re.compile(
    r"(?<![\w.+-])(?:1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?![\w-]|\.\d)"
)
_NATIONAL = re.compile(r"(?<![\w.+/-])\(?0\d{1,5}\)?(?:[ ./-]{1,3}\d{2,8}){1,5}(?![\w-]|[.,/]\d)")
_BRACKETED = re.compile(r"(?<![\w(])\(\d{2,4}\)[ -]?\d{3,4}[ -]\d{3,4}(?![\w-])")
_SAID = re.compile(
    r"(?<![\w.+#$€£-])\(?\d{2,5}\)?(?:[ ./-]?\d{2,8}){1,5}(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?![\w-]|[.,]\d)"
)
_DATE = re.compile(r"(?:19|20)\d\d[-/. ](?:0?[1-9]|1[0-2])[-/. ]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:(?:19|20)\d\d|\d\d)")


def find_personal(text: str) -> list[Personal]:
    """By position. Where two kinds fit one place, the first of `_FINDERS` has it."""
    found: list[Personal] = []
    for kind, finder in _FINDERS:
        for start, end in finder(text):
            if not any(start < other.end and other.start < end for other in found):
                found.append(Personal(kind, start, end))
    return sorted(found, key=lambda one: one.start)


def kinds_of(text: str) -> list[str]:
    return sorted({one.kind for one in find_personal(text)})


def is_called_otherwise(text: str, start: int) -> bool:
    """Whether a word before the number at `start` says that it is an order, an invoice, an item or the like."""
    return bool(_FORMS.other_number.search(text[max(0, start - _NEAR) : start]))


def _emails(text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in _EMAIL.finditer(text)) if "@" in text else iter(())


def _addresses_of_machines(text: str) -> Iterator[tuple[int, int]]:
    for found in _IPV4.finditer(text):
        if not _VERSION.search(text, max(0, found.start() - 12), found.start()):
            yield found.span()
    for found in _IPV6.finditer(text):
        try:
            ipaddress.IPv6Address(found[0].rstrip("."))
        except ValueError:
            continue
        if len(found[0].strip(":.")) > 3:  # "::" alone stands in code
            yield found.span()


def _social_security(text: str) -> Iterator[tuple[int, int]]:
    for found in _SSN.finditer(text):
        yield found.span()
    for found in _NINE.finditer(text):
        if _SSN_WORD.search(text, max(0, found.start() - _NEAR), found.start()):
            yield found.span()


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for found in _IBAN.finditer(text):
        compact = re.sub(r"[ -]", "", found[0]).upper()
        # A word after the number may look like its last group.
        for end in range(len(compact), 14, -1):
            number = "".join(str(int(character, 36)) for character in compact[4:end] + compact[:4])
            if int(number) % 97 == 1:
                yield found.start(), found.start() + _length(found[0], end)
                break


def _length(text: str, characters: int) -> int:
    """How far `characters` letters and digits reach into `text`."""
    for place, character in enumerate(text):
        characters -= character.isalnum()
        if characters == 0:
            return place + 1
    return len(text)


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for found in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", found[0])
        before = text[max(0, found.start() - _NEAR) : found.start()]
        if len(set(digits)) < 2 or not _luhn(digits) or _FORMS.other_number.search(before):
            continue
        if _FORMS.card_word.search(before) or _issued(digits):
            yield found.span()


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _issued(digits: str) -> bool:
    """Whether a card network issues numbers of this beginning and length (ISO/IEC 7812)."""
    two, four, length = int(digits[:2]), int(digits[:4]), len(digits)
    return (
        (digits[0] == "4" and length in {13, 16, 19})
        or (51 <= two <= 55 and length == 16)
        or (2221 <= four <= 2720 and length == 16)
        or (two in {34, 37} and length == 15)
        or (two in {36, 38, 39} and length == 14)
        or (300 <= int(digits[:3]) <= 305 and length == 14)
        or (3528 <= four <= 3589 and length == 16)
        or (four in {5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763} and 12 <= length <= 19)
        or ((four == 6011 or two in {62, 64, 65}) and length in {16, 17, 18, 19})
    )


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for pattern, needs_word, least, most in _PHONES:
        for found in pattern.finditer(text):
            digits = sum(map(str.isdigit, re.sub(r"(?:x|ext).*", "", found[0])))
            before = text[max(0, found.start() - _NEAR) : found.start()].rpartition("\n\n")[2]
            if not least <= digits <= most or _DATE.fullmatch(found[0].strip()) or _FORMS.other_number.search(before):
                continue
            if needs_word and not (_FORMS.phone_word.search(before) or _FORMS.phone_after.match(text, found.end())):
                continue
            if needs_word and found[0].isdigit() and not 9 <= digits <= 12:  # "call 4821" is an extension at most
                continue
            yield found.span()


# Pattern, whether a word must say that it is a phone's, and how many digits it has.
_PHONES = (
    (_INTERNATIONAL, False, 8, 15),
    (_NORTH_AMERICA, False, 10, 11),
    (_BRACKETED, False, 8, 12),
    (_NATIONAL, False, 9, 12),
    (_SAID, True, 7, 13),
)


def _streets(text: str) -> Iterator[tuple[int, int]]:
    for found in _FORMS.street.finditer(text):
        yield found.span()
    for found in _FORMS.lives.finditer(text):
        if sum(map(str.isalpha, found["place"])) > 4:
            yield found.span("place")


def _births(text: str) -> Iterator[tuple[int, int]]:
    return (found.span("date") for found in _FORMS.born.finditer(text))


_FINDERS: tuple[tuple[str, Callable[[str], Iterator[tuple[int, int]]]], ...] = (
    ("EMAIL_ADDRESS", _emails),
    ("IBAN_CODE", _ibans),
    ("IP_ADDRESS", _addresses_of_machines),
    ("US_SSN", _social_security),
    ("DATE_OF_BIRTH", _births),
    ("STREET_ADDRESS", _streets),
    ("CREDIT_CARD", _cards),
    ("PHONE_NUMBER", _phones),
)
KINDS = tuple(kind for kind, _ in _FINDERS)
