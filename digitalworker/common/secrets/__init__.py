"""Secrets that must never be stored as known or proposed: passwords, PINs, keys, tokens, codes, private keys.

`scanner` knows keys and tokens by their shape, `told` knows what people say by the words around it. The text that was
looked at appears in no exception, log or audit row; only the kind of secret does.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from digitalworker.common.errors import Refused

from . import scanner, told
from .readings import layers

__all__ = ["Redacted", "Secret", "find_secrets", "redact", "redact_json", "refuse_secrets", "secrets_in"]

_ROUNDS = 4  # of looking again at what is left after the first secrets were taken out
_DEEP = 40  # levels of JSON; what lies deeper is looked at as one text


@dataclass(frozen=True, slots=True)
class Secret:
    """text[start:end] is one: a "password", "pin", "private key", "github pat", ..."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with a marker such as "[password removed]" in the place of each secret, and the kinds, sorted."""

    text: str
    kinds: list[str]


def refuse_secrets(text: str, *, field: str = "", under: str = "") -> None:
    """Raise Refused (code "secret", `kinds`) if `text` holds one, or is one for the name it stands `under`; say nothing
    otherwise."""
    if kinds := find_secrets(text) or secrets_under(under, text):
        message = f"This text holds what looks like {_named(kinds)}, so it was not stored. Take it out and try again."
        raise Refused(
            f"{field}: {message}" if field else message,
            code="secret",
            errors={field: [message]} if field else None,
            kinds=kinds,
        )


def find_secrets(text: str) -> list[str]:
    """The kinds of secret in `text`, sorted.

    About 0.2 ms a text; the first call of a process takes about 50 ms.
    """
    return sorted({secret.kind for secret in secrets_in(text)})


def secrets_in(text: str) -> list[Secret]:
    """The secrets in `text`, by position; those found at one place by several rules are all named."""
    if not text or text.isspace():
        return []
    removed = [marker.span() for marker in re.finditer(_marker(), text)]
    found: set[Secret] = set()
    for layer in layers(text):
        here = {
            Secret(kind, *layer.span(start, end))
            for find in (told.find, scanner.find)
            for kind, start, end in find(layer.text, shapes_only=layer.unbroken)
        }
        found |= {one for one in here if not layer.unbroken or not any(_within(one, other) for other in found)}
    found = {one for one in found if not any(start <= one.start and one.end <= end for start, end in removed)}
    return sorted(found, key=lambda secret: (secret.start, secret.end, secret.kind))


def _within(one: Secret, other: Secret) -> bool:
    return other.start <= one.start and one.end <= other.end


def redact(text: str) -> Redacted:
    """`text` without its secrets, also where the same value is repeated without a word that gives it away."""
    kinds: set[str] = set()
    for _ in range(_ROUNDS):
        secrets = secrets_in(text)
        if not secrets:
            return Redacted(text, sorted(kinds))
        kinds |= {secret.kind for secret in secrets}
        text = _without(text, secrets)
    return Redacted(_mark(kinds), sorted(kinds))  # nothing of it can be told apart


def _without(text: str, secrets: list[Secret]) -> str:
    places = [(secret.start, secret.end, secret.kind) for secret in secrets]
    for secret in secrets:
        places += [(start, end, secret.kind) for start, end in told.repetitions(text, text[secret.start : secret.end])]
    parts, at = [], 0
    for start, end, kind in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= at:
            parts += [text[at:start], _mark([kind])]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def redact_json(value: Any, *, named: str = "", depth: int = 0) -> tuple[Any, set[str]]:
    """The same JSON without secrets, and their kinds. A value is read together with its name: {"pin": 4821}."""
    if depth < _DEEP and isinstance(value, dict):
        pairs = [(redact(key), *redact_json(item, named=key, depth=depth + 1)) for key, item in value.items()]
        kinds = {kind for key, _, found in pairs for kind in (*key.kinds, *found)}
        return {key.text: item for key, item, _ in pairs}, kinds
    if depth < _DEEP and isinstance(value, list):
        items = [redact_json(item, named=named, depth=depth + 1) for item in value]
        return [item for item, _ in items], {kind for _, found in items for kind in found}
    if value is None or isinstance(value, bool):
        return value, set()
    alone = redact(str(value))
    if alone.kinds:
        return alone.text, set(alone.kinds)
    told_by_name = set(secrets_under(named, str(value))) if named and not find_secrets(named) else set()
    return (_mark(told_by_name), told_by_name) if told_by_name else (value, set())


def secrets_under(name: str, value: str) -> list[str]:
    """The kinds of secret that `value` is for the name it stands under: `wifi_password` = `sunshine`."""
    return sorted({kind for text in told.under(name, value) for kind in find_secrets(text)})


def _mark(kinds: Iterable[str]) -> str:
    """What stands in the place of a secret. Its words are few and fixed, so that a marker is known by them again."""
    return f"[{' and '.join(sorted({kind if kind in told.kinds() else 'key' for kind in kinds}))} removed]"


def _marker() -> str:
    one = "|".join(map(re.escape, sorted({*told.kinds(), "key"})))
    return rf"\[(?:{one})(?: and (?:{one}))* removed\]"


def _named(kinds: Iterable[str]) -> str:
    return " and ".join(f"{'an' if kind[0] in 'aeio' else 'a'} {kind}" for kind in kinds)
