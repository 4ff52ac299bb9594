"""Text inside text: base64, base32, hexadecimal, binary, character codes, Morse, escapes of URLs, HTML and programs.

A decoder proposes replacements only where what comes out is readable text, so an identifier or a hash stays as it is. All
patterns take one step a character: no part of them can be matched in two ways.
"""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

BUDGET = 20_000  # encoded characters of one text that are looked at
Change = tuple[int, int, str]

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{12,}={0,2}(?![A-Za-z0-9+/_=])")
_BASE32 = re.compile(r"(?<![A-Za-z0-9])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9=])")
_HEX = re.compile(
    r"(?<![0-9A-Za-z\\])(?:0x|\\x)?[0-9a-fA-F]{2}(?:[ ,:-]{0,2}(?:0x|\\x)?[0-9a-fA-F]{2}){7,}(?![0-9A-Za-z])"
)
_HEX_SIGNS = re.compile(r"0x|\\x|[ ,:-]")
_BINARY = re.compile(r"(?<![01])[01]{8}(?:[ ,]?[01]{8}){3,}(?![01])")
_CODES = re.compile(r"(?<!\d)\d{2,3}(?:[ ,;]{1,2}\d{2,3}){7,}(?!\d)")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,24});")
_ESCAPE = re.compile(
    r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\U([0-9a-fA-F]{8})|\\[nrt](?=\w)"
)
_MORSE = re.compile(r"(?<![.\-])[.\-]{1,5}(?:[ /|]{1,3}[.\-]{1,5}){7,}(?![.\-])")
_MORSE_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE_LETTERS = dict(zip(_MORSE_SIGNS.split(" "), "abcdefghijklmnopqrstuvwxyz", strict=True))


def decoded(text: str) -> list[tuple[str, list[Change]]]:
    """For each code that was found, its name and the replacements (start, end, readable text)."""
    found = ((name, list(_bounded(find(text)))) for name, find in _DECODERS)
    return [(name, changes) for name, changes in found if changes]


def _bounded(changes: Iterator[Change]) -> Iterator[Change]:
    left = BUDGET
    for change in changes:
        left -= change[1] - change[0]
        if left < 0:
            return
        yield change


def readable(raw: bytes | str) -> str:
    """`raw` as text if a person could read it, else ""."""
    if isinstance(raw, bytes):
        try:
            raw = raw.decode()
        except UnicodeDecodeError:
            return ""
    if len(raw) < 4 or not all(character.isprintable() or character in "\t\n\r" for character in raw):
        return ""
    letters = sum(1 for character in raw if character.isalpha() or character == " ")
    return raw if letters >= 0.7 * len(raw) else ""


def _base64(text: str) -> Iterator[Change]:
    for found in _BASE64.finditer(text):
        blob = found[0].rstrip("=").replace("-", "+").replace("_", "/")[:BUDGET]
        if len(blob) % 4 == 1:
            blob = blob[:-1]
        try:
            plain = readable(base64.b64decode(blob + "=" * (-len(blob) % 4)))
        except binascii.Error:
            continue
        if plain:
            yield found.start(), found.end(), f" {plain} "


def _base32(text: str) -> Iterator[Change]:
    for found in _BASE32.finditer(text):
        blob = found[0].rstrip("=")[:BUDGET]
        try:
            plain = readable(base64.b32decode(blob + "=" * (-len(blob) % 8)))
        except binascii.Error:
            continue
        if plain:
            yield found.start(), found.end(), f" {plain} "


def _hexadecimal(text: str) -> Iterator[Change]:
    for found in _HEX.finditer(text):
        digits = _HEX_SIGNS.sub("", found[0][:BUDGET])
        plain = readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))
        if plain:
            yield found.start(), found.end(), f" {plain} "


def _binary(text: str) -> Iterator[Change]:
    for found in _BINARY.finditer(text):
        bits = found[0].replace(" ", "").replace(",", "")
        plain = readable(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))
        if plain:
            yield found.start(), found.end(), f" {plain} "


def _codes(text: str) -> Iterator[Change]:
    for found in _CODES.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", found[0])]
        if all(32 <= number < 127 for number in numbers):
            plain = readable("".join(map(chr, numbers)))
            if plain:
                yield found.start(), found.end(), f" {plain} "


def _morse(text: str) -> Iterator[Change]:
    for found in _MORSE.finditer(text):
        words = re.split(r" ?[/|] ?| {2,3}", found[0])
        letters = ["".join(_MORSE_LETTERS.get(sign, "") for sign in word.split()) for word in words]
        plain = readable(" ".join(letters))
        if plain and len(set(plain)) > 4:  # a ruler of dashes is no message
            yield found.start(), found.end(), f" {plain} "


def _percent(text: str) -> Iterator[Change]:
    for found in _PERCENT.finditer(text):
        plain = unquote(found[0], errors="replace").replace("\ufffd", "")
        if plain:
            yield found.start(), found.end(), plain


def _entities(text: str) -> Iterator[Change]:
    for found in _ENTITY.finditer(text):
        plain = html.unescape(found[0])
        if plain != found[0]:
            yield found.start(), found.end(), plain


def _escapes(text: str) -> Iterator[Change]:
    for found in _ESCAPE.finditer(text):
        digits = next((group for group in found.groups() if group), "20")  # a line that was written out: a space
        code = int(digits, 16)
        if 32 <= code < 0x110000 and not 0xD800 <= code < 0xE000:
            yield found.start(), found.end(), chr(code)


_DECODERS: tuple[tuple[str, Callable[[str], Iterator[Change]]], ...] = (
    ("base64", _base64),
    ("base32", _base32),
    ("hex", _hexadecimal),
    ("binary", _binary),
    ("codes", _codes),
    ("morse", _morse),
    ("url", _percent),
    ("html", _entities),
    ("escapes", _escapes),
)
