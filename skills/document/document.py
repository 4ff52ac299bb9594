"""What reading a SKILL.md gives."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. `line` and `column` count from 1; `help` says how to mend it.

    An error keeps the document out, a warning says what is kept but not read.
    """

    line: int
    column: int | None
    code: str
    message: str
    help: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message} {self.help}".rstrip()


@dataclass(frozen=True)
class Document:
    """A SKILL.md as read. What could not be read is empty, and `faults` says why.

    `source` is the exact text: encoded again by `content` it gives the bytes that were read, even where they were no UTF-8.
    `sections` has the texts of our four sections by the names `SECTIONS` gives them, and `lacks` the titles of those that are
    missing or empty. Of very many faults the first hundred are named, errors before warnings. `allowed_tools` is what the
    author asks for; a skill grants nothing here.
    """

    source: str
    name: str = ""
    description: str = ""
    scope: str = "role_agent"
    agent: str = ""
    risk: str = "medium"
    license: str = ""
    compatibility: str = ""
    allowed_tools: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    body: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def warnings(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.faults if fault.severity == "warning")

    @property
    def is_valid(self) -> bool:
        return not self.errors

    @property
    def is_ours(self) -> bool:
        """It has all four sections, each with words in it."""
        return bool(self.sections) and not self.lacks

    @cached_property
    def content(self) -> bytes:
        """The exact bytes of the file."""
        try:
            return self.source.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # a text, not a file, with half a character in it
            return self.source.encode("utf-8", "surrogatepass")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the exact bytes, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()
