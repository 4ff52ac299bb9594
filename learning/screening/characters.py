"""Single characters: which of them a reader cannot see, and which letter a reader takes them for."""

import functools
import unicodedata

from digitalworker.common.secrets.readings import LOOKALIKES

ZERO_WIDTH = frozenset("\u034f\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff")
BIDI_OVERRIDES = frozenset("\u202d\u202e")
BIDI_OPENERS = frozenset("\u202a\u202b\u2066\u2067\u2068") | BIDI_OVERRIDES
BIDI_CLOSERS = frozenset("\u202c\u2069")
FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_KEPT = frozenset("\t\n\r")

# What a letter of another script, or a rare one of ours, is taken for. Upper and lower case differ: Η is an H, η an n.
_LOOKALIKES = {
    **LOOKALIKES,
    **dict(zip("օոսհցզյաք", "onuhgqjwp", strict=True)),
    **dict(zip("ᎪᏟᎬᎻᎥᎫᏦᏞᎷΝᏢᏚᎢᏙᎳ", "ACEHIJKLMNPSTVW", strict=True)),
    **dict(zip("ıɡɑɩøłđħƒŧʟɛʋ", "igaiolhhftlev", strict=True)) | {"đ": "d"},
    **dict(zip("ØŁĐĦ", "OLDH", strict=True)),
    # Turned letters; whoever turns a text also writes it backwards.
    **dict(zip("ɐǝɟƃɥᴉɾʞɯɹʇʌʍʎ", "aefghijkmrtvwy", strict=True)),
    "æ": "ae",
    "œ": "oe",
    "Æ": "AE",
    "Œ": "OE",
    "ß": "ss",
    "ẞ": "SS",
    "þ": "th",
    "ð": "d",
    # Typographic signs, so that a rule needs to know one apostrophe and one dash.
    **dict.fromkeys("‘’‚‛ʼ′`´", "'"),
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    # Braille, letter by letter.
    **dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", "abcdefghijklmnopqrstuvwxyz", strict=True)),
    "⁄": "/",
    "∕": "/",
}
_LETTER_BLOCKS = (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)  # squared, negative circled, negative squared, regional
_STRONG_GREEK = frozenset("αεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_STRONG_CYRILLIC = frozenset("авсеԁһіјкӏмноԛрѕтуѵԝхАВСЕНІЈКМОРЅТУХԜ")


def is_tag(character: str) -> bool:
    return 0xE0000 <= ord(character) <= 0xE007F


def is_selector(character: str) -> bool:
    """Variation selectors: one after a character chooses its look, a row of them is cargo."""
    return 0xFE00 <= ord(character) <= 0xFE0F or 0xE0100 <= ord(character) <= 0xE01EF


def selected_byte(character: str) -> int:
    """The byte 0..255 that a variation selector stands for in texts that are smuggled in a row of them."""
    code = ord(character)
    return code - 0xFE00 if code <= 0xFE0F else code - 0xE0100 + 16


@functools.lru_cache(8192)
def is_hidden(character: str) -> bool:
    if character in _KEPT:
        return False
    return (
        character in ZERO_WIDTH
        or character in FILLERS
        or is_selector(character)
        or unicodedata.category(character) in _HIDDEN_CATEGORIES
    )


@functools.lru_cache(8192)
def clean(character: str) -> str:
    """`character` in its ordinary form, case kept: "Ａ" gives "A", what cannot be seen gives ""."""
    if character.isascii():
        return character if (character >= " " and character != "\x7f") or character in _KEPT else ""
    if is_hidden(character):
        return ""
    return unicodedata.normalize("NFKC", character)


@functools.lru_cache(8192)
def fold(character: str) -> str:
    """The small letters without accents a reader takes `character` for: "É" gives "e", Cyrillic "а" gives "a"."""
    if character.isascii():
        return clean(character).lower()
    if is_hidden(character):
        return ""
    code = ord(character)
    for first in _LETTER_BLOCKS:
        if first <= code < first + 26:
            return chr(code - first + 97)
    name = unicodedata.name(character, "")
    if name.startswith("LATIN LETTER SMALL CAPITAL ") and len(name) == 28:
        return name[-1].lower()
    # Compatibility forms are taken apart and accents dropped, each character for itself: ordering long rows of combining
    # marks, as whole-text normalisation does, takes quadratic time.
    parts = unicodedata.normalize("NFKD", _LOOKALIKES.get(character, character))
    plain = "".join(_LOOKALIKES.get(part, part) for part in parts if not unicodedata.combining(part))
    return plain.casefold()


def is_mixed(word: str) -> bool:
    """Whether `word`, letters only, mixes Latin letters with lookalikes of another script: "pаssword" with a Cyrillic а.

    Words such as "μm" or "Δt", where the other letter is meant, are not mixed.
    """
    if word.isascii() or len(word) < 3:
        return False
    latin = sum(1 for letter in word if letter.isascii() or "\u00c0" <= letter <= "\u024f")
    cyrillic = [letter for letter in word if "\u0400" <= letter <= "\u052f"]
    greek = [letter for letter in word if "\u0370" <= letter <= "\u03ff"]
    if latin and cyrillic and all(letter in _STRONG_CYRILLIC for letter in cyrillic):
        return True
    return latin >= 2 and bool(greek) and len(word) > 3 and all(letter in _STRONG_GREEK for letter in greek)
