"""Which app answers which address under /api/v1/. Each app's `api.py` registers its own; this knows none of them."""

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, path
from django.utils.module_loading import autodiscover_modules

from .endpoints import METHODS, Endpoint

_endpoints: dict[str, tuple[str, list[type[Endpoint]]]] = {}


def register(route: str, endpoint: type[Endpoint], name: str) -> None:
    """`route` is as for `django.urls.path`, under the version's prefix; `reverse("api:<name>")` finds it.

    Two apps may answer one address by different methods, where both call it by the same name: what is known is read from the
    app that has it, and what is proposed goes to the one above.
    """
    known, endpoints = _endpoints.get(route, (name, []))
    taken = any(other == name for at, (other, _) in _endpoints.items() if at != route)
    if known != name or taken or any(_methods(endpoint) & _methods(each) for each in endpoints):
        raise ImproperlyConfigured(f"The API already has {route!r} or something called {name!r}.")
    _endpoints[route] = name, [*endpoints, endpoint]


def routes() -> list[URLPattern]:
    autodiscover_modules("api")
    return [path(route, _joined(endpoints).as_view(), name=name) for route, (name, endpoints) in _endpoints.items()]


def _methods(endpoint: type[Endpoint]) -> set[str]:
    return {method for method in METHODS if hasattr(endpoint, method)}


def _joined(endpoints: list[type[Endpoint]]) -> type[Endpoint]:
    if len(endpoints) == 1:
        return endpoints[0]
    above = sorted(endpoints, key=lambda endpoint: endpoint.__module__)
    scopes = {method: held for endpoint in above for method, held in endpoint.scopes.items()}
    return type(above[0].__name__, tuple(above), {"scopes": scopes, "__doc__": above[0].__doc__})
