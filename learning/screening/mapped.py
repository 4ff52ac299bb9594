"""A text that remembers where each of its characters came from."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mapped:
    """`text`, and for each of its characters where the part of the original that it stands for starts and ends."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "Mapped":
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where text[start:end] stands in the original; both in characters, 0 <= start < end <= len(text)."""
        # Not simply the first and the last: a layer may be written backwards.
        first, last = (self.starts[start], self.ends[end - 1])
        if first < last:
            return first, last
        return min(self.starts[start:end]), max(self.ends[start:end])

    def each(self, change: Callable[[str], str]) -> "Mapped":
        """With every character replaced by what `change` makes of it: none, one or several."""
        parts = [change(character) for character in self.text]
        starts: list[int] = []
        ends: list[int] = []
        for part, start, end in zip(parts, self.starts, self.ends, strict=True):
            if len(part) == 1:
                starts.append(start)
                ends.append(end)
            elif part:
                starts.extend([start] * len(part))
                ends.extend([end] * len(part))
        return Mapped("".join(parts), starts, ends)

    def replaced(self, changes: Iterable[tuple[int, int, str]]) -> "Mapped":
        """With each (start, end, new) in place; those that overlap an earlier one are left out.

        Every character of `new` stands for the whole of what it replaced.
        """
        texts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for start, end, new in sorted(changes):
            if start < at or start >= end:
                continue
            texts += [self.text[at:start], new]
            starts.extend(self.starts[at:start])
            ends.extend(self.ends[at:start])
            first, last = self.span(start, end)
            starts.extend([first] * len(new))
            ends.extend([last] * len(new))
            at = end
        texts.append(self.text[at:])
        starts.extend(self.starts[at:])
        ends.extend(self.ends[at:])
        return Mapped("".join(texts), starts, ends)

    def backwards(self) -> "Mapped":
        return Mapped(self.text[::-1], self.starts[::-1], self.ends[::-1])
