"""Souls as people and prompts read them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import BooleanField, Case, ExpressionWrapper, F, Q, Subquery, When
from django.db.models.functions import Coalesce

from digitalworker.agents.choices import Role
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import ADMINS, visible_agents
from digitalworker.common.errors import NotFound
from digitalworker.common.types import Actor

from .library import DEFAULT
from .models import Soul, SoulAssignment, SoulVersion
from .policies import visible_souls

SHELF_MOST, VERSIONS_MOST = 500, 200


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
    soul = None if role_agent.soul_paused else soul_had_by(role_agent)
    return in_use(soul) if soul else None


def soul_had_by(role_agent: RoleAgent) -> Soul | None:
    """The one that `soul_of` tells of, also while it is paused."""
    of_organization = Soul.objects.filter(organization_id=role_agent.organization_id)
    working = SoulAssignment.objects.filter(role_agent=role_agent, soul__active_version__isnull=False)
    default = of_organization.filter(code=DEFAULT)
    had = Coalesce(Subquery(working.values("soul_id")), Subquery(default.values("pk")))
    return of_organization.filter(pk=had).select_related("active_version").first()


def in_use(soul: Soul) -> SoulInUse | None:
    version = soul.active_version
    if version is None:
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


# --- for people ---------------------------------------------------------------------------------------------------
def find_soul(actor: Actor, code: str) -> Soul:
    soul = visible_souls(actor).filter(code=code).select_related("active_version").first()
    if soul is None:
        raise NotFound("There is no such soul.")
    return soul


def shelf(organization_id: UUID) -> list[Soul]:
    """All souls of the organisation, the default first, for who sees any of its agents."""
    souls = Soul.objects.filter(organization_id=organization_id).select_related("active_version")
    return sorted(souls[:SHELF_MOST], key=lambda soul: (soul.code != DEFAULT, soul.name))


def versions_of(soul: Soul) -> list[SoulVersion]:
    """The latest, newest first."""
    return list(soul.versions.order_by("-number")[:VERSIONS_MOST])


@dataclass(slots=True)
class Had:
    """Who talks by a soul: agents that the reader sees, and how many others."""

    seen: list[RoleAgent] = field(default_factory=list)
    others: int = 0

    def __len__(self) -> int:
        return len(self.seen) + self.others


def had_by(actor: Actor, souls: Sequence[Soul]) -> dict[UUID, Had]:
    """By the id of each of `souls`. One statement."""
    found = {soul.pk: Had() for soul in souls}
    default = next((soul.pk for soul in souls if soul.code == DEFAULT), None)
    assigned = F("soul_assignment__soul_id")
    agents = RoleAgent.objects.filter(organization_id=actor.organization_id).annotate(
        soul_id=Case(When(soul_assignment__soul__active_version__isnull=False, then=assigned)),
        seen=ExpressionWrapper(Q(pk__in=visible_agents(actor).values("pk")), output_field=BooleanField()),
    )
    for agent in agents.only("pk", "code", "name"):
        soul_id = agent.soul_id or default
        had = found.get(soul_id) if soul_id else None
        if had is not None and agent.seen:
            had.seen.append(agent)
        elif had is not None:
            had.others += 1
    return found


def may_be_changed(actor: Actor, soul: Soul, had: Had) -> bool:
    """For buttons, without a query, as `policies.may_change`; the actions ask again, of the database."""
    if actor.role in ADMINS:
        return True
    sensitive = soul.active_version is not None and soul.active_version.sensitive
    guarded = sensitive or soul.code == DEFAULT or had.others or not had.seen
    return actor.is_person and actor.role == Role.MEMBER and not guarded
