"""The owner of a memory: locked while its ceiling is counted, so that two writers cannot both take the last place."""

from digitalworker.agents.models import Organization, Person, RoleAgent
from digitalworker.common.errors import Full, NotFound
from digitalworker.common.locking import lock
from learning.choices import MemoryScope
from learning.models import Memory

ORGANIZATION_LIMIT = 1000


def lock_owner(scope: str, role_agent: RoleAgent, person: Person | None) -> None:
    """One writer at a time for one owner. Always taken before any memory or item row, so locks never cross."""
    organization = role_agent.organization_id
    if scope == MemoryScope.ORGANIZATION:
        lock(Organization.objects.all(), pk=organization)
    elif scope == MemoryScope.ROLE_AGENT:
        lock(RoleAgent.objects.filter(organization_id=organization), pk=role_agent.pk)
    else:
        if person is None or person.role_agent_id != role_agent.pk:
            raise NotFound("There is no such person for this role-agent.")
        lock(Person.objects.filter(role_agent=role_agent), pk=person.pk)


def memories_of(scope: str, role_agent: RoleAgent, person: Person | None):
    """Whatever became of them."""
    return Memory.objects.owned_by(
        scope,
        organization_id=role_agent.organization_id,
        role_agent_id=role_agent.pk,
        person_id=person.pk if person else None,
    )


def live_memories(scope: str, role_agent: RoleAgent, person: Person | None):
    return memories_of(scope, role_agent, person).live()


def require_room(scope: str, role_agent: RoleAgent, person: Person | None) -> None:
    limit, whose = {
        MemoryScope.ORGANIZATION: (ORGANIZATION_LIMIT, "The organisation"),
        MemoryScope.ROLE_AGENT: (role_agent.memory_limit, role_agent.name),
        MemoryScope.PERSON: (role_agent.person_memory_limit, f"What {role_agent.name} may hold about one person"),
    }[MemoryScope(scope)]
    count = live_memories(scope, role_agent, person).count()
    if count >= limit:
        raise Full(
            f"{whose} has reached its ceiling of {limit:,} memories. Delete or replace one first; nothing was saved.",
            limit=limit,
            live=count,
        )
