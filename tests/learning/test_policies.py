"""Keys limited to some role-agents, and what they reach."""

import pytest

from digitalworker.agents.actors import actor_for_key
from digitalworker.agents.models import ApiKey
from digitalworker.common.errors import Denied
from digitalworker.common.types import worker_actor
from learning.actions.propose import Proposal, propose
from learning.actions.remember import remember
from learning.actions.review import approve
from learning.models import Memory
from learning.policies import allowed_actions
from tests.factories import make_key, make_world


@pytest.fixture
def world(db):
    return make_world()


def key_actor(agents=None):
    make_key("review admin", agents)
    return actor_for_key(ApiKey.objects.latest("id"))


def test_a_key_limited_to_one_agent_decides_nothing_for_the_whole_organisation(world):
    limited, free = key_actor([world.it]), key_actor()
    message = "What the whole organisation will know is decided by an owner or an admin."
    with pytest.raises(Denied, match=message.replace(".", r"\.")):
        remember(actor=limited, role_agent=world.it, scope="organization", content="We close at six")
    proposal = Proposal(scope="organization", kind="fact", content="We close at six")
    item = propose(actor=worker_actor(world.acme.pk, world.it.pk), role_agent=world.it, proposal=proposal).item
    assert allowed_actions(limited, item) == []
    with pytest.raises(Denied):
        approve(actor=limited, item_id=item.pk, revision=1, digest_seen=item.digest)
    assert not Memory.objects.exists()
    assert {"approve", "edit", "reject"} <= {action.name for action in allowed_actions(free, item)}
    approve(actor=free, item_id=item.pk, revision=1, digest_seen=item.digest)
    assert Memory.objects.get().scope == "organization"


def test_the_same_key_decides_what_its_own_agent_learns(world):
    memory = remember(actor=key_actor([world.it]), role_agent=world.it, content="Use gateway 2")
    assert memory.reviewer_label == "API key test key of Olga"


@pytest.mark.parametrize("what", [{"scope": "organization"}, {"sensitive": True}])
def test_a_key_that_only_sets_up_decides_nothing_of_what_is_learned(world, what):
    """The scope `review` is what decides; that only the addresses of the API asked for it was not enough."""
    make_key("admin")
    key = actor_for_key(ApiKey.objects.latest("id"))
    with pytest.raises(Denied):
        remember(actor=key, role_agent=world.it, content="We close at six", **what)
    assert not Memory.objects.exists()
