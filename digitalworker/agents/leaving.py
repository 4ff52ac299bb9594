"""What follows when somebody stops deciding about a role-agent. The apps above say what; the actions that take the right
away call it in their own transaction, so that either both happen or neither."""

from collections.abc import Callable

from digitalworker.common.types import Actor

_consequences: list[Callable[..., object]] = []


def register_consequence(fn: Callable[..., object]) -> None:
    """`fn(actor=, user_id=)`: this person may decide less than before in the actor's organisation."""
    _consequences.append(fn)


def may_decide_less(*, actor: Actor, user_id: int) -> None:
    for fn in _consequences:
        fn(actor=actor, user_id=user_id)
