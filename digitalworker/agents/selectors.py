"""Reads for pages and programs, restricted to what the actor may see."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from uuid import UUID

from django.db.models import Aggregate, Count, F, IntegerField, Max, Min, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from digitalworker.audit import selectors as audit
from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor

from . import policies
from .choices import AgentStatus, Feature, Role
from .models import (
    AgentManager,
    ApiKey,
    Channel,
    FeatureAccess,
    FeatureUsage,
    Membership,
    Person,
    PromptTemplate,
    PromptVersion,
    RoleAgent,
)
from .models.role_agents import MANAGE

CALLED = (Feature.ASK, Feature.LEARNING_DETECT)  # what something calls today; another's budget would do nothing


def managers_of() -> QuerySet[AgentManager]:
    rows = AgentManager.objects.filter(permission__codename=MANAGE).select_related("user")
    return rows.order_by("user__name", "user__email")


def _with_managers(agents: QuerySet[RoleAgent]) -> QuerySet[RoleAgent]:
    return agents.prefetch_related(Prefetch("managers", queryset=managers_of(), to_attr="manager_rows"))


def agents_page(
    actor: Actor, *, cursor: str = "", search: str = "", status: str = "", size: int = 50
) -> Page[RoleAgent]:
    """Visible role-agents by name, each with `manager_rows`."""
    agents = policies.visible_agents(actor)
    if search:
        agents = agents.filter(Q(name__icontains=search) | Q(code__icontains=search))
    if status in AgentStatus.values:
        agents = agents.filter(status=status)
    return page(_with_managers(agents), cursor, order=("name", "id"), size=size)


def count_channels(agents: Iterable[RoleAgent]) -> dict[UUID, int]:
    """How many channels each has; one that has none is not in it."""
    channels = Channel.objects.filter(role_agent__in=[agent.pk for agent in agents])
    return dict(channels.values_list("role_agent").annotate(number=Count("id")))


def who_manages_what(actor: Actor, most: int = 50) -> list[RoleAgent]:
    """For every member: names of active role-agents and of their managers, nothing else of them."""
    agents = RoleAgent.objects.filter(organization_id=actor.organization_id, status=AgentStatus.ACTIVE)
    return list(_with_managers(agents).order_by("name", "id").only("name", "persona")[:most])


def needs_set_up(actor: Actor) -> dict:
    """How many role-agents there are, and which still lack something, in one query: for each lack a number, and the
    name and code, which mean something where the number is 1."""
    # Sets, not one look-up for each row: the planner hashes them whatever it knows of the tables.
    managed = AgentManager.objects.filter(organization_id=actor.organization_id, permission__codename=MANAGE).values(
        "content_object_id"
    )
    assigned = Channel.objects.filter(organization_id=actor.organization_id).values("role_agent_id")
    active = Q(status=AgentStatus.ACTIVE)
    lacks = {
        "no_manager": active & ~Q(pk__in=managed),
        "no_channel": active & ~Q(pk__in=assigned),
        "paused": active & Q(learning_enabled=False),
    }
    asked: dict[str, Aggregate] = {"agents": Count("id")}
    for lack, which in lacks.items():
        asked |= {
            f"{lack}_number": Count("id", filter=which),
            f"{lack}_name": Min("name", filter=which),
            f"{lack}_code": Min("code", filter=which),
        }
    found = RoleAgent.objects.filter(organization_id=actor.organization_id).aggregate(**asked)
    return {"agents": found["agents"]} | {
        lack: {part: found[f"{lack}_{part}"] for part in ("number", "name", "code")} for lack in lacks
    }


def counts(actor: Actor) -> dict[str, int]:
    """Members and live keys of the organisation, in one query."""
    keys = ApiKey.objects.filter(organization_id=actor.organization_id, revoked_at=None).exclude(
        expires_at__lte=timezone.now()
    )
    members = Membership.objects.filter(organization_id=actor.organization_id)
    return members.aggregate(members=Count("id"), keys=_count_of(keys))


def _count_of(rows: QuerySet):
    number = rows.order_by().values("organization").annotate(number=Count("id")).values("number")
    return Coalesce(Max(Subquery(number, output_field=IntegerField())), 0)


def channels_page(actor: Actor, agent: RoleAgent, cursor: str = "") -> Page[Channel]:
    return page(Channel.objects.filter(role_agent=agent), cursor, order=("name", "id"), size=50)


def channel_named(agent: RoleAgent, name: str) -> Channel:
    """By the provider's id or, where that names none, by its name here. A name that fits two is nobody's."""
    found = list(Channel.objects.filter(Q(external_id=name) | Q(name=name), role_agent=agent)[:20])
    exact = [channel for channel in found if channel.external_id == name]
    if len(exact or found) != 1:
        raise NotFound(f"{agent.name} has {'more than one channel' if found else 'no channel'} of this name or id.")
    return (exact or found)[0]


def person_named(agent: RoleAgent, name: str) -> Person:
    """By the id your systems know them by or, where that names nobody, by a name only one of them has."""
    found = list(Person.objects.filter(Q(external_user_id=name) | Q(display_name=name), role_agent=agent)[:20])
    exact = [person for person in found if person.external_user_id == name]
    if len(exact or found) != 1:
        raise NotFound(f"{agent.name} knows {'more than one such person' if found else 'no such person'}.")
    return (exact or found)[0]


def get_channel(actor: Actor, agent: RoleAgent, channel_id: UUID) -> Channel:
    channel = Channel.objects.filter(role_agent=agent, pk=channel_id).first()
    if channel is None:
        raise NotFound("There is no such channel.")
    return channel


def possible_managers(agent: RoleAgent, most: int = 200) -> list[Membership]:
    """Members who could manage this role-agent and do not yet, by name."""
    managing = managers_of().filter(content_object=agent).values("user_id")
    members = Membership.objects.select_related("user").filter(
        organization_id=agent.organization_id, user__is_active=True
    )
    free = members.exclude(role=Role.AUDITOR).exclude(user__in=managing)
    return list(free.order_by("user__name", "user__email")[:most])


def members_page(actor: Actor, *, cursor: str = "", search: str = "", role: str = "") -> Page[Membership]:
    """Members, the newest first."""
    members = Membership.objects.select_related("user").filter(organization_id=actor.organization_id)
    if search:
        members = members.filter(Q(user__name__icontains=search) | Q(user__email__icontains=search))
    if role in Role.values:
        members = members.filter(role=role)
    return page(members, cursor, size=50)


def names_managed(actor: Actor, user_ids: list[int]) -> dict[int, list[str]]:
    """The names of the role-agents each of them manages; who manages none is not in it."""
    names: dict[int, list[str]] = {}
    rows = AgentManager.objects.filter(
        organization_id=actor.organization_id, user_id__in=user_ids, permission__codename=MANAGE
    ).order_by("content_object__name")
    for user_id, name in rows.values_list("user_id", "content_object__name"):
        names.setdefault(user_id, []).append(name)
    return names


def get_member(actor: Actor, membership_id: UUID) -> Membership:
    members = Membership.objects.select_related("user").filter(organization_id=actor.organization_id)
    membership = members.filter(pk=membership_id).first()
    if membership is None:
        raise NotFound("There is no such member.")
    return membership


def keys_page(actor: Actor, cursor: str = "") -> Page[ApiKey]:
    keys = ApiKey.objects.filter(organization_id=actor.organization_id).select_related("created_by")
    return page(keys.prefetch_related("role_agents"), cursor, size=50)


def events_for(actor: Actor) -> QuerySet[LearningEvent]:
    """The audit rows this actor may read: of the organisation, or of the role-agents they manage."""
    if policies.reads_whole_audit(actor):
        return audit.events_for(actor.organization_id)
    return audit.events_for(actor.organization_id, policies.visible_agents(actor).values("pk"))


def recent_events(actor: Actor, agent: RoleAgent | None = None, most: int = 6) -> list[LearningEvent]:
    events = events_for(actor)
    if agent is not None:
        events = events.filter(role_agent_id=agent.pk)
    return list(events.order_by("-id")[:most])


def access_with_usage(actor: Actor, days: int = 14, features: Iterable[Feature] = CALLED) -> list[dict]:
    """Each feature that is called, with its switch, budgets, today's use, and calls a day, oldest first."""
    from .actions.gate import today

    settings = {row.feature: row for row in FeatureAccess.objects.filter(organization_id=actor.organization_id)}
    first = today() - timedelta(days=days - 1)
    used: dict[tuple[str, object], Mapping] = {}
    rows = FeatureUsage.objects.filter(organization_id=actor.organization_id, day__gte=first)
    for row in rows.values("feature", "day").annotate(**_sums()):
        used[row["feature"], row["day"]] = row
    nothing = dict.fromkeys(_sums(), 0)
    return [
        {
            "feature": feature,
            "access": settings.get(feature) or FeatureAccess(organization_id=actor.organization_id, feature=feature),
            "today": used.get((feature, today()), nothing),
            "calls": [used.get((feature, first + timedelta(days=n)), nothing)["sum_calls"] for n in range(days)],
        }
        for feature in features
    ]


def _sums() -> dict:
    return {
        "sum_calls": Sum("calls"),
        "sum_refused": Sum("refused"),
        "sum_failed": Sum("failed"),
        "sum_tokens": Sum(F("input_tokens") + F("output_tokens")),
    }


def prompt_versions(actor: Actor, key: str, most: int = 20) -> list[PromptVersion]:
    versions = PromptVersion.objects.filter(organization_id=actor.organization_id, template__key=key)
    return list(versions.order_by("-version")[:most])


def prompts_in_use(actor: Actor) -> dict[str, int]:
    """Key to version, for the prompts whose built-in words the organisation replaced."""
    own = PromptTemplate.objects.filter(organization_id=actor.organization_id, active_version__isnull=False)
    versions = own.values_list("key", "active_version")
    return {key: version for key, version in versions if version is not None}
