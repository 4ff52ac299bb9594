"""Conversations from a JSON Lines file, one message a line, into an agent's history.

The fields of a line, each found under the name that the field map gives it:

| field  | what |
|--------|------|
| text   | what was said; needed |
| thread | which conversation; needed. Several columns may be joined: `thread=conv+session` |
| role   | who spoke: `person`, `agent`, `staff` or `system`, or a word that the role map translates; needed |
| id     | the message's id within its thread; without one, the whole line identifies it |
| user   | the id of the person; without one nothing can be learned about them |
| author | the speaker's name |
| time   | ISO 8601, Unix seconds or milliseconds, or like "1:56 pm on 8 May, 2023"; UTC unless it says otherwise |
| kind   | `message`, `reply`, `tool_run`, `correction` or `draft_edit`; by default a message, and of an agent a reply |

Importing the same lines again adds nothing, whatever the file is called. Memory use does not grow with the file.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO

from django.db import transaction

from digitalworker.agents.actions.conversations import ID_MOST, EventDraft, Recorded
from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.models import Channel, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, DomainError, Invalid
from digitalworker.common.text import digest
from digitalworker.common.types import Actor
from learning.actions.intake import take_in

BATCH = 200
LINE_MOST = 1_000_000  # bytes; a longer line is refused without being read as a whole
FIELDS = ("text", "thread", "role", "id", "user", "author", "time", "kind")
PLAIN_MAP = {name: (name,) for name in FIELDS}
PRESETS = {
    "dialogue": "text=text,thread=conv,id=id,role=role",
    "locomo": "text=text,thread=conv+session,id=dia_id,role=speaker,author=speaker,user=speaker,time=session_date_time",
}
ROLES = {
    **{kind.value: kind.value for kind in AuthorKind},
    **dict.fromkeys(("user", "customer", "client", "human", "end_user", "visitor"), AuthorKind.PERSON.value),
    **dict.fromkeys(("assistant", "bot", "ai", "model"), AuthorKind.AGENT.value),
    **dict.fromkeys(("colleague", "operator", "support", "employee"), AuthorKind.STAFF.value),
    "developer": AuthorKind.SYSTEM.value,
}
# As chat logs write it, with the hour told twice: "2004-11-15 03h 03:18".
_LOOSE = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)[ ,T]+(?:\d{1,2}h|at|um)? *(?P<clock>\d\d:\d\d(?::\d\d)?)")
_TIMES = ("%I:%M %p on %d %B, %Y", "%d %B %Y %H:%M", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M")


@dataclass(frozen=True, slots=True)
class Layout:
    """How lines are read: under which columns each field is, what the roles mean, and what holds for all of them."""

    columns: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(PLAIN_MAP))
    roles: dict[str, str] = field(default_factory=lambda: dict(ROLES))
    channel: Channel | None = None
    verified: bool = False


@dataclass(slots=True)
class Report:
    """Counts of one run. `reasons` counts the refusals by reason, with the first few line numbers of each."""

    lines: int = 0
    added: int = 0
    known: int = 0
    refused: int = 0
    reasons: dict[str, tuple[int, list[int]]] = field(default_factory=dict)

    def refuse(self, line: int, reason: str) -> None:
        self.refused += 1
        count, first = self.reasons.get(reason, (0, []))
        self.reasons[reason] = (count + 1, first if len(first) >= 5 else [*first, line])


class Unreadable(Exception):
    """One line that can not be taken; the message is the reason, without the line's own words."""


def parse_map(text: str) -> dict[str, tuple[str, ...]]:
    """`text=body,thread=conv+session` to columns by field. Raises Invalid."""
    columns = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, equals, source = (piece.strip() for piece in pair.partition("="))
        if not equals or not source or name not in FIELDS:
            raise Invalid(f"{pair!r} is no field map. Write field=column; the fields are {', '.join(FIELDS)}.")
        columns[name] = tuple(part.strip() for part in source.split("+"))
    return columns


