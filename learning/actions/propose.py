"""Proposing: the one way in for whatever nobody wrote by hand. The policy says whether it is saved, waits for a person, or
neither; what is known or waiting already gains evidence instead of a twin."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db import IntegrityError, transaction

from digitalworker.agents.choices import AuthorKind, EventKind, PeopleLearning
from digitalworker.agents.models import ChatEvent, Membership, Person, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Full, NotFound
from digitalworker.common.text import digest
from digitalworker.common.types import Actor, ActorKind
from learning.choices import MemoryKind, MemoryScope, Outcome, Risk, Source
from learning.models import LearningItem, Memory
from learning.payload import Payload, checked, checked_risk
from learning.policies import may_read_sensitive, said_by
from learning.policy import Case, Listening, Row, Screened, Sender, Verdict, decide
from learning.screening.sensitive import CATEGORY, THIRD_PARTY

from ._audited import audited_refs
from ._owner import lock_owner
from ._same import (
    add_evidence,
    contradicted_in,
    corrects,
    holds,
    nearest_in,
    pending_with_evidence,
    same_in,
    say_alike,
    turned_down_lately,
)
from ._screening import pii_kinds, screen, steers
from .remember import Origin, write


@dataclass(frozen=True, slots=True)
class Proposal:
    scope: str
    kind: str
    content: str
    key: str | None = None
    risk: str = Risk.LOW
    confidence: float | None = None
    rationale: str = ""
    sensitive: bool = False
    detector: str = ""  # what heard it: a model's name, or the local extractor


class Proposed(NamedTuple):
    """The item that waits or the memory that says it; neither where it was turned down lately or nothing may be learned."""

    item: LearningItem | None
    memory: Memory | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class _Offered:
    """One checked proposal and where it comes from. `role_agent` is as it is now, its owner locked."""

    actor: Actor
    role_agent: RoleAgent
    person: Person | None
    event: ChatEvent | None
    source: Source
    proposal: Proposal
    payload: Payload
    findings: list[dict]
    verified: bool
    ref: dict | None

    @property
    def refs(self) -> list[dict]:
        return [self.ref] if self.ref else []

    @property
    def proposed_by(self) -> str:
        return self.role_agent.name if self.actor.kind == ActorKind.WORKER else self.actor.label

    @property
    def author_id(self) -> int | None:
        """The user whose words these are, if it is one: they do not decide about them where duties are separated."""
        return self.actor.user_id or said_by(self.event)

    @property
    def blind(self) -> bool:
        """Whoever may not read something sensitive is not told by a guess that it says just this."""
        return self.actor.is_person and not may_read_sensitive(self.actor)


def propose(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    proposal: Proposal,
    person: Person | None = None,
    event: ChatEvent | None = None,
    span: tuple[int, int] | None = None,
    source: Source = Source.DETECTED,
    incognito: bool = False,
    instead_of: Memory | None = None,
) -> Proposed:
    """One memory or one pending item for this proposal, however often and from however many workers it is made.

    Raises Refused (audited) where screening finds a secret or a plain attempt to steer the agent; what only may be one is
    sensitive, with its findings. Raises Invalid where the words do not fit. `instead_of` is the memory it is to replace, where
    whoever proposes it says so.
    """
    payload = checked(scope=proposal.scope, kind=proposal.kind, key=proposal.key, content=proposal.content)
    checked_risk(proposal.risk)
    if (payload.scope == MemoryScope.PERSON) != (person is not None):
        raise NotFound("A proposal about a person needs the person, and only such a proposal has one.")
    if person is not None and person.role_agent_id != role_agent.pk:
        raise NotFound("There is no such person for this role-agent.")
    findings = screen(actor=actor, role_agent=role_agent, payload=payload, beside=[proposal.rationale])
    verified = source == Source.DETECTED and _verified_words(event, role_agent)
    ref = _source_ref(event, span)
    with transaction.atomic():
        lock_owner(payload.scope, role_agent, person)
        agent = RoleAgent.objects.select_related("organization").get(pk=role_agent.pk)
        offered = _Offered(actor, agent, person, event, source, proposal, payload, findings, verified, ref)
        case = _case(offered, incognito)
        if decide(case).verdict == Verdict.NOTHING:
            return Proposed(None, None, Outcome.NOT_LEARNING)
        names = corrects(event)
        alike = say_alike(payload, agent, person, names=names)
        blind = offered.blind
        if known := same_in([one for one in alike if not (blind and one.sensitive)], payload):
            add_evidence(known, ref)
            return Proposed(None, known, Outcome.KNOWN)
        dedupe = payload.dedupe_key(person.pk if person else None)
        if pending := pending_with_evidence(agent, dedupe, ref, blind=blind):  # first: an undone approval waits again
            return Proposed(pending, None, Outcome.KNOWN)
        if turned_down_lately(payload, agent, person, dedupe, blind=blind):
            return Proposed(None, None, Outcome.KNOWN)
        contradicted = instead_of or contradicted_in(alike, payload, names=names)
        near = None if contradicted else nearest_in(alike, payload)
        row = decide(replace(case, holds=holds(contradicted, near, event)))
        if row.verdict == Verdict.SAVE:
            try:
                return Proposed(None, _save(offered, row, contradicted), Outcome.SAVED)
            except Full:
                pass  # a reviewer sees it, and what could be forgotten for it; nothing is lost
        return _wait(offered, row, dedupe, contradicted, near)


def _case(offered: _Offered, incognito: bool) -> Case:
    agent, person = offered.role_agent, offered.person
    return Case(
        scope=MemoryScope(offered.payload.scope),
        kind=MemoryKind(offered.payload.kind),
        risk=Risk(offered.proposal.risk),
        screened=Screened.FINDING if steers(offered.findings) else Screened.CLEAN,
        sensitive=offered.proposal.sensitive or any(one["rule"].startswith(CATEGORY) for one in offered.findings),
        third_party=any(one["rule"] == THIRD_PARTY for one in offered.findings),
        listening=Listening.INCOGNITO if incognito else listening(agent),
        people_learning=PeopleLearning(agent.people_learning),
        person_known=person is not None and person.external_user_id is not None,
        sender=_sender(offered),
        autosave=agent.memory_autosave_enabled,
    )


def listening(agent: RoleAgent) -> Listening:
    """`agent` with its organisation loaded."""
    if not agent.is_active:
        return Listening.DISABLED
    if not agent.learning_enabled:
        return Listening.PAUSED
    return Listening.ON if agent.organization.stores_text else Listening.METADATA_ONLY


def _verified_words(event: ChatEvent | None, role_agent: RoleAgent) -> bool:
    """Whether somebody whose identity was checked said it themself. What a tool or a program asks for is nobody's word."""
    return (
        event is not None
        and event.verified
        and event.role_agent_id == role_agent.pk
        and event.author_kind in {AuthorKind.PERSON, AuthorKind.STAFF}
        and event.kind in {EventKind.MESSAGE, EventKind.CORRECTION, EventKind.DRAFT_EDIT}
    )


