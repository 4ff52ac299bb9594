"""The audit as a file, written while it is read."""

import csv
import json
from collections.abc import Iterable, Iterator

from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse

from digitalworker.common.sheets import BOM, FORMATS, Echo, cell, download

from .models import LearningEvent
from .selectors import in_batches

__all__ = ["FORMATS", "as_csv", "as_jsonl", "response"]

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


def response(request: HttpRequest, events: QuerySet[LearningEvent], kind: str) -> StreamingHttpResponse:
    pieces = as_csv(in_batches(events)) if kind == "csv" else as_jsonl(in_batches(events))
    return download(request, pieces, name="audit", kind=kind)


def as_csv(batches: Iterable[list[LearningEvent]]) -> Iterator[str]:
    writer = csv.writer(Echo())
    yield BOM + writer.writerow(COLUMNS)
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
    return cell(text.replace("\x00", ""))
