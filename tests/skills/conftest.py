"""Who decides about skills, and one with a history."""

import pytest

from tests.skills import making


@pytest.fixture
def ada(world):
    return world.actor(world.ada)


@pytest.fixture
def adam(world):
    return world.actor(world.adam)


@pytest.fixture
def skill(world, adam):
    """A skill of the IT agent with three versions, the third in use."""
    return making.three_versions(adam, world.it)
