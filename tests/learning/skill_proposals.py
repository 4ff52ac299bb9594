"""Skills as people propose them, for tests of learning."""

from digitalworker.agents.models import RoleAgent
from digitalworker.common.types import Actor
from learning.actions.propose_skill import SkillProposal, propose_skill
from learning.actions.review import approve
from learning.models import LearningItem
from tests.skills.making import document

__all__ = ["document", "let_in", "proposed"]


def proposed(actor: Actor, agent: RoleAgent, source: str | None = None, *, skill=None, **how) -> LearningItem:
    """The item that waits."""
    source = source or document(scope=how.get("scope", "role_agent"))
    return propose_skill(
        actor=actor, role_agent=agent, proposal=SkillProposal(document=source, **how), skill=skill
    ).item


def let_in(actor: Actor, item: LearningItem, **how) -> LearningItem:
    return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **how)
