"""Text as it is stored: always the same bytes for the same words."""

import hashlib
import unicodedata

from .errors import Invalid
from .secrets import refuse_secrets

REASON_MOST = 500  # characters


def clean(text: str) -> str:
    """What PostgreSQL and every reader can hold: no NUL, no lone surrogate, NFC, one kind of line end, no outer space."""
    text = text.replace("\x00", "").encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").strip()


_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and a symbol that are drawn as nothing


def is_visible(text: str) -> bool:
    """Whether anything in it is seen: a letter, a digit, a sign."""
    return any(unicodedata.category(character)[0] in "LNPS" and character not in _FILLERS for character in text)


def one_line(text: str) -> str:
    """For names: they stand in headings of prompts and in lists, where a line break would begin something else."""
    return " ".join(clean(text).split())


def name_within(text: str, *, field: str, most: int, least: int = 1) -> str:
    """A name as it is stored, and repeated in lists, prompts and the audit: one line that fits and holds no secret."""
    name = within(one_line(text), field=field, most=most, least=least)
    refuse_secrets(name, field=field)
    return name


def reason_within(reason: str, *, least: int = 0) -> str:
    """Why somebody does something: it goes to histories and the audit, where no word can be taken out again."""
    reason = within(reason, field="reason", most=REASON_MOST, least=least)
    refuse_secrets(reason, field="reason")
    return reason


def digest(*parts: str) -> str:
    """SHA-256, hexadecimal, over the parts and where each ends."""
    sha = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        sha.update(len(raw).to_bytes(8, "big") + raw)
    return sha.hexdigest()


def within(text: str, *, field: str, most: int, least: int = 1) -> str:
    """`text` cleaned, or Invalid: too long is refused, never cut. What no reader can see does not count as words."""
    text = clean(text)
    if len(text) < least or (least and not is_visible(text)):
        raise Invalid(f"{field}: write something.", errors={field: ["Write something."]})
    if len(text) > most:
        message = f"{len(text):,} characters are too many; at most {most:,} fit. Shorten it, nothing was saved."
        raise Invalid(f"{field}: {message}", errors={field: [message]})
    return text
