from uuid import UUID

from django.db import IntegrityError, transaction

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Invalid
from digitalworker.common.locking import lock
from digitalworker.common.text import name_within
from digitalworker.common.types import Actor

from .. import policies
from ..choices import Provider
from ..models import Channel


@transaction.atomic
def assign_channel(*, actor: Actor, agent_id: UUID, provider: str, external_id: str, name: str) -> Channel:
    """The role-agent serves this channel. What it learned elsewhere serves here as well."""
    agent = lock(policies.visible_agents(actor), pk=agent_id)
    policies.require_admin(actor)
    if provider not in Provider.values:
        raise Invalid(errors={"provider": [f"Choose one of {', '.join(Provider.values)}."]})
    channel = Channel(
        organization_id=agent.organization_id,
        role_agent=agent,
        provider=provider,
        external_id=name_within(external_id, field="external_id", most=200),
        name=name_within(name, field="name", most=120),
    )
    try:
        with transaction.atomic():
            channel.save()
    except IntegrityError:
        message = f"{agent.name} is assigned to this channel already."
        raise Conflict(message, code="channel_exists", errors={"external_id": [message]}) from None
    audit.record(
        verb=Verb.CHANNEL_ASSIGNED,
        actor=actor,
        obj=channel,
        role_agent=agent,
        details={"provider": provider, "external_id": channel.external_id},
    )
    return channel


@transaction.atomic
def rename_channel(*, actor: Actor, channel_id: UUID, name: str) -> Channel:
    channel = _locked(actor, channel_id)
    policies.require_admin(actor)
    changed = {"name": [channel.name, name_within(name, field="name", most=120)]}
    if changed["name"][0] != changed["name"][1]:
        channel.name = changed["name"][1]
        channel.save(update_fields=["name"])
        audit.record(
            verb=Verb.CHANNEL_CHANGED,
            actor=actor,
            obj=channel,
            role_agent=channel.role_agent,
            details={"changed": changed},
        )
    return channel


@transaction.atomic
def remove_channel(*, actor: Actor, channel_id: UUID, reason: str = "") -> None:
    """The role-agent no longer serves the channel. Its conversations and what was learned in them stay."""
    channel = _locked(actor, channel_id)
    policies.require_admin(actor)
    audit.record(verb=Verb.CHANNEL_REMOVED, actor=actor, obj=channel, role_agent=channel.role_agent, reason=reason)
    channel.delete()


def _locked(actor: Actor, channel_id: UUID) -> Channel:
    channels = Channel.objects.select_related("role_agent").filter(role_agent__in=policies.visible_agents(actor))
    return lock(channels, pk=channel_id)
