"""Which app answers which address under /api/v1/. Each app's `api.py` registers its own; this knows none of them."""

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, path
from django.utils.module_loading import autodiscover_modules

from .endpoints import Endpoint

_routes: dict[str, URLPattern] = {}


def register(route: str, endpoint: type[Endpoint], name: str) -> None:
    """`route` is as for `django.urls.path`, under the version's prefix; `reverse("api:<name>")` finds it."""
    pattern = path(route, endpoint.as_view(), name=name)
    if name in _routes or any(str(known.pattern) == route for known in _routes.values()):
        raise ImproperlyConfigured(f"The API already has {route!r} or something called {name!r}.")
    _routes[name] = pattern


def routes() -> list[URLPattern]:
    autodiscover_modules("api")
    return list(_routes.values())
