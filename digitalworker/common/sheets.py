"""Files that people open in a spreadsheet: written while they are read, and never holding a formula of somebody else's."""

import re
from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
BOM = "\ufeff"  # makes spreadsheets read it as UTF-8

# A spreadsheet takes a cell that begins like this for a formula; some also the wide forms.
_STARTS = "=+\\-@\t\r\n＝＋－＠"
_FORMULA = re.compile(f"'*[{_STARTS}]")
_GUARDED = re.compile(f"'+[{_STARTS}]")


def cell(text: str) -> str:
    """`text` as a cell that no spreadsheet runs: one apostrophe goes before what looks like a formula, and before what looks
    as if it had one already, so that `words` gives back exactly this text."""
    return f"'{text}" if _FORMULA.match(text) else text


def words(cell: str) -> str:
    """What `cell` was made of."""
    return cell[1:] if _GUARDED.match(cell) else cell


class Echo:
    """A file that hands back what is written to it, for csv.writer."""

    def write(self, text: str) -> str:
        return text


def download(request: HttpRequest, pieces: Iterator[str], *, name: str, kind: str) -> StreamingHttpResponse:
    """An answer that is saved as `name` with today's date, sent while `pieces` are made. `kind` is one of FORMATS."""
    # Served asynchronously, an ordinary iterator would be read to its end before the first byte left.
    content = _asynchronous(pieces) if isinstance(request, ASGIRequest) else pieces
    answer = StreamingHttpResponse(content, content_type=FORMATS[kind])
    answer["Content-Disposition"] = f'attachment; filename="{name}-{timezone.localdate():%Y-%m-%d}.{kind}"'
    answer["Cache-Control"] = "no-store"
    answer["X-Accel-Buffering"] = "no"
    return answer


async def _asynchronous(pieces: Iterator[str]) -> AsyncIterator[str]:
    take = sync_to_async(_next)
    while (piece := await take(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[str]) -> str | None:
    return next(pieces, None)
