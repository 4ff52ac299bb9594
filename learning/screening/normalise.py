"""The layers of a text in which rules look: as a reader sees it, and as a model could be told to read it.

The first layer is the text without invisible characters, in small letters, without accents, each lookalike letter folded
into the Latin one. More layers are made only where there is something to undo: characters that spell text invisibly,
encoded parts (two deep), digits for letters, words that are split or glued, rotated or reversed letters. Each layer leads
every character back to where it came from. Time and memory grow with the length of the text, never faster.
"""

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from . import characters, encodings
from .mapped import Mapped

PLAIN = "plain"
_DEPTH = 2
_SEGMENTED = 4_000  # glued letters of one text that are taken apart
_LONGEST = 18  # letters of a word

_UNCLEAN = re.compile(r"[^\t\n\r\x20-\x7e]")
_WORD = re.compile(r"[a-z]{4,}")
_LEET_WORD = re.compile(r"(?<![a-z0-9@$!|+])[a-z0-9@$!|+]{3,20}(?![a-z0-9@$|+])")
_LEET = (str.maketrans("0134578@$!|+", "oieastbasiit"), str.maketrans("0134578@$!|+", "oleastbaslit"))
_SINGLES = re.compile(r"(?<![a-z0-9])[a-z](?:[ .,_*~^|/\\+\-]{1,3}[a-z]){3,}(?![a-z0-9])")
_SPLIT = re.compile(r"(?<=[a-z])[._*~^|\\+`\-]{1,2}(?=[a-z])")
_SPLIT_WORD = re.compile(r"(?<![a-z])[a-z]{1,14}(?:[._*~^|\\+`\-]{1,2}[a-z]{1,14}){1,40}(?![a-z])")
_MARKUP = re.compile(r"(?<=[a-z])(?:</?[a-z]{1,6}/?>|<!-{2,3}[^<>]{0,20}-->)+(?=[a-z])")
_PAIR = re.compile(r"(?<![a-z'])([a-z]{1,9})(-?[ \t]?\r?\n[ \t]?|[ ]|-[ ])(?=([a-z]{1,9})(?![a-z']))")
_SMALL_WORDS = "a i an as at be by do go he if in is it me my no of on or so to up us we and for the you all any"
_SMALL = frozenset(_SMALL_WORDS.split())
_LONG = re.compile(r"[a-z]{12,}")
_ROTATED = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_MIRRORED = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")


