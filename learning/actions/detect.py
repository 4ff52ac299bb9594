"""Looking at one event: is it worth a closer look, what is heard in it, and what becomes of that.

Three steps, because they hold different things: `first_look` touches nothing, `listen` may ask a model and so must hold no
lock, `conclude` writes and runs inside the transaction that settles the event's Detection.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.utils import timezone

from digitalworker.agents.actions import gate
from digitalworker.agents.choices import AuthorKind, EventKind, Feature
from digitalworker.agents.language_model import ModelFailure, is_configured
from digitalworker.agents.models import ChatEvent
from digitalworker.common.errors import DomainError, Refused, Unavailable
from digitalworker.common.types import worker_actor
from learning.choices import LOCAL_DETECTOR, MemoryScope, Outcome, Risk, Setback, Source
from learning.detection import Found, by_model, extract, triage
from learning.detection.loop_guard import said_before
from learning.own_words import last_reply, own_words
from learning.risk import risk_of

from .propose import Proposal, propose

_RISKS: list[str] = [Risk.LOW, Risk.MEDIUM, Risk.HIGH]
# An answer that can not be used is no better tomorrow; the rest may be.
_NO_USE = {
    "malformed": Setback.MALFORMED,
    "limit": Setback.MALFORMED,
    "empty": Setback.MALFORMED,
    "refused": Setback.DECLINED,
}

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a detector heard in one event. `setback`: why it was not the usual detector that listened."""

    found: list[Found] = field(default_factory=list)
    detector: str = LOCAL_DETECTOR
    setback: str = ""


@dataclass(frozen=True, slots=True)
class Concluded:
    outcome: Outcome
    skill_span: tuple[int, int] | None = None


class Waits(Exception):
    """Nobody can listen now. The event waits, and nothing happened to it. `again`: another event may fare better."""

    def __init__(self, setback: Setback, *, again: bool = False):
        super().__init__(setback.value)
        self.setback = setback
        self.again = again


class DetectorError(Exception):
    """A detector found something that can not be proposed."""


def first_look(event: ChatEvent) -> Outcome | None:
    """How the event ends at first sight; None if it is worth listening to. Touches no database.

    `event` needs role_agent and organization loaded.
    """
    agent = event.role_agent
    if not (agent.is_active and agent.learning_enabled and event.organization.stores_text):
        return Outcome.NOT_LEARNING
    return None if triage(event, by_model=is_configured()) else Outcome.TRIAGED


def listen(event: ChatEvent, waiting_since: datetime | None = None) -> Heard:
    """What a detector hears in an event that passed `first_look`. Raises Waits. Holds no lock, so call it outside a
    transaction where a model is configured."""
    if not is_configured():
        return listen_locally(event)
    try:
        ticket = gate.enter(
            organization_id=event.organization_id, role_agent=event.role_agent, feature=Feature.LEARNING_DETECT
        )
    except Unavailable as closed:
        if closed.code == "feature_off":
            return listen_locally(event, Setback.FEATURE_OFF)
        return without_model(event, Setback.OVER_BUDGET, waiting_since)
    try:
        opinion = by_model.opinion(event, last_reply(event, by_model.CONTEXT_MOST))
    except ModelFailure as failure:
        _settle(ticket, failure.spent, failed=True)
        log.warning("detector.model_failed", code=failure.code, message=str(event.pk))
        if failure.code in _NO_USE:
            return listen_locally(event, _NO_USE[failure.code])
        one_of_many = failure.code in {"timeout", "model_error"}
        return without_model(event, Setback.MODEL_DOWN, waiting_since, again=one_of_many)
    except Exception:
        gate.settle(ticket, failed=True)
        raise
    _settle(ticket, opinion.spent)
    return Heard(opinion.found, opinion.model[:80])


def listen_locally(event: ChatEvent, setback: str = "") -> Heard:
    return Heard(extract(event.text, event.kind), LOCAL_DETECTOR, setback)


def without_model(event: ChatEvent, setback: Setback, waiting_since: datetime | None, *, again: bool = False) -> Heard:
    """What settings want while the model can not be asked: wait and, in the end, listen without it; or at once; or not."""
    if settings.DW_DETECT_WHEN_DOWN == "skip":
        return Heard([], "", setback)
    waited = timezone.now() - waiting_since if waiting_since else timedelta()
    if settings.DW_DETECT_WHEN_DOWN == "local" or waited >= timedelta(hours=settings.DW_DETECT_WAIT_HOURS):
        return listen_locally(event, setback)
    raise Waits(setback, again=again)