def parse_roles(text: str) -> dict[str, str]:
    """`Caroline=person,*=staff` to author kinds by role; `*` is everybody else. Raises Invalid."""
    roles = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, _, kind = (piece.strip() for piece in pair.partition("="))
        if not name or kind not in AuthorKind.values:
            raise Invalid(f"{pair!r} is no role. Write word=kind; the kinds are {', '.join(AuthorKind.values)}.")
        roles[name.casefold()] = kind
    return roles


def import_chat(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    lines: BinaryIO,
    layout: Layout,
    on_refused: Callable[[int, str], None] = lambda line, reason: None,
    on_progress: Callable[[int], None] = lambda size: None,
) -> Report:
    """Reads `lines` to the end. Every line is added, known already, or refused with a reason; blank ones are passed by.

    `on_progress` is told how many bytes each batch took. One audit row tells of the run, also of one that was broken off.
    """
    report = Report()

    def refuse(line: int, reason: str) -> None:
        report.refuse(line, reason)
        on_refused(line, reason)

    try:
        batch: list[tuple[int, EventDraft]] = []
        read = 0
        for number, raw, size in _lines(lines):
            read += size
            if raw is not None and not raw.strip():
                continue
            report.lines += 1
            try:
                batch.append((number, _draft(raw, layout, first=number == 1)))
            except Unreadable as error:
                refuse(number, str(error))
            if len(batch) >= BATCH:
                _take(actor, role_agent, batch, report, refuse)
                on_progress(read)
                batch, read = [], 0
        _take(actor, role_agent, batch, report, refuse)
        on_progress(read)
    finally:
        counts = {"lines": report.lines, "added": report.added, "known": report.known, "refused": report.refused}
        with transaction.atomic():
            record(verb=Verb.HISTORY_IMPORTED, actor=actor, obj=role_agent, role_agent=role_agent, details=counts)
    return report


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None, int]]:
    """(number, line, bytes read); the line is None where it is too long."""
    number = 0
    while raw := stream.readline(LINE_MOST + 1):
        number += 1
        size = len(raw)
        if size > LINE_MOST and not raw.endswith(b"\n"):
            while rest := stream.readline(LINE_MOST):
                size += len(rest)
                if rest.endswith(b"\n"):
                    break
            yield number, None, size
        else:
            yield number, raw, size


def _take(actor: Actor, agent: RoleAgent, batch: list[tuple[int, EventDraft]], report: Report, refuse) -> None:
    if not batch:
        return
    try:
        recorded = take_in(actor=actor, role_agent=agent, drafts=[draft for _, draft in batch])
    except Conflict as error:
        if error.code == "agent_disabled":
            raise
        _one_by_one(actor, agent, batch, report, refuse)
    except Invalid as error:
        bad = _reasons(error)
        if not bad:
            raise
        for index, reason in sorted(bad.items()):
            refuse(batch[index][0], reason)
        _take(actor, agent, [one for index, one in enumerate(batch) if index not in bad], report, refuse)
    else:
        for (number, _), one in zip(batch, recorded, strict=True):
            _count(number, one, report, refuse)


def _one_by_one(actor: Actor, agent: RoleAgent, batch: list[tuple[int, EventDraft]], report: Report, refuse) -> None:
    """One line stands in the way of its batch: find it, and keep the others."""
    for number, draft in batch:
        try:
            [one] = take_in(actor=actor, role_agent=agent, drafts=[draft])
        except DomainError as error:
            if error.code == "agent_disabled":
                raise
            refuse(number, "; ".join(_reasons(error).values()) or error.detail)
        else:
            _count(number, one, report, refuse)


def _count(number: int, one: Recorded, report: Report, refuse) -> None:
    if one.conflict:
        refuse(number, "another text was imported under this id")
    report.added += one.created
    report.known += not one.created and not one.conflict


