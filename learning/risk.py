"""How grave it would be if a proposal were wrong. Only low risk is saved without asking, so low risk has to be earned.

A list of dangerous words alone would let through whatever it does not name. So a text is of low risk only if two things
hold: nothing in it, in its key or in the words it rests on names what is nobody's small matter, and every part of it says,
in a language that is known here, how something is, where it is or what it is called. The words stand in
`screening/patterns/risk.toml`.
"""

import functools
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

from .choices import MemoryKind, MemoryScope, Risk
from .screening import characters
from .screening.forms import PATTERNS

GRAVE = ("access", "money", "legal", "security")
CHANGE = ("modal", "procedure", "deciding")
OTHERWISE = ("people", "policy", "data", "deployment", "limits")
OF_A_PERSON = ("access", "money", "policy")  # the rest of what is about people has a gate of its own
VALUE_MOST = 5  # words of a value that need not be a sentence
VERBLESS_MOST = 3  # words of a part of a sentence that can hardly say something of its own

_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?[$€£¥%]|\b(?:percent|per cent|prozent|pour cent|por ciento)\b", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAY = re.compile(
    r"\bMay(?= \d)|(?<=\d )May\b|(?<=\b(?:in|of) )May\b|(?<=\buntil )May\b|(?<=\bsince )May\b"
)  # the month
_PARTS = re.compile(
    r"[.!?;:,\n()–—]+(?!\d)|\b(?:and|but|so|because|which|who|while|whereas|und|aber|denn|weil|während|et|mais|donc|car"
    r"|qui|(?<!\bil )y|pero|porque|mientras)\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[^\w\s$€£¥%]|_")
_WORD = re.compile(r"[^\W_]+")
_NO_LETTER_OF_OURS = re.compile(r"[^\W\d_a-zA-ZäöüÄÖÜßẞàâæçéèêëîïôœùûÿñáíóúÀÂÆÇÉÈÊËÎÏÔŒÙÛŸÑÁÍÓÚ]")


def risk_of(scope: str, kind: str, key: str | None, content: str, quote: str = "") -> Risk:
    """The least risk of keeping `content` (under `key`) as known, told from these words and from the `quote` it rests on."""
    words = _words()
    said = _folded(". ".join((key or "", content, quote)), words.harmless)
    grave = words.any_of(GRAVE, said) or _AMOUNT.search(f"{content} {quote}")
    changes = words.any_of(CHANGE, said)
    if scope == MemoryScope.PERSON:
        if not (words.any_of(OF_A_PERSON, said) or _AMOUNT.search(content)):
            return Risk.LOW
        return Risk.HIGH if grave and changes else Risk.MEDIUM
    if grave and changes:
        return Risk.HIGH
    weighs = grave or changes or words.any_of(OTHERWISE, said) or kind == MemoryKind.RULE
    return Risk.LOW if not weighs and _is_plain(key, content) else Risk.MEDIUM


def _is_plain(key: str | None, content: str) -> bool:
    """Whether it says no more than how something is, where it is or what it is called."""
    if key and _is_value(key, content):
        return True
    plain = _cleaned(content)
    parts = [part for part in _PARTS.split(plain) if _WORD.search(part)]
    return any(language.knows(plain) and language.states_only(parts) for language in _words().languages)


def _is_value(key: str, content: str) -> bool:
    """A name, a number, a word: nothing that could be a sentence in a language that is not known here."""
    words = _WORD.findall(_cleaned(content))
    if not _words().keys.search(_folded(key)) or not 0 < len(words) <= VALUE_MOST:
        return False
    if _NO_LETTER_OF_OURS.search(content):
        return False
    return len(words) == 1 or all(word[0].isupper() or word[0].isdigit() for word in words)


# --- the words --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Language:
    known: re.Pattern
    others: re.Pattern  # words that show that it is another language
    states: re.Pattern
    things: re.Pattern
    handled: re.Pattern
    ajar: re.Pattern
    done: re.Pattern
    begins: re.Pattern

    def knows(self, plain: str) -> bool:
        """Names apart, it holds words of this language and none of another."""
        own = _folded(re.sub(r"\b(?:[^\W\d_]{1,3} )+(?=[A-ZÀ-Þ\d])", _without_particles, plain))
        lower = [word for word in _WORD.findall(plain) if not word[0].isupper()]
        strange = any(_NO_LETTER_OF_OURS.search(word) for word in lower)
        return not strange and bool(self.known.search(own)) and not self.others.search(own)

    def states_only(self, parts: list[str]) -> bool:
        stated = [self._states(part) for part in parts]
        return True in stated and all(
            says or self._says_nothing(part) for says, part in zip(stated, parts, strict=True)
        )

    def _states(self, part: str) -> bool:
        if self.done.search(part.casefold()):
            return False
        folded = _folded(part)
        if self.handled.search(folded):
            return bool(self.states.search(folded)) and not self.ajar.search(folded)
        return bool(self.states.search(folded) or self.things.search(folded))

    def _says_nothing(self, part: str) -> bool:
        folded = _folded(part).strip()
        if self.done.search(part.casefold()):
            return False
        return len(folded.split()) <= VERBLESS_MOST or bool(self.begins.match(folded))


