"""Cursor pages for lists that people and programs walk through: constant cost at any depth, no row twice."""

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Model, Q, QuerySet

from .errors import Invalid


@dataclass(frozen=True, slots=True)
class Page[T]:
    rows: list[T]
    next: str | None
    previous: str | None

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)


def _encode(direction: str, values: list) -> str:
    raw = json.dumps([direction, *[v.isoformat() if isinstance(v, datetime) else str(v) for v in values]])
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


def _decode(cursor: str, count: int) -> tuple[str, list[str]]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        direction, *values = json.loads(base64.urlsafe_b64decode(padded.encode()))
        if direction not in {"n", "p"} or len(values) != count or not all(isinstance(v, str) for v in values):
            raise ValueError
        if b"\x00" in "".join(values).encode():  # which refuses lone surrogates; the database takes neither
            raise ValueError
    except (ValueError, TypeError, binascii.Error, UnicodeError, RecursionError):
        raise Invalid("This page link is damaged. Start again from the first page.", code="bad_cursor") from None
    return direction, values


def beyond(order: tuple[str, ...], values: list, *, backwards: bool = False) -> Q:
    """The rows that come after the one with these values in `order`, or before it."""
    names = [name.lstrip("-") for name in order]
    way = "lt" if order[0].startswith("-") != backwards else "gt"
    reach = Q()
    for i, name in enumerate(names):
        reach |= Q(**dict(zip(names[:i], values[:i], strict=True)), **{f"{name}__{way}": values[i]})
    return reach


def ordering(order: tuple[str, ...], *, backwards: bool = False) -> list[str]:
    falling = order[0].startswith("-") != backwards
    return [("-" if falling else "") + name.lstrip("-") for name in order]


def page[M: Model](
    queryset: QuerySet[M], cursor: str | None = "", *, order: tuple[str, ...] = ("-id",), size: int = 50
) -> Page[M]:
    """One page of `queryset`. `order` names fields or annotations, all in one direction, and must end in a unique field."""
    names = [name.lstrip("-") for name in order]
    backwards = False
    if cursor:
        direction, raw = _decode(cursor, len(names))
        backwards = direction == "p"
        fields = {field.name: field for field in queryset.model._meta.concrete_fields}
        fields |= {name: each.output_field for name, each in queryset.query.annotations.items() if name in names}
        try:
            values = [fields[name].to_python(text) for name, text in zip(names, raw, strict=True)]
        except Exception as error:  # a field's own ValidationError, whatever its type
            raise Invalid("This page link is damaged. Start again from the first page.", code="bad_cursor") from error
        queryset = queryset.filter(beyond(order, values, backwards=backwards))
    rows = list(queryset.order_by(*ordering(order, backwards=backwards))[: size + 1])
    more, rows = len(rows) > size, rows[:size]
    if backwards:
        rows.reverse()
    if not rows:
        return Page([], None, None)
    key = lambda row: [getattr(row, name) for name in names]  # noqa: E731
    return Page(
        rows,
        next=_encode("n", key(rows[-1])) if (more or backwards) else None,
        previous=_encode("p", key(rows[0])) if (cursor and (not backwards or more)) else None,
    )
