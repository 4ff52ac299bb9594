from types import SimpleNamespace

import pytest

from digitalworker.agents import language_model
from tests import factories


@pytest.fixture
def shop(world, settings):
    settings.DW_EMBEDDING = "none"
    return factories.let_shop_learn(world)


@pytest.fixture
def scripted(settings, monkeypatch):
    """`scripted(fn)`: `fn(messages, info)` plays the model; what it was given is kept on the return value."""

    def play(function):
        from pydantic_ai.models.function import FunctionModel

        seen = SimpleNamespace(calls=[])

        def spoken(messages, info):
            seen.calls.append((messages, info))
            return function(messages, info)

        settings.DW_MODEL = "test:scripted"
        monkeypatch.setattr(language_model, "build_model", lambda: FunctionModel(spoken))
        return seen

    return play