@dataclass(frozen=True, slots=True)
class Layer:
    """One reading of a text. `name` says what was undone: "plain", "base64", "url+base64", "leet", "joined", ..."""

    name: str
    mapped: Mapped

    @property
    def text(self) -> str:
        return self.mapped.text

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where characters start..end of the layer stand in the original text."""
        return self.mapped.span(start, end)


def layers(text: str, known: Set[str] = frozenset()) -> list[Layer]:
    """The layers of `text`, "plain" first; those after it differ from it.

    `known` are words, in small letters without accents, by which a reading is recognised as one: letters are put together,
    taken apart, rotated or reversed only where words of `known` come out.
    """
    made = [Layer(name or PLAIN, folded) for name, folded in _readings(text)]
    for layer in tuple(made):
        for name, undo in _DISGUISES:
            undone = undo(layer.mapped, known)
            if undone is not None:
                made.append(Layer(name if layer.name == PLAIN else f"{layer.name}+{name}", undone))
    return made


def _readings(text: str) -> Iterator[tuple[str, Mapped]]:
    """The text folded, and what is hidden or encoded in it, folded too."""
    original = Mapped.of(text)
    waiting = [("", original, 0)]
    for name, changes in smuggled(text):
        waiting.append((name, original.replaced(changes), 0))
    while waiting:
        name, source, depth = waiting.pop(0)
        ordinary = not _UNCLEAN.search(source.text)
        if ordinary:
            yield name, Mapped(source.text.lower(), source.starts, source.ends)
        else:
            yield name, source.each(characters.fold)
        if depth < _DEPTH:
            cleaned = source if ordinary else source.each(characters.clean)
            found = encodings.decoded(cleaned.text)
            if found:
                changes = [change for _, some in found for change in some]
                codes = "+".join(code for code, _ in found)
                waiting.append((f"{name}+{codes}" if name else codes, cleaned.replaced(changes), depth + 1))


def smuggled(text: str) -> list[tuple[str, list[tuple[int, int, str]]]]:
    """Text that rows of invisible characters spell: for "tags", "selectors" and "zero-width" (start, end, spelled)."""
    if text.isascii():
        return []
    found: dict[str, list[tuple[int, int, str]]] = {}
    for name, pattern, spell in _SMUGGLED:
        changes = [(row.start(), row.end(), spelled) for row in pattern.finditer(text) if (spelled := spell(row[0]))]
        if changes:
            found[name] = changes
    return list(found.items())


def _spell_tags(row: str) -> str:
    spelled = "".join(chr(ord(tag) - 0xE0000) for tag in row)
    return f" {plain} " if (plain := encodings.readable("".join(filter(str.isprintable, spelled)))) else ""


def _spell_selectors(row: str) -> str:
    plain = encodings.readable(bytes(map(characters.selected_byte, row)))
    return f" {plain} " if plain else ""


def _spell_bits(row: str) -> str:
    """Two kinds of zero-width characters as the bits of bytes."""
    kinds = sorted(set(row))
    if len(kinds) != 2 or len(row) % 8:
        return ""
    for one in kinds:
        bits = "".join("1" if character == one else "0" for character in row)
        plain = encodings.readable(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))
        if plain:
            return f" {plain} "
    return ""


_SMUGGLED: tuple[tuple[str, re.Pattern, Callable[[str], str]], ...] = (
    ("tags", re.compile("[\U000e0000-\U000e007f]{4,}"), _spell_tags),
    ("selectors", re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}"), _spell_selectors),
    ("zero-width", re.compile("[\u200b-\u200d\u2060\ufeff]{32,}"), _spell_bits),
)


# --- disguises of a folded text ----------------------------------------------------------------------------------------


def _leet(folded: Mapped, known: Set[str]) -> Mapped | None:
    changes = []
    for found in _LEET_WORD.finditer(folded.text):
        word = found[0]
        if word.isalpha() or word.isdigit():
            continue
        # "!" ends a sentence more often than it stands for a letter.
        for ending in ("", "!"):
            body = word.removesuffix(ending)
            plain = next((new for table in _LEET if (new := body.translate(table)) in known), "")
            if plain and body != plain:
                changes += _letterwise(found.start(), body, plain)
                break
    return folded.replaced(changes) if changes else None


def _letterwise(start: int, old: str, new: str) -> list[tuple[int, int, str]]:
    return [(start + i, start + i + 1, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]


def _joined(folded: Mapped, known: Set[str]) -> Mapped | None:
    """Single letters and split words put together, glued words taken apart; None where no known word comes of it."""
    text = folded.text
    changes: list[tuple[int, int, str]] = []
    taken = _Taken(known)
    for found in _SINGLES.finditer(text):
        changes += _unspaced(found, taken)
    changes += [(found.start(), found.end(), "") for found in _MARKUP.finditer(text)]
    for found in _SPLIT_WORD.finditer(text):
        glued = _SPLIT.sub("", found[0])
        pieces = _SPLIT.split(found[0])
        if glued in known:
            changes += [
                (found.start() + gap.start(), found.start() + gap.end(), "") for gap in _SPLIT.finditer(found[0])
            ]
        elif any(len(piece) < 3 for piece in pieces) and (words := taken.apart(glued)):
            changes.append((found.start(), found.end(), words))
    for found in _PAIR.finditer(text):
        # "dis regard", or a word that goes on in the next line.
        left, right = found[1], found[3]
        least = 4 if left not in _SMALL and right not in _SMALL else 6
        if len(left + right) >= least and left + right in known:
            changes.append((found.start(2), found.end(2), ""))
    for found in _LONG.finditer(text):
        if found[0] not in known and (cuts := taken.cuts(found[0])):
            # An insertion replaces the letter before it by itself and a space, so that every letter keeps its place.
            changes += [
                (found.start() + cut - 1, found.start() + cut, found[0][cut - 1] + " ") for cut in cuts if cut > 0
            ]
    return folded.replaced(changes) if changes else None


def _unspaced(found: re.Match, taken: "_Taken") -> list[tuple[int, int, str]]:
    row = found[0]
    gaps = [(gap.start(), gap.end()) for gap in re.finditer(r"[^a-z]+", row)]
    widest = max(end - start for start, end in gaps)
    if widest > 1 and any(end - start < widest for start, end in gaps):
        # Letters stand nearer to each other than words do.
        return [(found.start() + a, found.start() + b, "" if b - a < widest else " ") for a, b in gaps]
    words = taken.apart("".join(letter for letter in row if letter.isalpha()))
    if not words:
        return [(found.start() + a, found.start() + b, "") for a, b in gaps]
    # Letter by letter, so that a finding leads to its own letters and not to the whole row.
    changes, at = [], 0
    for a, b in gaps:
        at += 1
        space = at < len(words) and words[at] == " "
        changes.append((found.start() + a, found.start() + b, " " if space else ""))
        at += space
    return changes


class _Taken:
    """Takes glued words apart by the known ones, with a budget for the whole text."""

    def __init__(self, known: Set[str]) -> None:
        self.known = known
        self.left = _SEGMENTED

    def apart(self, glued: str) -> str:
        cuts = self.cuts(glued)
        return " ".join(glued[a:b] for a, b in zip([0, *cuts], [*cuts, len(glued)], strict=True)) if cuts else ""

    def cuts(self, glued: str) -> list[int]:
        """Where known words meet in `glued`; empty unless at least two of them fill it whole."""
        self.left -= len(glued)
        if self.left < 0 or not self.known:
            return []
        # The fewest words that fill the first i letters, and where the last of them starts.
        best: list[tuple[int, int] | None] = [(0, 0)]
        for end in range(1, len(glued) + 1):
            choices = [
                (before[0] + 1, start)
                for start in range(max(0, end - _LONGEST), end)
                if (before := best[start]) is not None and glued[start:end] in self.known
            ]
            best.append(min(choices, default=None))
        cuts = []
        at = len(glued)
        while at and (step := best[at]) is not None:
            at = step[1]
            cuts.append(at)
        cuts = sorted(cut for cut in cuts if cut) if at == 0 and len(cuts) > 1 else []
        words = [glued[a:b] for a, b in zip([0, *cuts], [*cuts, len(glued)], strict=True)]
        # Scraps such as "ai" and "ent" are parts of one word, not words that were glued.
        return cuts if all(len(word) > 2 or word in _SMALL for word in words) else []


def _rotated(folded: Mapped, known: Set[str]) -> Mapped | None:
    return _translated(folded, known, _ROTATED)


def _mirrored(folded: Mapped, known: Set[str]) -> Mapped | None:
    return _translated(folded, known, _MIRRORED)


def _translated(folded: Mapped, known: Set[str], table: dict[int, int]) -> Mapped | None:
    words = set(_WORD.findall(folded.text)) - known
    if sum(1 for word in words if word.translate(table) in known) < 2:
        return None
    return Mapped(folded.text.translate(table), folded.starts, folded.ends)


def _backwards(folded: Mapped, known: Set[str]) -> Mapped | None:
    words = set(_WORD.findall(folded.text)) - known
    if sum(1 for word in words if len(word) > 4 and word[::-1] in known) < 2:
        return None
    return folded.backwards()


_DISGUISES: tuple[tuple[str, Callable[[Mapped, Set[str]], Mapped | None]], ...] = (
    ("leet", _leet),
    ("joined", _joined),
    ("rot13", _rotated),
    ("atbash", _mirrored),
    ("backwards", _backwards),
)
