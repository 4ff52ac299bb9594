"""What every organisation has from its first moment. The apps above say what; it is made in the transaction that makes the
organisation, so that there is never one without."""

from collections.abc import Callable

from .models import Organization

_furnishings: list[Callable[[Organization], object]] = []


def register_furnishing(fn: Callable[[Organization], object]) -> None:
    _furnishings.append(fn)


def furnish(organization: Organization) -> None:
    for fn in _furnishings:
        fn(organization)
