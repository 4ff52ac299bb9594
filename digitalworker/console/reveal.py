"""Makes characters that a reader cannot see, but a model can, visible as labelled marks.

What is hidden: format and control characters, bidirectional overrides, zero-width characters, variation selectors used
to carry data, tag characters (which spell ASCII invisibly), fillers, private-use characters and lone surrogates.
"""

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_SHORT = {
    0x00AD: "SHY",
    0x034F: "CGJ",
    0x061C: "ALM",
    0x115F: "filler",
    0x1160: "filler",
    0x17B4: "filler",
    0x17B5: "filler",
    0x180E: "MVS",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LSEP",
    0x2029: "PSEP",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0x2800: "blank",
    0x3164: "filler",
    0xFEFF: "BOM",
    0xFFA0: "filler",
}
_HIDDEN_CATEGORIES = {"Cf", "Cc", "Co", "Cs", "Cn", "Zl", "Zp"}


def reveal(text: str) -> SafeString:
    """`text` escaped, with each run of one kind of hidden character as `<span class="reveal">`."""
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return format_html("{}", text)
    parts: list[str] = []  # plain strings are escaped when they are joined
    for kind, group in groupby(_classified(text), key=lambda pair: pair[0]):
        run = "".join(character for _, character in group)
        parts.append(_mark(kind, run) if kind else run)
    return format_html_join("", "{}", ((part,) for part in parts))


def _classified(text: str) -> Iterator[tuple[str, str]]:
    for index, character in enumerate(text):
        yield _kind(text, index, character), character


def _kind(text: str, index: int, character: str) -> str:
    """Empty for what a reader sees, else a word that is the same for characters shown as one mark."""
    code = ord(character)
    if 0x20 <= code < 0x7F or character in "\n\t":
        return ""
    if 0xE0000 <= code <= 0xE007F:
        return "tag"
    if 0xE0100 <= code <= 0xE01EF:
        return "selector"
    if 0xFE00 <= code <= 0xFE0F:
        # One selector after a visible character chooses its look; anything else is cargo.
        before = text[index - 1] if index else ""
        return "" if before and not _is_selector(before) and not before.isspace() and before > "\x20" else "selector"
    if code == 0x200D and _joins_emoji(text, index):
        return ""
    if code in _SHORT or unicodedata.category(character) in _HIDDEN_CATEGORIES:
        return f"{code:04X}"
    return ""


def _is_selector(character: str) -> bool:
    return 0xFE00 <= ord(character) <= 0xFE0F or 0xE0100 <= ord(character) <= 0xE01EF


def _joins_emoji(text: str, index: int) -> bool:
    before = text[index - 1] if index else ""
    if before == "\ufe0f" and index > 1:
        before = text[index - 2]
    after = text[index + 1 : index + 2]
    return all(
        part and (unicodedata.category(part) == "So" or 0x1F3FB <= ord(part) <= 0x1F3FF) for part in (before, after)
    )


def _mark(kind: str, run: str) -> SafeString:
    if kind == "tag":
        spelled = "".join(chr(ord(character) - 0xE0000) for character in run)
        spelled = "".join(character if character.isprintable() else "." for character in spelled)
        return _span(f"hidden text: {spelled}", f"{len(run)} tag characters, invisible to people and read by models")
    if kind == "selector":
        return _span(f"VS×{len(run)}", f"{len(run)} variation selectors that select nothing")
    code = int(kind, 16)
    short = _SHORT.get(code) or f"U+{kind}"
    name = unicodedata.name(run[0], "control character" if code < 0xA0 else "unnamed character").lower()
    times = f"×{len(run)}" if len(run) > 1 else ""
    return _span(f"{short}{times}", f"U+{kind} {name}")


def _span(label: str, title: str) -> SafeString:
    return format_html('<span class="reveal" title="{}">{}</span>', title, label)
