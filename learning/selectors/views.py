"""Views of the inbox under a name: those everybody has, and a person's own."""

from django.db.models import QuerySet

from digitalworker.agents.models import Channel, User
from digitalworker.agents.policies import visible_agents
from digitalworker.common.types import Actor
from learning.choices import ItemStatus
from learning.models import SavedView
from learning.policies import visible_items

from .filters import AGEING, ME, Filters

CHANNELS_MOST = 200  # in a list to choose from

BUILT_IN = {
    "All waiting for you": Filters(yours=True),
    "Assigned to you": Filters(assignee=ME),
    "Sensitive": Filters(sensitive=True),
    "Updates": Filters(updates=True),
    "Ageing": Filters(age=str(AGEING.days), sort="oldest"),
    "Approved": Filters(status=ItemStatus.APPROVED),
    "Rejected": Filters(status=ItemStatus.REJECTED),
}


def views_of(actor: Actor) -> QuerySet[SavedView]:
    """The actor's own, in their order."""
    mine = SavedView.objects.filter(organization_id=actor.organization_id, user_id=actor.user_id or 0)
    return mine.order_by("position", "id")


# --- what there is to filter by -----------------------------------------------------------------------------------
def channels(actor: Actor) -> list[tuple[str, str]]:
    """Channels of the agents the actor sees, with whose they are where a name alone would not tell."""
    found = Channel.objects.filter(role_agent__in=visible_agents(actor).values("pk")).select_related("role_agent")
    rows = list(found.order_by("name", "pk")[:CHANNELS_MOST])
    names = [row.name for row in rows]
    return [
        (str(row.pk), row.name if names.count(row.name) == 1 else f"{row.name}, {row.role_agent.name}") for row in rows
    ]


def channel_name(actor: Actor, channel_id: str) -> str:
    found = Channel.objects.filter(role_agent__in=visible_agents(actor).values("pk"), pk=channel_id)
    return found.values_list("name", flat=True).first() or ""


def assignees(actor: Actor) -> list[tuple[str, str]]:
    """Others whom something was given that waits and that the actor sees."""
    given = visible_items(actor).filter(status=ItemStatus.PENDING, assigned_to__isnull=False)
    others = User.objects.filter(pk__in=given.values("assigned_to")).exclude(pk=actor.user_id or 0)
    return [(str(user.pk), str(user)) for user in others.order_by("name", "email")]


def member_name(actor: Actor, user_id: str) -> str:
    """Somebody of the actor's organisation; nobody else has a name here."""
    found = User.objects.filter(pk=user_id, memberships__organization_id=actor.organization_id).first()
    return str(found) if found else ""


def member_id(actor: Actor, email: str) -> str:
    """The id behind an address in the actor's organisation, "0" where nobody has it."""
    found = User.objects.filter(email__iexact=email, memberships__organization_id=actor.organization_id)
    return str(found.values_list("pk", flat=True).first() or 0)
