"""From a log-in or a key to an Actor in one organisation."""

from digitalworker.common.types import Actor, ActorKind

from .models import ApiKey, Membership, RoleAgent, User


def actor_for_membership(membership: Membership, user: User) -> Actor:
    return Actor(ActorKind.USER, membership.organization_id, str(user), user_id=user.pk, role=membership.role)


def actor_for_key(key: ApiKey) -> Actor:
    """The key as an actor; its issuer's role is read now, so that demoting a person also demotes their keys."""
    role = None
    if key.created_by_id:
        role = (
            Membership.objects.filter(
                user_id=key.created_by_id, user__is_active=True, organization_id=key.organization_id
            )
            .values_list("role", flat=True)
            .first()
        )
    agent_ids = None
    if key.limited_to_agents:
        agent_ids = frozenset(key.role_agents.filter(organization_id=key.organization_id).values_list("pk", flat=True))
    issuer = key.created_by.name or key.created_by.email if key.created_by else "somebody who left"
    return Actor(
        ActorKind.KEY,
        key.organization_id,
        f"API key {key.name} of {issuer}",
        user_id=key.created_by_id,
        role=role,
        scopes=frozenset(key.scopes),
        agent_ids=agent_ids,
        key_id=key.pk,
    )


def agents_of_key(actor: Actor):
    agents = RoleAgent.objects.filter(organization_id=actor.organization_id)
    return agents if actor.agent_ids is None else agents.filter(pk__in=actor.agent_ids)
