"""Looking at a version once more before it is put in use: what was let in long ago may be known to be harmful by now.

What to look for is known by an app above, which registers it. Where none is registered nothing is put in use.
"""

from typing import Protocol

from digitalworker.common.errors import Refused
from digitalworker.common.types import Actor

from .models import Skill, SkillVersion


class Screen(Protocol):
    """Raises Refused, audited, where agents must not be given this version. Called outside a transaction, so that the audit
    row stays."""

    def __call__(self, *, actor: Actor, skill: Skill, version: SkillVersion) -> None: ...


_screens: list[Screen] = []


def register_screen(fn: Screen) -> None:
    _screens.append(fn)


def screen(*, actor: Actor, skill: Skill, version: SkillVersion) -> None:
    if not _screens:
        raise Refused("Nothing here looks at what a skill says, so none is put in use.", code="no_screen")
    for fn in _screens:
        fn(actor=actor, skill=skill, version=version)