def _settle(ticket: gate.Ticket, spent, *, failed: bool = False) -> None:
    gate.settle(ticket, input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, failed=failed)


# --- what becomes of it -----------------------------------------------------------------------------------------------


def worth_keeping(event: ChatEvent, heard: Heard) -> list[Found] | Outcome:
    """Of what was heard, what may be learned from who said it, or how it ends here. Touches no database."""
    said = [one for one in heard.found if _of_their_own(event, one)]
    kept = [one for one in said if _may_learn(event, one)]
    if kept:
        return kept
    return Outcome.NOT_LEARNING if said else Outcome.SKIPPED


def conclude(event: ChatEvent, heard: Heard) -> Concluded:
    """Proposes what may be learned and tells how it ended. Run inside the transaction that settles its Detection."""
    kept = worth_keeping(event, heard)
    if isinstance(kept, Outcome):
        return Concluded(kept)
    sources = own_words(event)
    kept = [
        one
        for one in kept
        if not said_before(
            (event.text[slice(*one.span)], f"{one.key or ''} {one.content}"),
            sources,
            about_person=one.scope == MemoryScope.PERSON,
        )
    ]
    if not kept:
        return Concluded(Outcome.SKIPPED)
    skills = [one.span for one in kept if one.skill]
    outcomes = [_propose(event, one, heard.detector) for one in sorted(kept, key=_place) if not one.skill]
    return Concluded(_strongest([*outcomes, *(Outcome.SKILL for _ in skills)]), skills[0] if skills else None)


def _of_their_own(event: ChatEvent, one: Found) -> bool:
    """A colleague's "I live in Lisbon" says nothing about the person whose conversation it is, and the "I" of a draft is
    the agent's."""
    if one.skill or one.scope != MemoryScope.PERSON:
        return True
    return event.author_kind == AuthorKind.PERSON and event.kind != EventKind.DRAFT_EDIT


def _may_learn(event: ChatEvent, one: Found) -> bool:
    agent, person = event.role_agent, event.person
    if one.skill:
        return agent.skill_learning_enabled
    if one.scope != MemoryScope.PERSON:
        return True
    return agent.learns_about_people and person is not None and person.external_user_id is not None


def _place(one: Found) -> tuple[str, str, str]:
    """Owners are locked one after the other. In one order everywhere, two messages that say the same things in different
    orders wait for each other instead of deadlocking."""
    return one.scope, one.key or "", one.content.casefold()


def _propose(event: ChatEvent, one: Found, detector: str) -> Outcome:
    try:
        return propose(
            actor=worker_actor(event.organization_id, event.role_agent_id),
            role_agent=event.role_agent,
            proposal=Proposal(
                scope=one.scope,
                kind=one.kind,
                key=one.key,
                content=one.content,
                risk=_risk(event, one),
                confidence=one.confidence,
                rationale=one.rationale,
                sensitive=one.sensitive,
                detector=detector,
            ),
            person=event.person if one.scope == MemoryScope.PERSON else None,
            event=event,
            span=one.span,
            source=Source.DETECTED,
        ).outcome
    except Refused:  # audited by `propose`, by its kind only
        return Outcome.REFUSED
    except DomainError as error:
        # A detector that makes what a proposal can not hold is a defect: it must be seen as a failed detection, and the
        # message may quote the text.
        raise DetectorError(type(error).__name__) from None


def _risk(event: ChatEvent, one: Found) -> str:
    """The detector's, and at least what these words, and those they rest on, are worth by local rules."""
    local = risk_of(one.scope, one.kind, one.key, one.content, event.text[slice(*one.span)])
    return max(one.risk, local, key=_RISKS.index)


_RANK = [
    *(Outcome.SENSITIVE, Outcome.PROPOSED, Outcome.SAVED, Outcome.SKILL),
    *(Outcome.REFUSED, Outcome.KNOWN, Outcome.NOT_LEARNING),
]


def _strongest(outcomes: Iterable[Outcome]) -> Outcome:
    reached = set(outcomes)
    return next(outcome for outcome in _RANK if outcome in reached)
