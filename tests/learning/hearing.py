"""What verified people tell a role-agent, heard as the detector hears it."""

from digitalworker.agents.actions.conversations import EventDraft, record_events
from digitalworker.agents.models import ChatEvent, RoleAgent, User
from digitalworker.common.types import system_actor, worker_actor
from learning.actions.propose import Proposal, Proposed, propose
from learning.choices import MemoryScope, Source


def told(agent: RoleAgent, text: str, *, by: User | str, verified: bool = True, kind: str = "correction") -> ChatEvent:
    """Said to the agent by a colleague, or by the person with this external id."""
    who = (
        {"author_kind": "person", "external_user_id": by}
        if isinstance(by, str)
        else {"author_kind": "staff", "author": by.name, "author_user_id": by.pk}
    )
    draft = EventDraft(kind=kind, text=text, verified=verified, **who)
    (one,) = record_events(actor=system_actor(agent.organization_id), role_agent=agent, drafts=[draft])
    return one.event


def heard(
    agent: RoleAgent, event: ChatEvent, content: str = "", *, source: Source = Source.DETECTED, **fields
) -> Proposed:
    """The detector makes of `event` a fact of the agent, unless `fields` say otherwise."""
    proposal = {"scope": MemoryScope.ROLE_AGENT, "kind": "fact", "content": content or event.text, **fields}
    return propose(
        actor=worker_actor(agent.organization_id, agent.pk),
        role_agent=RoleAgent.objects.get(pk=agent.pk),
        proposal=Proposal(detector="local extractor", **proposal),
        person=event.person if proposal["scope"] == MemoryScope.PERSON else None,
        event=event,
        span=(0, len(event.text)),
        source=source,
    )


def saved(agent: RoleAgent, text: str, *, by: User | str, **fields):
    """A memory that was saved without asking."""
    memory = heard(agent, told(agent, text, by=by), **fields).memory
    assert memory is not None and memory.autosaved
    return memory
