from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_GET, require_POST

from digitalworker.console import preferences, registry, specimens
from digitalworker.console.addresses import local


@require_GET
@login_required
def palette(request: HttpRequest) -> HttpResponse:
    """Destinations for what was typed: the list alone for the dialog, a page for a browser without scripts."""
    query = request.GET.get("q", "").strip()[:200]
    name = "console/palette.html#results" if request.headers.get("HX-Request") else "console/palette.html"
    return render(request, name, {"query": query, "entries": registry.palette_entries(request, query)})


@require_GET
def styleguide(request: HttpRequest) -> HttpResponse:
    if not settings.DW_STYLEGUIDE:
        raise Http404
    return render(request, "console/styleguide.html", specimens.context())


@require_GET
def favicon(request: HttpRequest) -> HttpResponse:
    response = redirect(static("img/favicon.svg"))
    patch_cache_control(response, public=True, max_age=24 * 3600)
    return response


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("theme", "")
    return _set(request, preferences.THEME_COOKIE, chosen if chosen in preferences.THEMES else "system")


@require_POST
def set_keys(request: HttpRequest) -> HttpResponse:
    return _set(request, preferences.KEYS_COOKIE, "off" if request.POST.get("keys") == "off" else "on")


def _set(request: HttpRequest, cookie: str, value: str) -> HttpResponse:
    # A script that already changed the page in place needs no new one.
    if request.headers.get("X-In-Place"):
        response = HttpResponse(status=204)
    else:
        response = redirect(local(request, request.POST.get("next") or request.headers.get("Referer", ""), "/"))
    preferences.remember(request, response, cookie, value)
    return response
