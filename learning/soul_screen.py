"""A version of a soul, screened again before agents talk by it once more."""

from digitalworker.common.types import Actor
from learning.actions._screening import screen
from learning.choices import MemoryScope
from learning.soul_draft import SoulDraft
from souls.library import PARTS
from souls.models import SoulVersion


def screen_version(*, actor: Actor, version: SoulVersion) -> list[dict]:
    """What is found by the rules of today; raises Refused, audited, for what no soul may say."""
    words = {name: getattr(version, name) for name in PARTS}
    draft = SoulDraft(MemoryScope.ORGANIZATION, version.soul.code, version.soul.name, **words)
    return screen(actor=actor, role_agent=None, payload=draft)