def _reasons(error: DomainError) -> dict[int, str]:
    reasons: dict[int, str] = {}
    for place, messages in error.errors.items():
        index, _, name = place.partition(".")
        if index.isdigit():
            said = f"{name}: {' '.join(messages)}"
            reasons[int(index)] = f"{reasons[int(index)]} {said}" if int(index) in reasons else said
    return reasons


def _draft(raw: bytes | None, layout: Layout, *, first: bool) -> EventDraft:
    if raw is None:
        raise Unreadable(f"the line is longer than {LINE_MOST:,} bytes")
    row = _row(raw.removeprefix(b"\xef\xbb\xbf") if first else raw)
    text = _text(row, layout)
    thread = _needed(row, layout, "thread")
    author_kind = _role(row, layout)
    is_person = author_kind == AuthorKind.PERSON
    kind = _value(row, layout, "kind") or (EventKind.REPLY if author_kind == AuthorKind.AGENT else EventKind.MESSAGE)
    return EventDraft(
        kind=kind,
        text=text,
        author_kind=author_kind,
        author=_value(row, layout, "author"),
        verified=layout.verified and is_person,
        external_user_id=(_value(row, layout, "user") or None) if is_person else None,
        thread_external_id=thread,
        channel_id=layout.channel.pk if layout.channel else None,
        idempotency_key=_key(raw, thread, _value(row, layout, "id")),
        occurred_at=_time(row, layout),
    )


def _row(raw: bytes) -> dict:
    try:
        row = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise Unreadable("the line is not UTF-8") from None
    except (ValueError, RecursionError):
        raise Unreadable("the line is not JSON") from None
    if not isinstance(row, dict):
        raise Unreadable("the line is not a JSON object")
    return row


def _text(row: dict, layout: Layout) -> str:
    columns = layout.columns.get("text", ())
    parts = [row.get(column) for column in columns]
    if any(part is not None and not isinstance(part, str) for part in parts):
        raise Unreadable("text: this is not text")
    text = "\n".join(part for part in parts if part)
    if not text.strip():
        raise Unreadable("text: it is missing or empty")
    if "\x00" in text:
        raise Unreadable("text: it holds a NUL character")
    return text


def _value(row: dict, layout: Layout, name: str) -> str:
    parts = []
    for column in layout.columns.get(name, ()):
        value = row.get(column)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise Unreadable(f"{name}: this is neither text nor a number")
        value = str(value)
        if "\x00" in value:
            raise Unreadable(f"{name}: it holds a NUL character")
        parts.append(value.strip())
    return "/".join(parts)


def _needed(row: dict, layout: Layout, name: str) -> str:
    value = _value(row, layout, name)
    if not value:
        raise Unreadable(f"{name}: it is missing or empty")
    return value


def _role(row: dict, layout: Layout) -> str:
    role = _needed(row, layout, "role").casefold()
    kind = layout.roles.get(role) or layout.roles.get("*")
    if kind is None:
        raise Unreadable("role: it is unknown; say what it means with --roles")
    return kind


def _key(raw: bytes, thread: str, message_id: str) -> str:
    key = f"import:{thread}:{message_id}"
    if message_id and len(key) <= ID_MOST:
        return key
    return "import:" + (digest(thread, message_id) if message_id else digest(thread, raw.strip().decode()))


def _time(row: dict, layout: Layout) -> datetime | None:
    value = _value(row, layout, "time")
    if not value:
        return None
    moment = _moment(value)
    if moment is None:
        raise Unreadable("time: it can not be read")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _moment(value: str) -> datetime | None:
    try:
        number = float(value)
    except ValueError:
        number = None
    try:
        if number is not None:
            return datetime.fromtimestamp(number / 1000 if abs(number) > 1e11 else number, UTC)
        return datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        pass  # one of the other ways to write it, or none
    for form in _TIMES:
        try:
            return datetime.strptime(value, form)
        except ValueError:
            continue
    if loose := _LOOSE.fullmatch(value):
        return _moment(f"{loose['day']}T{loose['clock']}")
    return None
