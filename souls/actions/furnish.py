"""The library of souls, as a new organisation gets it."""

from collections.abc import Iterable

from django.utils import timezone

from digitalworker.agents.models import Organization
from souls.library import stock
from souls.models import Soul, SoulVersion


def furnish(*organizations: Organization) -> None:
    stock(Soul, SoulVersion, Soul.history.model, _ids(organizations), now=timezone.now())  # type: ignore[attr-defined]  # simple-history's


def _ids(organizations: Iterable[Organization]):
    return [organization.pk for organization in organizations]