@dataclass(frozen=True, slots=True)
class _Words:
    groups: dict[str, re.Pattern]
    harmless: re.Pattern
    keys: re.Pattern
    languages: tuple[_Language, ...]

    def any_of(self, groups: Iterable[str], folded: str) -> bool:
        return any(self.groups[group].search(folded) for group in groups)


@functools.cache
def _words() -> _Words:
    file = tomllib.loads((PATTERNS / "risk.toml").read_text(encoding="utf-8"))
    listed = {name: ", ".join(languages.values()) for name, languages in file.items() if name != "languages"}
    return _Words(
        groups={name: _any_word(listed[name]) for name in (*GRAVE, *CHANGE, *OTHERWISE)},
        harmless=_any_word(listed["harmless"]),
        keys=_any_word(listed["keys"], after=r"\s*\Z"),
        languages=tuple(_language(code, file, listed) for code in file["languages"]),
    )


def _language(code: str, file: dict, listed: dict[str, str]) -> _Language:
    forms = file["languages"][code]
    own = {*_split(forms["known"]), *_split(forms["states"]), *_split(forms["things"])}
    rest = [each["known"] for other, each in file["languages"].items() if other != code]
    others = {entry for entry in _split(", ".join((*rest, listed["strangers"]))) if len(entry) > 1} - own
    resting = "|".join(re.escape(each.strip()) for each in forms["resting"].split(","))
    # A verb that begins or ends is an order or the end of a name ("Use gateway 2"); Spanish verbs begin.
    first = r"(?:(?<=\w\s)|(?<=\w\s\s))" if code != "es" else ""
    return _Language(
        known=_any_word(f"{forms['known']}, {forms['states']}"),
        others=_any_word(", ".join(others)),
        states=_any_word(forms["states"], before=first, after=r"(?=\s+\w)"),
        things=_any_word(forms["things"], before=first, after=r"(?=\s+\w)"),
        handled=_any_word(listed["handled"]),
        ajar=_any_word(listed["ajar"]),
        done=re.compile(forms["done"].replace("<<resting>>", resting), re.IGNORECASE),
        begins=_any_word(forms["begins"]),
    )


def _split(words: str) -> list[str]:
    return [_folded(entry).strip() for entry in words.split(",")]


def _any_word(words: str, before: str = "", after: str = "") -> re.Pattern:
    """One of the entries of a list; German vowels also as they are written without their dots."""
    entries: set[str] = set()
    for entry in (entry.strip() for entry in words.split(",")):
        undotted = entry.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
        for form in (entry, undotted):
            stars = [_folded(piece).strip() for piece in form.split("*")]
            entries.add(r"\w*".join(re.escape(piece).replace(r"\ ", r"\s+") for piece in stars))
    # The longest first, so that what must follow is held against the whole phrase.
    joined = "|".join(sorted(entries, key=lambda entry: (-len(entry), entry)))
    return re.compile(rf"{before}(?<!\w)(?:{joined})(?!\w){after}")


def _cleaned(text: str) -> str:
    return "".join(map(characters.clean, text)).replace("’", "'")


def _folded(text: str, apart: re.Pattern | None = None) -> str:
    """Small letters without accents and signs, one space between words, and without what `apart` finds."""
    plain = _MAY.sub(" ", _CAMEL.sub(" ", _cleaned(text)))
    plain = re.sub(r"n't\b", "nt", "".join(map(characters.fold, plain)))
    plain = " ".join(_SIGNS.sub(" ", plain).split())
    return apart.sub(" ", plain) if apart else plain


def _without_particles(particles: re.Match) -> str:
    """ "Rua do Alecrim", "Avenida 24 de Julho": within a name no word tells the language."""
    return " ".join(word for word in particles[0].split() if word not in _PARTICLES) + " "


_PARTICLES = {"de", "do", "da", "dos", "des", "di", "del", "la", "le", "van", "von", "zu", "el", "du"}
