"""One id and one log line for each request."""

import re
import time

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction

from digitalworker.common import context
from digitalworker.common.ids import uuid7

log = structlog.get_logger("digitalworker.access")
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
# Parts of a path that open something, such as the key in a password-reset link.
_SECRET_PARTS = ("key", "token")
_QUIET = ("/healthz", "/readyz")


class RequestIdMiddleware:
    """Takes over a well-formed `X-Request-ID` or makes one, puts it on every log line, and returns it."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response):
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request):
        if self.is_async:
            return self._answer(request)
        started = time.perf_counter()
        with _bound(request):
            return _finish(request, self.get_response(request), started)

    async def _answer(self, request):
        started = time.perf_counter()
        with _bound(request):
            return _finish(request, await self.get_response(request), started)


def _bound(request):
    given = request.headers.get("X-Request-ID", "")
    request.request_id = given if _WELL_FORMED.fullmatch(given) else uuid7().hex
    return context.bind(request_id=request.request_id, organization=None, actor=None)


def _finish(request, response, started):
    response["X-Request-ID"] = request.request_id
    write = log.debug if request.path in _QUIET else log.info
    write(
        "request",
        method=request.method,
        path=_loggable_path(request),
        status=response.status_code,
        ms=round((time.perf_counter() - started) * 1000, 1),
    )
    return response


def _loggable_path(request) -> str:
    """The path without its query string and without keys that are part of it."""
    path = request.path
    for name in _SECRET_PARTS if request.resolver_match else ():
        value = request.resolver_match.kwargs.get(name)
        if value:
            path = path.replace(str(value), f"<{name}>")
    return path
