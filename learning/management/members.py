"""In whose name a command acts."""

from django.core.management.base import CommandError

from digitalworker.agents.actors import actor_for_membership
from digitalworker.agents.models import Membership
from digitalworker.common.types import Actor


def actor_of(email: str, slug: str | None) -> Actor:
    memberships = Membership.objects.filter(user__email__iexact=email, user__is_active=True)
    if slug:
        memberships = memberships.filter(organization__slug=slug)
    found = list(memberships.select_related("user", "organization").order_by("organization__slug"))
    if len(found) != 1:
        known = ", ".join(each.organization.slug for each in found)
        raise CommandError(
            f"{email} belongs to several organisations; say which with --org: {known}."
            if found
            else f"There is no member {email}.",
            returncode=2,
        )
    return actor_for_membership(found[0], found[0].user)
