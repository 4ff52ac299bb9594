"""A SKILL.md taken apart, with everything that is wrong with it."""

import re
from typing import Any

from . import frontmatter, sections
from .document import Document, Fault
from .fields import Fields, slug
from .limits import FAULTS_MOST, FRONTMATTER_MOST, SIZE_MOST
from .lines import Lines

_BOM = "\ufeff"
_FENCE = re.compile(r"---[ \t]*")
# What PostgreSQL can not hold, and what a terminal or a reader does not show as it is.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_LINK = re.compile(r"[^\s:]*(?:/|\\)[^\s:]*", re.ASCII)
_MINIMUM = (
    'Begin the file with the lines "---", "name: {name}", "description: what it does, and when to use it" and "---".'
)


def parse(text: str | bytes, *, strict: bool = False, folder: str | None = None) -> Document:
    """`text` as a skill. Never raises for what stands in it: whatever is wrong is in `faults`.

    `strict` is for skills of our own, which must have the four sections and no unknown keys. `folder` is the folder the file
    lies in, which must have the skill's name; None where there is none.
    """
    if isinstance(text, bytes) and text.startswith((b"\xff\xfe", b"\xfe\xff")):
        fault = Fault(1, None, "encoding", "The file is written in UTF-16.", "Save it as UTF-8.")
        return Document(text.decode("utf-8", "surrogateescape"), faults=(fault,))
    source = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
    return _Reading(source, strict=strict, folder=folder).document()


