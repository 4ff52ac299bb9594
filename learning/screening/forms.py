"""Patterns that are mostly vocabulary, kept in the folder patterns/ as lists whose parts make one regex."""

import functools
import re
import tomllib
from pathlib import Path

PATTERNS = Path(__file__).with_name("patterns")
_PART = re.compile(r"<<(\w+)>>")


class Forms:
    """The lists of one file of patterns/, compiled when they are first asked for: a start shall not pay for them.

    `<<name>>` in a part stands for the list of that name. Letters match in either case, unless the name is in `cased`.
    """

    def __init__(self, file: str, *, cased: tuple[str, ...] = ()) -> None:
        self._file, self._cased = PATTERNS / file, cased
        self._compiled: dict[str, re.Pattern] = {}

    @functools.cached_property
    def _lists(self) -> dict[str, list[str]]:
        return tomllib.loads(self._file.read_text(encoding="utf-8"))

    def text(self, name: str) -> str:
        return _PART.sub(lambda part: self.text(part[1]), "".join(self._lists[name]))

    def __getattr__(self, name: str) -> re.Pattern:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._compiled:
            self._compiled[name] = re.compile(self.text(name), 0 if name in self._cased else re.IGNORECASE)
        return self._compiled[name]
