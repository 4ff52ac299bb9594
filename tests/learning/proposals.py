"""Proposals and memories for tests of the inbox and memory pages, as conversations would make them."""

from datetime import timedelta

from django.utils import timezone

from digitalworker.agents.choices import AuthorKind, EventKind, PeopleLearning
from digitalworker.agents.models import Channel, ChatEvent, Person, RoleAgent, Thread
from digitalworker.common.text import digest
from digitalworker.common.types import worker_actor
from learning.actions.propose import Proposal, propose
from learning.choices import MemoryKind, MemoryScope, Source
from learning.models import LearningItem, Memory
from learning.payload import checked


def person_of(agent: RoleAgent, external_id: str = "ABC") -> Person:
    return Person.objects.get_or_create(
        role_agent=agent, external_user_id=external_id, defaults={"organization_id": agent.organization_id}
    )[0]


def said(agent: RoleAgent, text: str, *, person: Person | None = None, verified: bool = True) -> ChatEvent:
    channel, _ = Channel.objects.get_or_create(
        organization_id=agent.organization_id, role_agent=agent, external_id="web", defaults={"name": "web shop"}
    )
    thread = Thread.objects.create(
        organization_id=agent.organization_id, role_agent=agent, channel=channel, person=person
    )
    return ChatEvent.objects.create(
        organization_id=agent.organization_id,
        role_agent=agent,
        thread=thread,
        person=person,
        kind=EventKind.MESSAGE,
        author_kind=AuthorKind.PERSON,
        author=str(person or "Someone"),
        verified=verified,
        text=text,
        occurred_at=timezone.now() - timedelta(minutes=2),
    )


def size_of_abc(agent: RoleAgent) -> LearningItem:
    """The size of person ABC, proposed from what they asked."""
    person = person_of(agent)
    text = "do you have these pants in my size, 38?"
    event = said(agent, text, person=person)
    start = text.index("my size")
    return pending(
        agent,
        "38",
        key="size",
        kind=MemoryKind.PROFILE,
        person=person,
        event=event,
        span=(start, start + len("my size, 38")),
        confidence=0.93,
    )


def pending(
    agent: RoleAgent, content: str, *, person: Person | None = None, event=None, span=None, scope=None, **fields
) -> LearningItem:
    """One pending item, by the action the detection uses; about a person only where the agent learns about people."""
    if person:
        RoleAgent.objects.filter(pk=agent.pk, people_learning=PeopleLearning.OFF).update(
            people_learning=PeopleLearning.REVIEW
        )
    scope = scope or (MemoryScope.PERSON if person else MemoryScope.ROLE_AGENT)
    proposal = Proposal(scope=scope, kind=fields.pop("kind", MemoryKind.FACT), content=content, **fields)
    actor = worker_actor(agent.organization_id, agent.pk)
    return propose(
        actor=actor,
        role_agent=agent,
        proposal=proposal,
        person=person,
        event=event,
        span=span,
        source=Source.TOOL if event else Source.DETECTED,
    ).item


def many_pending(agent: RoleAgent, number: int) -> None:
    rows = []
    for n in range(number):
        payload = checked(
            scope="role_agent", kind="fact", key=None, content=f"Parcel route {n} leaves from gate {n % 90}"
        )
        rows.append(
            LearningItem(
                organization_id=agent.organization_id,
                role_agent=agent,
                proposed_payload=payload.as_json(),
                digest=payload.digest,
                dedupe_key=digest("many", str(n)),
                proposed_by_label=agent.name,
            )
        )
    LearningItem.objects.bulk_create(rows, batch_size=2000)


def known(agent: RoleAgent | None, content: str, *, key=None, kind=MemoryKind.FACT, person=None, **fields) -> Memory:
    """A live memory, written directly."""
    organization_id = fields.pop("organization_id", None) or agent.organization_id
    scope = MemoryScope.PERSON if person else (MemoryScope.ROLE_AGENT if agent else MemoryScope.ORGANIZATION)
    payload = checked(scope=scope, kind=kind, key=key, content=content)
    return Memory.objects.create(
        organization_id=organization_id,
        role_agent=agent,
        person=person,
        **payload.as_json(),
        digest=payload.digest,
        created_by_label="Ada",
        **fields,
    )


def many_known(agent: RoleAgent, number: int) -> None:
    rows = []
    for n in range(number):
        payload = checked(scope="role_agent", kind="fact", key=None, content=f"Route {n} leaves from gate {n % 90}")
        rows.append(
            Memory(
                organization_id=agent.organization_id,
                role_agent=agent,
                **payload.as_json(),
                digest=payload.digest,
                created_by_label="Ada",
            )
        )
    Memory.objects.bulk_create(rows, batch_size=2000)
