"""Signs of an attack that are no words in an order, as they are read from patterns/signs.toml."""

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import characters

SIGNS = Path(__file__).with_name("patterns") / "signs.toml"


@dataclass(frozen=True, slots=True)
class Sign:
    id: str
    severity: str
    why: str
    needs: tuple[str, ...]
    pattern: re.Pattern


def signs_in(text: str) -> Iterator[tuple[Sign, int, int]]:
    """Each sign in a folded text, with its place there."""
    for sign in load():
        if any(needed in text for needed in sign.needs):
            for found in sign.pattern.finditer(text):
                yield sign, found.start(), found.end()


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
