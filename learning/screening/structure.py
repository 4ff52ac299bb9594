"""Signs of an attack that are no words in an order, as they are read from patterns/signs.toml."""

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import characters

SIGNS = Path(__file__).with_name("patterns") / "signs.toml"
_FENCED = re.compile(
    r"^[ \t]{0,8}```[^`\n]{0,60}\n(?:(?![ \t]{0,8}```)[^\n]{0,2000}\n){0,400}[ \t]{0,8}```", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Sign:
    id: str
    severity: str
    why: str
    needs: tuple[str, ...]
    pattern: re.Pattern


def signs_in(text: str) -> Iterator[tuple[Sign, int, int]]:
    """Each sign in a folded text, with its place there.

    A program for a page (`markup`) that is shown between fences is never run, so there it is no sign.
    """
    fences = [found.span() for found in _FENCED.finditer(text)] if "```" in text else []
    for sign in load():
        if any(needed in text for needed in sign.needs):
            for found in sign.pattern.finditer(text):
                start, end = found.span()
                if not (sign.id.startswith("markup.") and any(a <= start and end <= b for a, b in fences)):
                    yield sign, start, end


@functools.cache
def load() -> tuple[Sign, ...]:
    written = tomllib.loads(SIGNS.read_text(encoding="utf-8"))
    signs = []
    for sign in written["signs"]:
        pattern = sign["pattern"]
        for name, part in written["parts"].items():
            pattern = pattern.replace("{" + name + "}", part)
        # What is written here is folded like what it is looked for in; regular expressions consist of ASCII, which stays.
        compiled = re.compile(_folded(pattern), re.MULTILINE)
        signs.append(Sign(sign["id"], sign["severity"], sign["why"], tuple(map(_folded, sign["needs"])), compiled))
    return tuple(signs)


def _folded(written: str) -> str:
    return "".join(letter if letter.isascii() else characters.fold(letter) for letter in written)
