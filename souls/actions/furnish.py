"""The library of souls, as a new organisation gets it."""

from django.utils import timezone

from digitalworker.agents.models import Organization
from souls.library import stock
from souls.models import Soul, SoulVersion


def furnish(*organizations: Organization) -> None:
    ids = [organization.pk for organization in organizations]
    stock(Soul, SoulVersion, Soul.history.model, ids, now=timezone.now())
