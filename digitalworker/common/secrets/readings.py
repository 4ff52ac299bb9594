"""The readings of a text in which secrets are looked for: as it is written, and as a reader sees it.

Full-width letters, letters of another script, invisible characters, letters set apart and keys broken over lines fool a rule,
not a reader. Every reading leads back to the original.
"""

import functools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

# The scanner passes by a line that carries its "allow" mark; an author must not be able to tell it to.
_ALLOW_MARK = re.compile(r"\b(?:gitleaks|betterleaks)\s*:\s*allow\b|pragma:\s*allowlist\s+\S+", re.IGNORECASE)
_UNUSUAL = re.compile(r"[^\t\n\r\x20-\x7e\u00c0-\u017f]")
_ORDINARY = frozenset("\t\n\r")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SELECTORS = range(0xFE00, 0xFE10)
_SPELLED = re.compile(r"(?<!\S)[^\W_](?:([ .·_-])[^\W_])(?:\1[^\W_]){2,}(?!\w)")  # p a s s w o r d
_BREAK = re.compile(r"(?<=\S)[ \t]*[\r\n]\s*(?=\S)")
# What a Cyrillic or Greek letter is taken for among Latin ones. Upper and lower case differ: Η is an H, η an n.
LOOKALIKES = {
    **dict(zip("авсеԁһіјкӏмноԛрѕтуѵԝхгпьѡ", "abcedhijklmhoqpstyvwxrnbw", strict=True)),
    **dict(zip("АВСЕНІЈКМОРЅТУХԜ", "ABCEHIJKMOPSTYXW", strict=True)),
    **dict(zip("αβγεζηικμνορστυχωϲϳ", "abyeznikuvopotuxwcj", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC", strict=True)),
}
_OF_TWO_SCRIPTS = re.compile("(?:[a-zA-Z][{0}]|[{0}][a-zA-Z])".format("".join(LOOKALIKES)))
_TO_LATIN = str.maketrans(LOOKALIKES)
_LETTERS = re.compile(r"[^\W\d_]+")
_ALIKE = str.maketrans("‘’‚‛ʼ`´“”„‟«»‐‑‒−", "'''''''\"\"\"\"\"\"----")


@dataclass(frozen=True, slots=True)
class Layer:
    text: str
    origins: Sequence[int]  # of each character, where it stands in the original
    unbroken: bool = False  # without its line breaks: words run together, so only shapes are looked for

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self.origins[start], self.origins[end - 1] + 1


def layers(text: str) -> list[Layer]:
    made = _layers(text)
    seen = made[-1]
    spelled = _without(
        seen, [place for run in _SPELLED.finditer(seen.text) for place in range(run.start() + 1, run.end(), 2)]
    )
    lines = _without(seen, [place for found in _BREAK.finditer(seen.text) for place in range(*found.span())])
    return made + [layer for layer in (spelled, lines and replace(lines, unbroken=True)) if layer]


def _without(layer: Layer, places: list[int]) -> Layer | None:
    if not places:
        return None
    out = set(places)
    left = [place for place in range(len(layer.text)) if place not in out]
    return Layer("".join(layer.text[place] for place in left), [layer.origins[place] for place in left])


def _layers(text: str) -> list[Layer]:
    # A NUL ends the scanner's input, so what follows it would pass unseen; a lone surrogate makes it raise. One character
    # stands for one, so that places stay what they are.
    exact = text.replace("\x00", " ").encode("utf-8", "replace").decode().translate(_ALIKE)
    made = [Layer(_without_marks(exact), range(len(exact)))]
    if not _UNUSUAL.search(text):
        return made
    letters, origins = [], []
    for place, character in enumerate(text):
        for letter in _seen(character):
            letters.append(letter)
            origins.append(place)
    plain = _LETTERS.sub(_in_one_script, "".join(letters).translate(_ALIKE))
    if plain != exact:
        made.append(Layer(_without_marks(plain), origins))
    return made


def _in_one_script(word: re.Match) -> str:
    """A word of one script says what it says; one of two is Latin to a reader. One letter stands for one."""
    return word[0].translate(_TO_LATIN) if _OF_TWO_SCRIPTS.search(word[0]) else word[0]


@functools.lru_cache(4096)
def _seen(character: str) -> str:
    if character in _ORDINARY:
        return character
    if unicodedata.category(character) in _HIDDEN_CATEGORIES or ord(character) in _SELECTORS or character == "\u034f":
        return ""
    return character if character.isascii() else unicodedata.normalize("NFKC", character)


def _without_marks(text: str) -> str:
    return _ALLOW_MARK.sub(lambda mark: " " * len(mark[0]), text)
