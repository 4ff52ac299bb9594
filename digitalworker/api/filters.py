"""What may stand behind the question mark. Whatever is not declared is refused, and so is what can not be read."""

from urllib.parse import unquote_to_bytes

from rest_framework import serializers
from rest_framework.request import Request

from digitalworker.common.errors import Invalid

from .problems import flat
from .serializers import StrictSerializer, Whole

LIMIT_MOST = 200
LIMIT = 50


class Query(StrictSerializer):
    """Base of every endpoint's parameters; itself, none are allowed."""

    unknown = "This parameter is not known here. Known: {known}."
    reads_text = True

    @classmethod
    def read(cls, request: Request) -> dict:
        _check_encoding(request.META.get("QUERY_STRING", ""))
        given = request.query_params
        errors = {name: ["Give this only once."] for name, values in given.lists() if len(values) > 1}
        if errors:
            raise Invalid(f"{next(iter(errors))}: give this only once.", code="repeated_parameter", errors=errors)
        # A plain dict: from a QueryDict REST framework would read an absent flag as false.
        query = cls(data=given.dict())
        if query.is_valid():
            return query.validated_data
        faults: dict[str, list[str]] = {}
        for name, message in flat(query.errors):
            faults.setdefault(name, []).append(message)
        unknown = sorted(set(faults) - set(query.fields))
        allowed = ", ".join(sorted(query.fields)) or "none"
        if unknown:
            raise Invalid(
                f"Unknown parameter: {', '.join(unknown)}. Allowed here: {allowed}.",
                code="unknown_parameter",
                errors=faults,
                allowed=sorted(query.fields),
            )
        name = next(iter(faults))
        raise Invalid(f"{name}: {faults[name][0]}", code="bad_parameter", errors=faults)


class PageQuery(Query):
    limit = Whole(min_value=1, max_value=LIMIT_MOST, default=LIMIT, help_text="Rows on a page.")
    cursor = serializers.CharField(
        default="", allow_blank=True, max_length=1000, help_text="From `next` or `previous` of another page."
    )


def _check_encoding(raw: str) -> None:
    try:
        decoded = unquote_to_bytes(raw.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid("The address is not UTF-8.", code="unreadable") from None
    if "\x00" in decoded:
        raise Invalid("The address holds a NUL character.", code="unreadable")
