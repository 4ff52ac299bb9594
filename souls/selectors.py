"""Souls as people and prompts read them."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Subquery
from django.db.models.functions import Coalesce

from digitalworker.agents.models import RoleAgent

from .library import DEFAULT
from .models import Soul, SoulAssignment


@dataclass(frozen=True, slots=True)
class SoulInUse:
    """The version of a soul that an agent talks by."""

    soul_id: UUID
    code: str
    name: str
    version_id: UUID
    number: int
    digest: str
    tone_rules_md: str
    do_not_do_md: str


def soul_of(role_agent: RoleAgent) -> SoulInUse | None:
    """The one assigned to the agent, if it is in use, else the organisation's default; None while the agent's soul is paused. One
    statement."""
    if role_agent.soul_paused:
        return None
    of_organization = Soul.objects.filter(organization_id=role_agent.organization_id)
    in_use = SoulAssignment.objects.filter(role_agent=role_agent, soul__active_version__isnull=False)
    assigned = in_use.values("soul_id")
    default = of_organization.filter(code=DEFAULT).values("pk")
    soul = (
        of_organization.filter(pk=Coalesce(Subquery(assigned), Subquery(default)))
        .select_related("active_version")
        .first()
    )
    version = soul and soul.active_version
    if soul is None or version is None:
        return None
    return SoulInUse(
        soul.pk,
        soul.code,
        soul.name,
        version.pk,
        version.number,
        version.digest,
        version.tone_rules_md,
        version.do_not_do_md,
    )