class _Reading:
    def __init__(self, source: str, *, strict: bool, folder: str | None) -> None:
        self.source, self.strict, self.folder = source, strict, folder
        self.lines = Lines(source)
        self.faults: list[Fault] = []

    def document(self) -> Document:
        size = len(Document(self.source).content)
        if size > SIZE_MOST:
            self._say(
                0,
                "size",
                f"SKILL.md has {size:,} bytes, and {SIZE_MOST:,} is the most.",
                "Move the longer parts into files beside it, under references/.",
                column=False,
            )
            return Document(self.source, faults=tuple(self.faults))
        self._characters()
        start = len(_BOM) if self.source.startswith(_BOM) else 0
        if start:
            self._say(
                0,
                "bom",
                "The file begins with a byte order mark.",
                "Save it as UTF-8 without one.",
                severe=False,
                column=False,
            )
        found, begin = self._frontmatter(start)
        body = self.source[begin:]
        texts, lacks = self._sections(begin)
        self.faults.sort(key=lambda fault: fault.severity)  # errors first
        faults = sorted(self.faults[:FAULTS_MOST], key=lambda fault: (fault.line, fault.column or 0))
        return Document(self.source, **found, body=body, sections=texts, lacks=lacks, faults=tuple(faults))

    def _fault(self, at: int, code: str, message: str, help: str, severity: Any = "error") -> Fault:
        return Fault(self.lines.line(at), self.lines.column(at), code, message, help, severity)

    def _say(self, at: int, code: str, message: str, help: str, *, severe: bool = True, column: bool = True) -> None:
        self.faults.append(
            Fault(
                self.lines.line(at),
                self.lines.column(at) if column else None,
                code,
                message,
                help,
                "error" if severe else "warning",
            )
        )

    def _characters(self) -> None:
        """One fault for each kind of character, where it stands first."""
        seen: dict[str, tuple[int, int]] = {}
        for match in _CONTROL.finditer(self.source):
            character = match[0]
            kind = "surrogate" if "\ud800" <= character <= "\udfff" else character
            first, count = seen.get(kind, (match.start(), 0))
            seen[kind] = (first, count + 1)
        for kind, (at, count) in seen.items():
            more = "" if count == 1 else f", the first of {count:,}"
            if kind == "surrogate":
                byte = (
                    f"byte 0x{ord(self.source[at]) - 0xDC00:02X}"
                    if "\udc80" <= self.source[at] <= "\udcff"
                    else "half a character"
                )
                self._say(at, "encoding", f"This is no UTF-8: {byte}{more}.", "Save the file as UTF-8.")
            else:
                self._say(at, "control", f"A control character stands here, U+{ord(kind):04X}{more}.", "Take it out.")

    def _frontmatter(self, start: int) -> tuple[dict[str, Any], int]:
        """The fields, and where the Markdown begins."""
        nothing: dict[str, Any] = {}
        starts = [start, *self.lines.starts[1:]]
        texts = [
            self.source[here:end].rstrip("\r\n")
            for here, end in zip(starts, [*starts[1:], len(self.source)], strict=True)
        ]
        if not _FENCE.fullmatch(texts[0]):
            self._no_frontmatter(texts)
            return nothing, start
        closing = next((number for number, text in enumerate(texts[1:], 1) if _FENCE.fullmatch(text)), None)
        if closing is None:
            self._say(
                start,
                "unclosed",
                'The frontmatter that begins here has no end: no other line is "---".',
                'Write "---" on a line of its own behind the last key.',
            )
            return nothing, start
        begin = starts[closing + 1] if closing + 1 < len(starts) else len(self.source)
        yaml, offset = self.source[starts[1] : starts[closing]], starts[1]
        if len(yaml) > FRONTMATTER_MOST:
            self._say(
                offset,
                "frontmatter_size",
                f"The frontmatter has {len(yaml):,} characters, and {FRONTMATTER_MOST:,} is the most.",
                "Move the longer parts below it.",
            )
            return nothing, begin
        if _CONTROL.search(yaml):
            return nothing, begin
        return self._fields(yaml, offset), begin

    def _fields(self, yaml: str, offset: int) -> dict[str, Any]:
        try:
            tree = frontmatter.read(yaml)
        except frontmatter.Unreadable as error:
            self._say(offset + error.offset, error.code, error.message, error.help)
            return {}
        if tree is None:
            tree = frontmatter.Value("mapping", "", 0, 0, 0)
        if tree.kind != "mapping" or tree.flow:
            self._say(
                offset + tree.start,
                "no_keys",
                "The frontmatter is not written as one key a line.",
                "Write each on a line of its own: name: ..., description: ...",
            )
            return {}
        fields = Fields(tree, lambda at, *rest: self._fault(offset + at, *rest), strict=self.strict, folder=self.folder)
        found = fields.read()
        self.faults += fields.faults
        return found

    def _no_frontmatter(self, texts: list[str]) -> None:
        minimum = _MINIMUM.format(name=slug(self.folder or "") or "expense-claim")
        written = [number for number, text in enumerate(texts) if text.strip()]
        if not written:
            self._say(0, "empty", "The file is empty.", minimum, column=False)
        elif len(written) == 1 and _LINK.fullmatch(texts[written[0]].strip()):
            self._say(
                0,
                "link",
                "The file holds nothing but the path of another: a symbolic link that was saved as a text.",
                "Send the file it points to.",
                column=False,
            )
        elif _FENCE.fullmatch(texts[written[0]]):
            self._say(0, "late", "There are empty lines above the frontmatter.", "Take them out.", column=False)
        elif _FENCE.fullmatch(texts[written[0]].strip()):
            self._say(0, "late", 'Spaces stand before the first "---".', "Take them out.", column=False)
        else:
            self._say(0, "no_frontmatter", "The file has no frontmatter.", minimum, column=False)

    def _sections(self, begin: int) -> tuple[dict[str, str], tuple[str, ...]]:
        texts: dict[str, str] = {}
        for section in sections.find(self.source[begin:]):
            title = sections.SECTIONS[section.name]
            if section.name in texts:
                self._say(
                    begin + section.offset,
                    "duplicate_section",
                    f'The section "{title}" is here twice.',
                    "Make one section of the two.",
                    severe=self.strict,
                )
                section_text = f"{texts[section.name]}\n\n{section.text}".strip()
            else:
                section_text = section.text
            texts[section.name] = section_text
            if not section.text and self.strict:
                self._say(
                    begin + section.offset,
                    "empty_section",
                    f'The section "{title}" is empty.',
                    "Write at least a sentence.",
                )
        lacks = tuple(title for name, title in sections.SECTIONS.items() if not texts.get(name))
        if self.strict:
            for name, title in sections.SECTIONS.items():
                if name not in texts:
                    self._say(
                        max(0, len(self.source) - 1),
                        "no_section",
                        f'The section "{title}" is missing.',
                        f'Write a heading "## {title}" and its text.',
                    )
        return texts, lacks
