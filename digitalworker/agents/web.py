"""What stands at the door of every console view."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from digitalworker.common.errors import NotFound

get_or_post = require_http_methods(["GET", "HEAD", "POST"])


def member_required(view: Callable) -> Callable:
    """Lets members of an organisation in; `request.actor` is set behind it.

    Anonymous people are sent to the log-in, people without an organisation get a page that says what to do.
    """
    return _guarded(view, _turn_away)


def admin_required(view: Callable) -> Callable:
    """Lets owners and admins in. For other members the page does not exist."""

    def turn_away(request: HttpRequest) -> HttpResponse | None:
        answer = _turn_away(request)
        if answer is None and not request.actor.is_admin:
            raise NotFound
        return answer

    return _guarded(view, turn_away)


def _turn_away(request: HttpRequest) -> HttpResponse | None:
    if not request.user.is_authenticated:
        if request.headers.get("HX-Request"):
            # Following a redirect, htmx would put the log-in form into a corner of the page.
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return redirect_to_login(request.get_full_path())
    if request.actor is None:
        return render(request, "agents/no_organization.html", status=403)
    return None


def _guarded(view: Callable, turn_away: Callable[[HttpRequest], HttpResponse | None]) -> Callable:
    @wraps(view)
    def guarded(request, *args, **kwargs):
        return turn_away(request) or view(request, *args, **kwargs)

    return guarded


def revision_of(request: HttpRequest) -> int:
    """What the person saw: of a form, or of an undo button, which can only carry an address. Without it they saw nothing,
    and change nothing."""
    seen = whole(request.POST.get("revision") or request.GET.get("revision", ""))
    return -1 if seen is None else seen


def whole(text: str) -> int | None:
    """A number from an address or a form, as large as one of a version or a revision can be; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
