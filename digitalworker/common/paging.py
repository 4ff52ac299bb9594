"""Cursor pages for lists that people and programs walk through: constant cost at any depth, no row twice."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Func, Model, Q, QuerySet

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
    queryset: QuerySet[M],
    cursor: str | None = "",
    *,
    order: tuple[str, ...] = ("-id",),
    size: int = 50,
    also: Sequence[QuerySet[M]] = (),
    whole: Callable[[QuerySet[M]], QuerySet[M]] | None = None,
) -> Page[M]:
    """One page of `queryset`. `order` names fields or annotations, none of them null, in one direction, and ends in a
    unique field.

    `also` are more querysets of the same kind that make one list with it: each is read through an index of its own, where
    one statement with an OR would walk past everybody else's rows. `whole` adds to the rows of the page, in the same
    statement, what they show: joined before, the database would fetch it for every row it sorts.
    """
    names = [name.lstrip("-") for name in order]
    falling = order[0].startswith("-")
    backwards = False
    parts = [queryset, *also]
    if cursor:
        direction, raw = _decode(cursor, len(names))
        backwards = direction == "p"
        after = "lt" if falling != backwards else "gt"
        reach = _beyond(names, _values(queryset, names, raw), after)
        parts = [part.filter(reach) for part in parts]
    ordering = [("" if falling == backwards else "-") + name for name in names]
    key = lambda row: [getattr(row, name) for name in names]  # noqa: E731
    cuts = [part.order_by(*ordering)[: size + 1] for part in parts]
    if whole:
        cuts = [
            whole(part.filter(IsOneOf("pk", cut.values("pk")))).order_by(*ordering)
            for part, cut in zip(parts, cuts, strict=True)
        ]
    rows = [row for cut in cuts for row in cut]
    if also:
        rows = sorted(rows, key=key, reverse=falling != backwards)[: size + 1]
    more, rows = len(rows) > size, rows[:size]
    if backwards:
        rows.reverse()
    if not rows:
        return Page([], None, None)
    return Page(
        rows,
        next=_encode("n", key(rows[-1])) if (more or backwards) else None,
        previous=_encode("p", key(rows[0])) if (cursor and (not backwards or more)) else None,
    )


class IsOneOf(Func):
    """`id = ANY(ARRAY(SELECT ...))`: rows are found by their ids first, whatever is joined to them. The join that `id IN
    (SELECT ...)` becomes is the last of all where there are more than eight, and then every row of the list is fetched."""

    arg_joiner, template = " = ANY(", "%(expressions)s)"
    output_field = BooleanField()

    def __init__(self, name: str, ids: QuerySet):
        super().__init__(name, ArraySubquery(ids))


def _values(queryset: QuerySet, names: list[str], raw: list[str]) -> list:
    fields = {field.name: field for field in queryset.model._meta.concrete_fields}
    fields |= {name: expression.output_field for name, expression in queryset.query.annotations.items()}
    try:
        return [fields[name].to_python(text) for name, text in zip(names, raw, strict=True)]
    except Exception as error:  # a field's own ValidationError, whatever its type
        raise Invalid("This page link is damaged. Start again from the first page.", code="bad_cursor") from error


def _beyond(names: list[str], values: list, after: str) -> Q:
    # The first condition says nothing that the rest does not: an index can be entered by it, and by an OR it can not.
    reach = Q()
    for i, name in enumerate(names):
        reach |= Q(**dict(zip(names[:i], values[:i], strict=True)), **{f"{name}__{after}": values[i]})
    return reach if len(names) == 1 else Q(**{f"{names[0]}__{after}e": values[0]}) & reach
