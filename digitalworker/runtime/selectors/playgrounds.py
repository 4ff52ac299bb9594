"""What the playground offers: agents, people to speak as, and the conversation that is open."""

from uuid import UUID

from digitalworker.agents.choices import AgentStatus
from digitalworker.agents.models import Person, RoleAgent, Thread
from digitalworker.agents.policies import visible_agents
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.types import Actor

from ..policies import visible_threads

PEOPLE_SUGGESTED = 20


def agents_page(actor: Actor, cursor: str = "") -> Page[RoleAgent]:
    """Agents that answer; a disabled one has no playground."""
    agents = visible_agents(actor).filter(status=AgentStatus.ACTIVE)
    return page(agents, cursor, order=("name", "id"), size=50)


def thread_of(actor: Actor, code: str, thread_id: UUID, person: str | None) -> Thread:
    """The conversation with its agent, if it is that agent's and this person's."""
    threads = visible_threads(actor).filter(pk=thread_id, role_agent__code=code).select_related("person", "role_agent")
    thread = threads.first()
    if thread is None or (thread.person.external_user_id if thread.person else None) != person:
        raise NotFound("There is no such conversation.")
    return thread


def latest_people(agent: RoleAgent) -> list[str]:
    people = Person.objects.filter(role_agent=agent, external_user_id__isnull=False).order_by("-id")
    return [name for name in people.values_list("external_user_id", flat=True)[:PEOPLE_SUGGESTED] if name]
