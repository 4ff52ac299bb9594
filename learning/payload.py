"""The words of a memory, known or proposed, checked once and always the same way."""

import re
from dataclasses import asdict, dataclass
from uuid import UUID

from digitalworker.common.errors import Invalid
from digitalworker.common.text import digest, within

from .choices import MemoryKind, MemoryScope, Risk
from .models.memory import CONTENT_MOST, KEY_MOST
from .sameness import normal
from .soul_text import soul_text

KEY = re.compile(r"[a-z0-9][a-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Payload:
    """`scope`, `kind`, `key` (or None) and `content` of a memory; exactly what its digest covers."""

    scope: str
    kind: str
    key: str | None
    content: str

    @property
    def digest(self) -> str:
        return digest(self.scope, self.kind, self.key or "", self.content)

    def dedupe_key(self, person_id: UUID | None) -> str:
        """What makes two proposals about the same person the same: the words that count, whatever their kind."""
        return digest(self.scope, str(person_id or ""), self.key or "", normal(self.content))

    def as_json(self) -> dict:
        return asdict(self)


def checked(*, scope: str, kind: str, key: str | None, content: str) -> Payload:
    """A valid payload, or Invalid with every fault by field."""
    errors: dict[str, list[str]] = {}
    if scope not in MemoryScope.values:
        errors["scope"] = [f"Use one of: {', '.join(MemoryScope.values)}."]
    if kind not in MemoryKind.values:
        errors["kind"] = [f"Use one of: {', '.join(MemoryKind.values)}."]
    key = (key or "").strip().lower().replace(" ", "_") or None
    if key and (len(key) > KEY_MOST or not KEY.fullmatch(key)):
        errors["key"] = [f"Use small letters, digits, _ . and -, at most {KEY_MOST}; for example shoe_size."]
    if kind == MemoryKind.PROFILE and not key:
        errors["key"] = ["A profile attribute needs a key, for example size."]
    try:
        content = within(content, field="content", most=CONTENT_MOST)
    except Invalid as error:
        errors |= error.errors
    if errors:
        first = next(iter(errors))
        raise Invalid(f"{first}: {errors[first][0]}", errors=errors)
    return Payload(scope, kind, key, content)


def checked_risk(risk: str) -> str:
    if risk not in Risk.values:
        raise Invalid(
            f"risk: use one of {', '.join(Risk.values)}.", errors={"risk": [f"Use one of: {', '.join(Risk.values)}."]}
        )
    return risk


def text_of(payload: dict) -> str:
    """What a reviewer reads of a proposal's payload, memory or skill, or of a form of either."""
    if "document" in payload:
        return payload["document"]
    if "tone_rules_md" in payload:
        return soul_text(payload)
    return f"{payload['key']} = {payload['content']}" if payload.get("key") else payload.get("content", "")


def searched(payload: dict) -> str:
    """The text whose places findings name."""
    return payload.get("content") or text_of(payload)
