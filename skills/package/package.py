"""A skill with its files, and what reading a folder or an archive gives."""

import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath

from digitalworker.common.text import digest
from skills.document import Document, Fault

_SCRIPTS = frozenset(
    f".{suffix}"
    for line in (
        "sh bash zsh fish command awk ps1 psm1 bat cmd vbs exe dll com scr msi so dylib app jar wasm applescript scpt",
        "py pyw js mjs cjs ts rb pl php lua r tcl go rs java kts groovy",
    )
    for suffix in line.split()
)
_TYPES = mimetypes.MimeTypes()  # the ones of Python, not those of the machine
_TYPES.add_type("text/markdown", ".md")


@dataclass(frozen=True)
class File:
    """A file beside a SKILL.md. `path` is relative to the skill's folder, with slashes. It is kept and never run."""

    path: str
    content: bytes
    executable: bool = False

    @property
    def is_script(self) -> bool:
        """Somebody could run it: marked so, named so, or written so."""
        path = PurePosixPath(self.path)
        return (
            self.executable
            or path.parts[0] == "scripts"
            or path.suffix.lower() in _SCRIPTS
            or self.content[:2] in {b"#!", b"MZ"}
            or self.content[:4] == b"\x7fELF"
        )

    @cached_property
    def is_text(self) -> bool:
        if b"\0" in self.content:
            return False
        try:
            self.content.decode()
        except UnicodeDecodeError:
            return False
        return True

    @cached_property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()

    @property
    def media_type(self) -> str:
        kind, encoding = _TYPES.guess_type(self.path)
        if kind is None or encoding is not None:
            return "text/plain" if self.is_text else "application/octet-stream"
        return kind


@dataclass(frozen=True)
class Package:
    """A skill that can be taken. `files` are sorted by path and do not hold SKILL.md."""

    name: str
    document: Document
    files: tuple[File, ...] = ()

    @property
    def scripts(self) -> tuple[File, ...]:
        return tuple(file for file in self.files if file.is_script)

    @cached_property
    def digest(self) -> str:
        """Over SKILL.md and every file: path, whether it is marked executable, content."""
        parts = ["SKILL.md", self.document.digest]
        for file in self.files:
            parts += [file.path, "x" if file.executable else "-", file.digest]
        return digest(*parts)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A skill that can not be taken. `folder` is where it lies, '' at the top; `faults` those of its SKILL.md."""

    folder: str
    code: str
    reason: str
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found. One skill that is refused does not keep the others out."""

    packages: tuple[Package, ...]
    refusals: tuple[Refusal, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def __iter__(self) -> Iterator[Package]:
        return iter(self.packages)

    def __len__(self) -> int:
        return len(self.packages)