def _sender(offered: _Offered) -> Sender:
    if not offered.verified or offered.event is None:
        return Sender.UNVERIFIED
    person, event = offered.person, offered.event
    by_themself = person is not None and event.author_kind == AuthorKind.PERSON and event.person_id == person.pk
    return Sender.MEMBER_THEMSELF if by_themself and person and _is_member(person) else Sender.VERIFIED


def _is_member(person: Person) -> bool:
    members = Membership.objects.filter(organization_id=person.organization_id, user__is_active=True)
    return person.user_id is not None and members.filter(user_id=person.user_id).exists()


def _save(offered: _Offered, row: Row, contradicted: Memory | None) -> Memory:
    return write(
        actor=offered.actor,
        role_agent=offered.role_agent,
        person=offered.person,
        payload=offered.payload,
        origin=Origin(
            source=offered.source,
            event=offered.event,
            confidence=offered.proposal.confidence,
            risk=offered.proposal.risk,
            proposed_by_label=offered.proposed_by,
            detector=offered.proposal.detector,
            source_refs=offered.refs,
            policy=row.name,
            replaces=contradicted.pk if contradicted else None,
        ),
    )


def _wait(offered: _Offered, row: Row, dedupe: str, contradicted: Memory | None, near: Memory | None) -> Proposed:
    item = LearningItem(
        organization_id=offered.role_agent.organization_id,
        role_agent=offered.role_agent,
        person=offered.person,
        proposed_payload=offered.payload.as_json(),
        digest=offered.payload.digest,
        dedupe_key=dedupe,
        source_refs=offered.refs,
        event=offered.event,
        thread_id=offered.event.thread_id if offered.event else None,
        source=offered.source,
        proposed_by_label=offered.proposed_by,
        proposed_by_id=offered.author_id,
        rationale=offered.proposal.rationale,
        risk=offered.proposal.risk,
        sensitive=row.verdict == Verdict.SENSITIVE,
        findings=offered.findings,
        pii_entities=pii_kinds(offered.payload),
        confidence=offered.proposal.confidence,
        detector=offered.proposal.detector,
        replaces=contradicted,
        near=near if near and not near.sensitive else None,  # that something sensitive is like it tells what that says
    )
    try:
        with transaction.atomic():
            history.save(item, offered.actor, "proposed", force_insert=True)
    except IntegrityError:  # a reviewer edited another item into these words between our look and our insert
        if pending := pending_with_evidence(offered.role_agent, dedupe, offered.ref, blind=offered.blind):
            return Proposed(pending, None, Outcome.KNOWN)
        if not offered.blind:
            raise
        item.dedupe_key = digest(dedupe, str(item.pk))  # beside a twin that they may not know of
        history.save(item, offered.actor, "proposed", force_insert=True)
    record(
        verb=Verb.LEARNING_PROPOSED,
        actor=offered.actor,
        obj=item,
        role_agent=offered.role_agent,
        source_refs=audited_refs(item),
        # Which row of the policy made it sensitive tells what it is about; the item has it, for who may read that. So does
        # that something sensitive is like it.
        details={}
        if item.sensitive or (near and near.sensitive)
        else {"scope": offered.payload.scope, "kind": offered.payload.kind, "policy": row.name},
    )
    return Proposed(item, None, Outcome.SENSITIVE if item.sensitive else Outcome.PROPOSED)


def _source_ref(event: ChatEvent | None, span: tuple[int, int] | None) -> dict | None:
    if event is None:
        return None
    ref = {"type": "event", "id": str(event.pk), "thread": str(event.thread_id)}
    return ref | ({"start": span[0], "end": span[1]} if span else {})
