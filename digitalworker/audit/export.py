"""The audit as a file, written while it is read."""

import csv
import json
from collections.abc import AsyncIterator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from .models import LearningEvent
from .selectors import in_batches

COLUMNS = (
    "id",
    "created_at",
    "sentence",
    "verb",
    "actor_kind",
    "actor_user_id",
    "actor_label",
    "role_agent_id",
    "role_agent_label",
    "object_type",
    "object_id",
    "object_label",
    "reason",
    "source_refs",
    "details",
    "request_id",
)
FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
# A spreadsheet takes a cell that begins like this for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def response(request: HttpRequest, events: QuerySet[LearningEvent], kind: str) -> StreamingHttpResponse:
    pieces = as_csv(in_batches(events)) if kind == "csv" else as_jsonl(in_batches(events))
    # Served asynchronously, an ordinary iterator would be read to its end before the first byte left.
    content = _asynchronous(pieces) if isinstance(request, ASGIRequest) else pieces
    answer = StreamingHttpResponse(content, content_type=FORMATS[kind])
    name = f"audit-{timezone.localdate():%Y-%m-%d}.{kind}"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "no-store"
    answer["X-Accel-Buffering"] = "no"
    return answer


def as_csv(batches: Iterable[list[LearningEvent]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield "\ufeff" + writer.writerow(COLUMNS)  # the mark makes spreadsheets read it as UTF-8
    for batch in batches:
        yield "".join(writer.writerow([_cell(value) for value in _row(event).values()]) for event in batch)


def as_jsonl(batches: Iterable[list[LearningEvent]]) -> Iterator[str]:
    for batch in batches:
        yield "".join(json.dumps(_row(event), ensure_ascii=False, default=str) + "\n" for event in batch)


def _row(event: LearningEvent) -> dict[str, object]:
    row = {name: getattr(event, name) for name in COLUMNS}
    return {**row, "created_at": event.created_at.isoformat()}


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    text = text.replace("\x00", "")
    return f"'{text}" if text.startswith(_FORMULA) else text


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


async def _asynchronous(pieces: Iterator[str]) -> AsyncIterator[str]:
    take = sync_to_async(_next)
    while (piece := await take(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[str]) -> str | None:
    return next(pieces, None)
