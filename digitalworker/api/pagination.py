from functools import cache
from urllib.parse import urlencode

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from digitalworker.common import paging


@cache
def page_of(row: type[serializers.Serializer]) -> type[serializers.Serializer]:
    """The serializer of one page of `row`."""
    fields = {
        "__doc__": "One page, and how to reach those beside it.",
        "next": serializers.URLField(allow_null=True, help_text="Null on the last page."),
        "previous": serializers.URLField(allow_null=True, help_text="Null on the first page."),
        "results": row(many=True),
    }
    return type(f"{row.__name__.removesuffix('Out')}Page", (serializers.Serializer,), fields)


def paginate(request: Request, rows: QuerySet, query: dict, *, order: tuple[str, ...] = ("-id",)) -> dict:
    """One page as the envelope's fields, `results` not rendered yet. Newest first unless `order` says otherwise."""
    found: paging.Page = paging.page(rows, query["cursor"], order=order, size=query["limit"])
    return {
        "next": page_link(request, found.next),
        "previous": page_link(request, found.previous),
        "results": found.rows,
    }


def page_link(request: Request, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    parameters = request.query_params.dict() | {"cursor": cursor}
    return request.build_absolute_uri(f"{request.path}?{urlencode(parameters)}")
