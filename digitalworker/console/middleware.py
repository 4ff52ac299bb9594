"""A typed error becomes a page, or, for a piece of a page, a panel in its place. Nothing else translates errors to HTML."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from digitalworker.common.errors import DomainError, Invalid, NotFound


class ErrorsMiddleware:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.startswith("/app/"):
            response.setdefault(
                "Cache-Control", "no-store"
            )  # what was learned does not stay behind in a shared browser
        return response

    def process_view(self, request: HttpRequest, view, args, kwargs) -> HttpResponse | None:
        """No filter or search of any page can hold a NUL: the database refuses it, which would look like our fault."""
        if "%00" not in request.META.get("QUERY_STRING", ""):
            return None
        return self.process_exception(request, Invalid("The address holds a NUL character.", code="unreadable"))

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError) or request.path.startswith("/api/"):
            return None
        piece = getattr(request, "htmx", False) and not isinstance(error, NotFound)
        template = (
            "components/problem.html" if piece else ("404.html" if error.status == 404 else "console/problem.html")
        )
        return render(
            request, template, {"error": error, "back": request.headers.get("Referer", "")}, status=error.status
        )
