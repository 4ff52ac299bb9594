"""Who decides, and what waits, in most tests of learning."""

import pytest

from tests.learning import proposals


@pytest.fixture
def ada(world):
    return world.actor(world.ada)


@pytest.fixture
def adam(world):
    return world.actor(world.adam)


@pytest.fixture
def printer(world):
    return proposals.pending(world.it, "The printer is on floor two")


@pytest.fixture
def size(world):
    return proposals.size_of_abc(world.it)
