"""Patterns that are mostly vocabulary, kept in the folder patterns/ as lists whose parts make one regex."""

import re
import tomllib
from pathlib import Path

PATTERNS = Path(__file__).with_name("patterns")
_PART = re.compile(r"<<(\w+)>>")


class Forms:
    """The lists of one file of patterns/. `<<name>>` in a part stands for the list of that name."""

    def __init__(self, file: str) -> None:
        self._lists: dict[str, list[str]] = tomllib.loads((PATTERNS / file).read_text(encoding="utf-8"))

    def text(self, name: str) -> str:
        return _PART.sub(lambda part: self.text(part[1]), "".join(self._lists[name]))

    def pattern(self, name: str, *, cased: bool = False) -> re.Pattern:
        return re.compile(self.text(name), 0 if cased else re.IGNORECASE)
