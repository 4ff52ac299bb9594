from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from digitalworker.console import registry


@pytest.fixture
def empty_registry(monkeypatch):
    for name in ("_nav", "_sidebar", "_tabs", "_palette", "_shortcuts", "_switch"):
        monkeypatch.setattr(registry, name, [])
    return registry


@pytest.fixture
def make_request():
    """A request as a view gets it, from `ada` unless she is not logged in."""

    def make(path="/app/", *, method="get", data=None, cookies=None, logged_in=True, **headers):
        request = getattr(RequestFactory(), method)(path, data or {}, headers=headers)
        request.COOKIES.update(cookies or {})
        ada = SimpleNamespace(
            is_authenticated=True,
            get_full_name=lambda: "Ada Lindqvist",
            email="ada@acme.example",
            get_username=lambda: "ada",
        )
        request.user = ada if logged_in else AnonymousUser()
        request.htmx = bool(headers.get("HX_Request"))
        return request

    return make
