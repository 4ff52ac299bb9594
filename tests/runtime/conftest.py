import pytest

from tests import factories


@pytest.fixture
def shop(world, settings):
    settings.DW_EMBEDDING = "none"
    return factories.let_shop_learn(world)
