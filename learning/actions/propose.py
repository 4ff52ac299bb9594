"""Proposing: the only way anything unreviewed is written down, and it goes to the inbox, never to what is known."""

from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from digitalworker.agents.models import ChatEvent, Person, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import NotFound
from digitalworker.common.types import Actor, ActorKind
from learning.choices import ItemStatus, MemoryScope, Outcome, Risk, Source
from learning.models import LearningItem
from learning.payload import Payload, checked, checked_risk

from ._owner import live_memories
from ._screening import screen

REJECTION_HOLDS = timedelta(days=30)  # the same words are not asked about again sooner
EVIDENCE_MOST = 20  # sources kept on one item; the count goes on


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
    """`item` is None where the same thing is known already, or was rejected lately."""

    item: LearningItem | None
    outcome: Outcome


def propose(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    proposal: Proposal,
    person: Person | None = None,
    event: ChatEvent | None = None,
    span: tuple[int, int] | None = None,
    source: Source = Source.DETECTED,
) -> Proposed:
    """One pending item for this proposal, however often and from however many workers it is made.

    Raises Refused (audited) where screening finds a secret or a plain attempt to steer the agent; what only may be one is
    sensitive, with its findings. Raises Invalid where the words do not fit.
    """
    payload = checked(scope=proposal.scope, kind=proposal.kind, key=proposal.key, content=proposal.content)
    checked_risk(proposal.risk)
    if (payload.scope == MemoryScope.PERSON) != (person is not None):
        raise NotFound("A proposal about a person needs the person, and only such a proposal has one.")
    if person is not None and person.role_agent_id != role_agent.pk:
        raise NotFound("There is no such person for this role-agent.")
    findings = screen(actor=actor, role_agent=role_agent, payload=payload)
    ref = _source_ref(event, span)
    with transaction.atomic():
        known = _already_known(payload, role_agent, person)
        if known:
            return Proposed(None, Outcome.KNOWN)
        dedupe = payload.dedupe_key(person.pk if person else None)
        if _rejected_lately(role_agent, dedupe):
            return Proposed(None, Outcome.KNOWN)
        pending = _add_evidence(role_agent, dedupe, ref)
        if pending:
            return Proposed(pending, Outcome.KNOWN)
        item = LearningItem(
            organization_id=role_agent.organization_id,
            role_agent=role_agent,
            person=person,
            proposed_payload=payload.as_json(),
            digest=payload.digest,
            dedupe_key=dedupe,
            source_refs=[ref] if ref else [],
            event=event,
            thread_id=event.thread_id if event else None,
            source=source,
            proposed_by_label=role_agent.name if actor.kind == ActorKind.WORKER else actor.label,
            proposed_by_id=actor.user_id,
            rationale=proposal.rationale,
            risk=proposal.risk,
            sensitive=proposal.sensitive or bool(findings),
            findings=findings,
            confidence=proposal.confidence,
            detector=proposal.detector,
            replaces=_holder(payload, role_agent, person),
        )
        try:
            with transaction.atomic():
                history.save(item, actor, "proposed", force_insert=True)
        except IntegrityError:  # another worker proposed the same between our look and our insert
            pending = _add_evidence(role_agent, dedupe, ref)
            if pending is None:
                raise
            return Proposed(pending, Outcome.KNOWN)
        record(
            verb=Verb.LEARNING_PROPOSED,
            actor=actor,
            obj=item,
            role_agent=role_agent,
            source_refs=[ref] if ref else [],
            details={"scope": payload.scope, "kind": payload.kind},
        )
    return Proposed(item, Outcome.PROPOSED)


def _source_ref(event: ChatEvent | None, span: tuple[int, int] | None) -> dict | None:
    if event is None:
        return None
    ref = {"type": "event", "id": str(event.pk), "thread": str(event.thread_id)}
    return ref | ({"start": span[0], "end": span[1]} if span else {})


def _already_known(payload: Payload, role_agent: RoleAgent, person: Person | None) -> bool:
    same = live_memories(payload.scope, role_agent, person).filter(key=payload.key)
    return same.filter(content__iexact=payload.content).exists()


def _holder(payload: Payload, role_agent: RoleAgent, person: Person | None):
    return live_memories(payload.scope, role_agent, person).filter(key=payload.key).first() if payload.key else None


def _rejected_lately(role_agent: RoleAgent, dedupe: str) -> bool:
    return LearningItem.objects.filter(
        role_agent=role_agent,
        dedupe_key=dedupe,
        status=ItemStatus.REJECTED,
        decided_at__gt=timezone.now() - REJECTION_HOLDS,
    ).exists()


def _add_evidence(role_agent: RoleAgent, dedupe: str, ref: dict | None) -> LearningItem | None:
    """The pending item that says the same, with one more source. Its revision stays: what it says did not change."""
    pending = (
        LearningItem.objects.select_for_update(of=("self",), no_key=True)
        .filter(role_agent=role_agent, dedupe_key=dedupe, status=ItemStatus.PENDING)
        .first()
    )
    if pending and ref and all(ref["id"] != known.get("id") for known in pending.source_refs):
        pending.source_refs = [*pending.source_refs, ref][:EVIDENCE_MOST]
        pending.evidence_count += 1
        LearningItem.objects.filter(pk=pending.pk).update(
            source_refs=pending.source_refs, evidence_count=pending.evidence_count
        )
    return pending
