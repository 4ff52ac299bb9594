"""Fixtures for every app; conftest imports them."""

import threading
from types import SimpleNamespace

import pytest

from tests.servers import answering


@pytest.fixture
def world(db):
    """Acme and Globex with their people and role-agents; see tests/factories.py."""
    from tests import factories  # it needs the models, which are ready only after this module is read

    return factories.make_world()


@pytest.fixture
def as_user(client):
    """`as_user(w.ada).get(...)`: the test client, logged in."""
    from tests import factories

    return lambda user, organization=None: factories.login(client, user, organization)


@pytest.fixture
def model_server(settings, monkeypatch):
    """An OpenAI-compatible server as DW_MODEL. `.script`: one answer a request, each (status, body) or (status, body,
    seconds to wait); `.requests`: what it was asked."""
    from digitalworker.agents import language_model

    state = SimpleNamespace(script=[], stop=threading.Event())

    def answer(request):
        status, body, *wait = state.script.pop(0)
        if wait:
            state.stop.wait(wait[0])
        return status, body

    with answering(answer) as (address, state.requests):
        settings.DW_MODEL = "openai:scripted"
        settings.DW_MODEL_BASE_URL = address
        settings.DW_MODEL_TIMEOUT = 10
        from pydantic_ai import models

        monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
        yield state
        state.stop.set()
    language_model._model.cache_clear()
