"""Fixtures for every app; conftest imports them."""

import pytest


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
