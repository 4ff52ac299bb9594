"""Who looks through the words of a soul before they are used again. Screening lives in an app above, which registers it;
without one nothing is reverted, rather than reverted unseen."""

from collections.abc import Callable

from digitalworker.common.errors import Unavailable
from digitalworker.common.types import Actor

from .models import SoulVersion

_screens: list[Callable[..., list[dict]]] = []


def register_screen(fn: Callable[..., list[dict]]) -> None:
    """`fn(actor=, version=)` answers what a reviewer must know of the words, or raises Refused."""
    _screens[:] = [fn]


def screen(*, actor: Actor, version: SoulVersion) -> list[dict]:
    if not _screens:
        raise Unavailable("Nothing can look through this soul now, so it is not put back into use.")
    return _screens[0](actor=actor, version=version)
