"""Memories as a file: JSON Lines or CSV, out and in again. `docs/memory-import.md` says the same for people.

What goes out comes in as it was: a cell that a spreadsheet would run is guarded on the way out and bared on the way in.
Reading never stops at a bad line; it says what is wrong with it and goes on.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from digitalworker.common.errors import Invalid
from digitalworker.common.sheets import BOM, Echo, cell, words

from .choices import MemoryKind, MemoryScope, MemoryStatus, Risk
from .models import Memory

TAKEN = ("scope", "person", "kind", "key", "content", "risk", "sensitive")  # what an import reads
TOLD = ("pinned", "status", "source", "created_by", "reviewed_by", "use_count", "created_at", "id")  # goes out only
COLUMNS = (*TAKEN, *TOLD)
ROWS_MOST = 1_000  # of one import
BYTES_MOST = 1_000_000
_YES, _NO = {"true", "yes", "1"}, {"false", "no", "0", ""}


@dataclass(frozen=True, slots=True)
class Row:
    """One memory of a file. `person` is an external_user_id, for the scope person only."""

    scope: str
    kind: str
    key: str | None
    content: str
    risk: str
    sensitive: bool
    person: str | None = None


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that is no memory, and why."""

    reason: str


Line = tuple[int, Row | Bad]


# --- out ----------------------------------------------------------------------------------------------------------
def as_row(memory: Memory) -> dict[str, Any]:
    return {
        "scope": memory.scope,
        "person": memory.person.external_user_id if memory.person else None,
        "kind": memory.kind,
        "key": memory.key,
        "content": memory.content,
        "risk": memory.risk,
        "sensitive": memory.sensitive,
        "pinned": memory.pinned,
        "status": memory.status,
        "source": memory.source,
        "created_by": memory.created_by_label,
        "reviewed_by": memory.reviewer_label,
        "use_count": memory.use_count,
        "created_at": memory.created_at.isoformat(),
        "id": str(memory.pk),
    }


def written(batches: Iterable[list[Memory]], kind: str) -> Iterator[str]:
    """The file in pieces. `kind` is csv or jsonl."""
    if kind == "jsonl":
        for batch in batches:
            yield "".join(json.dumps(as_row(memory), ensure_ascii=False) + "\n" for memory in batch)
        return
    writer = csv.writer(Echo())
    yield BOM + writer.writerow(COLUMNS)
    for batch in batches:
        yield "".join(writer.writerow([_cell(value) for value in as_row(memory).values()]) for memory in batch)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else cell(str(value))


# --- in -----------------------------------------------------------------------------------------------------------
def kind_of(name: str, raw: bytes) -> str:
    """Which of the two a file is: by its name, else by how it begins."""
    ending = name.lower().rpartition(".")[2]
    if ending in {"jsonl", "ndjson", "json"}:
        return "jsonl"
    return "csv" if ending == "csv" or not raw.removeprefix(BOM.encode()).lstrip().startswith(b"{") else "jsonl"


def lines(raw: bytes, kind: str) -> Iterator[Line]:
    """Each memory of the file with the number of its line, counted from 1. Raises Invalid where the whole can not be read."""
    text = _text(raw)
    yield from _json_lines(text) if kind == "jsonl" else _csv_lines(text)


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise _unreadable("The file is UTF-16. Save it as UTF-8.") from None
        line = raw.count(b"\n", 0, error.start) + 1
        raise _unreadable(f"The file is not UTF-8: line {line:,} holds something else. Save it as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _unreadable(message: str) -> Invalid:
    return Invalid(message, code="unreadable", errors={"file": [message]})


def _json_lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), 1):  # and not at the other line ends that Unicode knows
        if line.strip():
            yield number, _json_line(line)


def _json_line(line: str) -> Row | Bad:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return Bad("this is not JSON")
    if not isinstance(values, dict):
        return Bad("this is not a JSON object")
    if not set(values) <= set(COLUMNS):
        return Bad(f"there is an unknown field; known are {', '.join(COLUMNS)}")
    return _row(values)


def _csv_lines(text: str) -> Iterator[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text.partition("\n")[0]), strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        _check_header(header)
        start = reader.line_num + 1
        for cells in reader:
            if any(part.strip() for part in cells):
                yield start, _csv_line(header, cells)
            start = reader.line_num + 1
    except csv.Error as error:
        raise _unreadable(f"The file is not CSV: {error} (line {reader.line_num:,}).") from None


def _delimiter(header: str) -> str:
    """Where a comma separates decimals, spreadsheets write semicolons."""
    return max(",;\t", key=header.count)


def _check_header(header: list[str]) -> None:
    if "content" not in header:
        raise _unreadable(f"The first line must name the columns, content among them. Known are {', '.join(COLUMNS)}.")
    unknown = [number for number, name in enumerate(header, 1) if name not in COLUMNS]
    if unknown:  # by number: what a file says is repeated nowhere
        numbers = ", ".join(map(str, unknown[:10]))
        raise _unreadable(f"Unknown column: number {numbers}. Known are {', '.join(COLUMNS)}.")
    if len(set(header)) != len(header):
        raise _unreadable("A column is named twice.")


def _csv_line(header: list[str], cells: list[str]) -> Row | Bad:
    if len(cells) > len(header):
        return Bad(f"it has {len(cells)} cells, the first line names {len(header)}; is a quotation mark missing?")
    return _row(dict(zip(header, map(words, cells), strict=False)))


def _row(values: dict[str, Any]) -> Row | Bad:
    texts = {name: values.get(name) for name in (*TAKEN, "status") if name != "sensitive"}
    for name, value in texts.items():
        if value is not None and not isinstance(value, str):
            return Bad(f"{name}: this must be text")
    sensitive = values.get("sensitive")
    flag = str(sensitive if sensitive is not None else "").strip().lower()
    if flag not in _YES | _NO:
        return Bad("sensitive: use true or false")
    if texts["status"] not in {None, "", MemoryStatus.ACTIVE}:
        return Bad("status: only active memories are imported")
    scope, person = _word(texts, "scope", MemoryScope.ROLE_AGENT), texts["person"] or None
    if (scope == MemoryScope.PERSON) != (person is not None):
        return Bad("person: say who, by external_user_id" if person is None else "person: only for the scope person")
    return Row(
        scope=scope,
        kind=_word(texts, "kind", MemoryKind.FACT),
        key=texts["key"] or None,
        content=texts["content"] or "",
        risk=_word(texts, "risk", Risk.LOW),
        sensitive=flag in _YES,
        person=person,
    )


def _word(texts: dict[str, str | None], name: str, otherwise: str) -> str:
    return (texts[name] or "").strip().lower() or otherwise
