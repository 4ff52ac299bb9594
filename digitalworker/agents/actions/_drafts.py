"""Events as they are handed in, and the checks each must pass before anything is stored."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.models import ChatEvent
from digitalworker.common.errors import Invalid
from digitalworker.common.text import clean

BATCH_MOST = 500
TEXT_MOST = 20_000  # characters
PAYLOAD_MOST = 20_000  # bytes of JSON
ID_MOST = 200
AUTHOR_MOST = 120
FUTURE_MOST = timedelta(days=1)  # clocks differ, and some senders leave the time zone off


@dataclass(frozen=True, slots=True)
class EventDraft:
    """One event as it was handed in, not yet checked.

    Where it belongs is said by `thread_id` (ours) or `thread_external_id` (the sender's; created when new); with neither,
    the drafts of one `external_user_id` in a batch share one new thread, and a draft without that id gets its own.
    `channel` is the provider's id or the name of a channel that is assigned to the agent. `occurred_at` must have a time
    zone and defaults to now.
    """

    kind: str
    text: str
    author_kind: str
    author: str = ""
    verified: bool = False
    external_user_id: str | None = None
    thread_id: UUID | None = None
    thread_external_id: str | None = None
    channel_id: UUID | None = None
    channel: str | None = None
    payload: dict = field(default_factory=dict)
    idempotency_key: str | None = None
    occurred_at: datetime | None = None
    author_user_id: int | None = None


@dataclass(slots=True)
class Line:
    """A checked draft on its way to becoming a row."""

    index: int
    draft: EventDraft
    text: str
    author: str
    payload: dict
    user: str | None
    thread_name: str | None
    channel_name: str | None
    key: str | None
    event: ChatEvent | None = None

    @property
    def place(self) -> tuple:
        """Lines with the same place go to the same thread."""
        if self.draft.thread_id:
            return ("id", self.draft.thread_id)
        if self.thread_name:
            return ("name", self.thread_name)
        return ("user", self.user) if self.user else ("line", self.index)


def checked(drafts: Sequence[EventDraft]) -> list[Line]:
    if len(drafts) > BATCH_MOST:
        raise Invalid(
            f"{len(drafts)} events are too many for one batch; at most {BATCH_MOST} fit. Nothing was stored.",
            code="batch_too_large",
        )
    errors: dict[str, list[str]] = {}
    lines = [_check(index, draft, errors) for index, draft in enumerate(drafts)]
    if errors:
        count = len({name.partition(".")[0] for name in errors})
        raise Invalid(f"{count} of {len(drafts)} events can not be taken; nothing was stored.", errors=errors)
    return lines


def _check(index: int, draft: EventDraft, errors: dict[str, list[str]]) -> Line:
    def refuse(name: str, message: str) -> None:
        errors.setdefault(f"{index}.{name}", []).append(message)

    def words(name: str, most: int) -> str:
        value = getattr(draft, name)
        if value is None:
            return ""
        if not isinstance(value, str):
            refuse(name, "This must be text.")
            return ""
        value = clean(value)
        if len(value) > most:
            refuse(name, f"{len(value):,} characters are too many; at most {most:,} fit.")
        return value

    if draft.kind not in EventKind.values:
        refuse("kind", f"Use one of: {', '.join(EventKind.values)}.")
    if draft.author_kind not in AuthorKind.values:
        refuse("author_kind", f"Use one of: {', '.join(AuthorKind.values)}.")
    text = words("text", TEXT_MOST)
    payload = _payload(draft.payload, refuse)
    if not text and not (payload and draft.kind == EventKind.TOOL_RUN):
        refuse("text", "Write something.")
    verified: object = draft.verified  # not checked by anybody before us
    if not isinstance(verified, bool):
        refuse("verified", "Use true or false.")
    for name in ("thread_id", "channel_id"):
        if getattr(draft, name) is not None and not isinstance(getattr(draft, name), UUID):
            refuse(name, "This is not an id.")
    if draft.thread_id and draft.thread_external_id:
        refuse("thread_external_id", "Name the thread by its id here or by yours, not by both.")
    _check_time(draft.occurred_at, refuse)
    return Line(
        index=index,
        draft=draft,
        text=text,
        author=words("author", AUTHOR_MOST),
        payload=payload,
        user=words("external_user_id", ID_MOST) or None,
        thread_name=words("thread_external_id", ID_MOST) or None,
        channel_name=words("channel", ID_MOST) or None,
        key=words("idempotency_key", ID_MOST) or None,
    )


def _check_time(moment: object, refuse) -> None:
    if moment is None:
        return
    if not isinstance(moment, datetime) or timezone.is_naive(moment):
        refuse("occurred_at", "Give a time with its time zone, such as 2026-05-08T13:56:00Z.")
    elif moment > timezone.now() + FUTURE_MOST:
        refuse("occurred_at", "This lies in the future.")


def _payload(payload: object, refuse) -> dict:
    if not isinstance(payload, dict):
        refuse("payload", "This must be an object.")
        return {}
    if not payload:
        return {}
    try:
        # The database takes neither NUL nor lone surrogates nor NaN inside JSON.
        cleaned = _clean_json(payload)
        size = len(json.dumps(cleaned, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError):
        refuse("payload", "This is not plain JSON, or it is nested too deep.")
        return {}
    if size > PAYLOAD_MOST:
        refuse("payload", f"{size:,} bytes are too many; at most {PAYLOAD_MOST:,} fit.")
    return cleaned


def _clean_json(value):
    if isinstance(value, dict):
        return {_clean_string(str(key)): _clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_json(item) for item in value]
    return _clean_string(value) if isinstance(value, str) else value


def _clean_string(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
