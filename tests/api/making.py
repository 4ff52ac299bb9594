"""Rows for tests of the API, made by the product's own actions where there is one."""

from digitalworker.agents.models import Person, RoleAgent
from digitalworker.common.types import system_actor, worker_actor
from learning.actions.propose import Proposal, propose
from learning.actions.remember import remember


def person_of(agent, external_user_id: str) -> Person:
    found, _ = Person.objects.get_or_create(
        organization_id=agent.organization_id, role_agent=agent, external_user_id=external_user_id
    )
    return found


def item_for(agent, content="38", *, key="size", person="ABC", scope="person", sensitive=False):
    proposal = Proposal(scope=scope, kind="profile" if key else "fact", key=key, content=content, sensitive=sensitive)
    about = person_of(agent, person) if scope == "person" else None
    if about:  # about a person only where the agent learns about people
        RoleAgent.objects.filter(pk=agent.pk, people_learning="off").update(people_learning="review")
        agent.refresh_from_db()
    actor = worker_actor(agent.organization_id, agent.pk)
    return propose(actor=actor, role_agent=agent, proposal=proposal, person=about).item


def memory_for(world, agent, content, *, who=None, **fields):
    return remember(actor=world.actor(who or world.olga), role_agent=agent, content=content, **fields)


def system(organization):
    return system_actor(organization.pk)
