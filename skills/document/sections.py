"""The four sections of a skill of ours, found by their headings."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from .lines import Lines

SECTIONS = {
    "when_to_use": "When To Use",
    "procedure": "Procedure",
    "do_not_do": "Do Not Do",
    "verification": "Verification",
}
_BY_TITLE = {title.casefold(): name for name, title in SECTIONS.items()}
_LEVEL_MOST = 3


@dataclass(frozen=True, slots=True)
class Section:
    """`offset` is where the heading's line begins in the Markdown."""

    name: str
    offset: int
    text: str


def find(markdown: str) -> list[Section]:
    """The sections in their order, a name once for each heading that has it.

    One ends at the next heading that stands as high as its own, and at every heading of the four. What looks like a heading
    inside a block of code, a quotation or a list is none.
    """
    lines = Lines(markdown)
    marks = []  # name, level, offset of the heading, offset behind it
    tokens = _markdown().parse(markdown.replace("\0", "\ufffd"))
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        level = int(token.tag[1:])
        if level <= _LEVEL_MOST:
            title = " ".join(inline.content.strip(" *_:").casefold().split())
            first, last = token.map
            marks.append((_BY_TITLE.get(title, ""), level, lines.starts[first], _start(lines, last)))
    found = []
    for number, (name, level, offset, begin) in enumerate(marks):
        if name:
            ends = (other[2] for other in marks[number + 1 :] if other[0] or other[1] <= level)
            found.append(Section(name, offset, markdown[begin : next(ends, len(markdown))].strip()))
    return found


def _start(lines: Lines, number: int) -> int:
    return lines.starts[number] if number < len(lines.starts) else len(lines.text)


@cache
def _markdown():
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable("inline")
