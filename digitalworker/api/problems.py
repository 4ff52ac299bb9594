"""Every error of the API as problem details (RFC 9457): `{"type", "title", "status", "detail", "code", "errors"?}`.

`code` is for programs and does not change; `detail` is for people. `errors` maps a field, dotted where it is nested, to
what is wrong with it. What an action adds about the situation, such as who decided meanwhile, stands beside them.
"""

from collections.abc import Iterator
from http import HTTPStatus

import structlog
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import OperationalError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import set_rollback

from digitalworker.common.errors import DomainError

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
NON_FIELD = "non_field_errors"
TITLES = {
    400: "The request can not be taken",
    401: "Who is asking?",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This address does not do that",
    406: "No such kind of answer",
    411: "How long is it?",
    413: "The request is too large",
    415: "The request is not JSON",
    429: "Too many requests",
    500: "Something went wrong on our side",
    503: "Not available right now",
}


class Problem(serializers.Serializer):
    """How every error is told. Some codes add facts of their own, such as `decided_by` and `decision` on a conflict."""

    type = serializers.CharField(help_text="`urn:digitalworker:problem:` and the code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What happened and what to do, for people.")
    code = serializers.CharField(help_text="What happened, for programs.")
    errors = serializers.DictField(  # type: ignore[assignment]  # a field called as a property of its base
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Each faulty field, dotted where nested, and what is wrong with it.",
    )


def problem(
    status: int,
    *,
    detail: str,
    code: str,
    title: str = "",
    errors: dict[str, list[str]] | None = None,
    headers: dict[str, str] | None = None,
    extra: dict | None = None,
) -> Response:
    body = {
        "type": f"urn:digitalworker:problem:{code}",
        "title": title or TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    if errors:
        body["errors"] = errors
    for name, value in (extra or {}).items():
        body.setdefault(name, value)
    return Response(body, status=status, headers=headers, content_type=MEDIA_TYPE)


def handle(error: Exception, context: dict) -> Response:
    """REST framework's exception handler: nothing gets past it, so no caller ever meets an HTML page."""
    set_rollback()
    if isinstance(error, DomainError):
        return _told(error)
    if isinstance(error, Http404):
        error = exceptions.NotFound("There is nothing at this address.")
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, exceptions.APIException):
        return _framework(error)
    if isinstance(error, RequestDataTooBig):
        return problem(413, detail="The request's body is larger than this server takes.", code="too_large")
    if isinstance(error, SuspiciousOperation | BadRequest | UnreadablePostError):
        return problem(400, detail="The request could not be read.", code="unreadable")
    return _ours(error, context)


def _told(error: DomainError) -> Response:
    return problem(
        error.status,
        detail=error.detail,
        code=error.code,
        title=error.title,
        errors=error.errors,
        extra=error.extra,
    )


def _framework(error: exceptions.APIException) -> Response:
    headers = {}
    if auth_header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait))
    if isinstance(error, exceptions.ValidationError):
        return invalid(error.detail)
    detail = str(error.detail)
    if isinstance(error, exceptions.NotAuthenticated):
        detail = "Send an API key as `Authorization: Bearer <key>`."
    elif isinstance(error, exceptions.NotAcceptable):
        detail = "Answers come as application/json only, and whole: streaming is not offered."
    elif isinstance(error, exceptions.UnsupportedMediaType):
        detail = "Send the body as application/json."
    code = error.get_codes()
    return problem(error.status_code, detail=detail, code=code if isinstance(code, str) else "invalid", headers=headers)


def invalid(faults, *, code: str = "invalid") -> Response:
    errors: dict[str, list[str]] = {}
    for name, message in flat(faults):
        errors.setdefault(name, []).append(message)
    general = errors.pop("", [])
    detail = general[0] if general else next((f"{name}: {messages[0]}" for name, messages in errors.items()), "")
    return problem(400, detail=detail or "Something in the request can not be taken.", code=code, errors=errors)


def flat(faults, path: str = "") -> Iterator[tuple[str, str]]:
    """A serializer's nested errors as ("events.1.text", message); "" is the whole."""
    if isinstance(faults, dict):
        for name, inner in faults.items():
            yield from flat(inner, path if name == NON_FIELD else f"{path}.{name}".lstrip("."))
    elif isinstance(faults, list):
        for index, inner in enumerate(faults):
            yield from flat(inner, f"{path}.{index}".lstrip(".") if isinstance(inner, dict | list) else path)
    else:
        yield path, str(faults)


def _ours(error: Exception, context: dict) -> Response:
    """Nothing about the error leaves the house; its place is in the log, under the request id that the caller gets."""
    request = context["request"]._request
    log.error("unhandled error", view=type(context.get("view")).__name__, exc_info=error)
    got_request_exception.send(sender=handle, request=request)  # for whoever watches errors, as Django itself does
    extra = {"request_id": getattr(request, "request_id", "")}
    if isinstance(error, OperationalError):
        return problem(
            503,
            detail="The database did not answer. Nothing was changed; try again in a moment.",
            code="database_unavailable",
            headers={"Retry-After": "5"},
            extra=extra,
        )
    return problem(
        500,
        detail="This should not happen, and it was logged. Tell your operator the request id.",
        code="internal",
        extra=extra,
    )
