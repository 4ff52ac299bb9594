"""Where in a text an offset lies, for people: lines and columns from 1."""

import re
from bisect import bisect_right

_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """The lines of a text whose lines end in CRLF, CR or LF, also mixed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(end.end() for end in _END.finditer(text))]

    def line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def column(self, offset: int) -> int:
        return offset - self.starts[self.line(offset) - 1] + 1

    def start(self, offset: int) -> int:
        """Where the line begins that `offset` is in."""
        return self.starts[self.line(offset) - 1]

    def after(self, offset: int) -> int:
        """Where the next line begins, or the end of the text."""
        line = self.line(offset)
        return self.starts[line] if line < len(self.starts) else len(self.text)
