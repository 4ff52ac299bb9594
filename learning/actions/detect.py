"""Looking at one event: what does it say, and may that be proposed?

The gates, in order: the agent is active and learns, the organisation keeps text; the event is a person's own words
(`triage`); something is plainly said (`extract`); the agent did not say it first; it holds no secret (`propose`).
"""

import re
from collections.abc import Iterable

from digitalworker.agents.choices import AuthorKind
from digitalworker.agents.models import ChatEvent
from digitalworker.common.errors import DomainError, Refused
from digitalworker.common.types import worker_actor
from learning.choices import MemoryKind, MemoryScope, Outcome, Risk, Source
from learning.detection import Found, extract, triage

from .propose import Proposal, propose

REPLIES_LOOKED_AT = 20  # the agent's latest replies before the event, for the loop guard
# What touches access, money, other people or policy is nobody's small matter.
_WEIGHTY = re.compile(
    r"\b(?:access|permissions?|admin\w*|passwords?|log-?ins?|credentials?|approv\w+|allow\w*|grant\w*|refund\w*|pay\w*|price\w*|discount\w*|salar\w+"
    r"|invoice\w*|budget\w*|money|fees?|free|policy|policies|legal\w*|contract\w*|security|delet\w+|fire[ds]?|hir\w+|confidential)\b|[$€£]\s?\d|\d\s?%",
    re.IGNORECASE,
)


def can_learn(event: ChatEvent) -> bool:
    """`event` with its role-agent and organisation loaded."""
    agent = event.role_agent
    return agent.is_active and agent.learning_enabled and event.organization.stores_text


def listen(event: ChatEvent) -> list[Found] | Outcome:
    """What the event says that may be proposed, or how it ends here. Touches no database.

    `event` needs role_agent, organization and person loaded.
    """
    if not can_learn(event):
        return Outcome.NOT_LEARNING
    if not triage(event):
        return Outcome.SKIPPED
    found = _for_whom(event, extract(event.text, event.kind))
    about_people = _learns_about(event)
    kept = [one for one in found if one.scope != MemoryScope.PERSON or about_people]
    if kept:
        return kept
    return Outcome.NOT_LEARNING if found else Outcome.SKIPPED


def detect(event: ChatEvent) -> Outcome:
    """Proposes what the event says and tells how it ended. Run inside the transaction that settles its Detection."""
    heard = listen(event)
    if isinstance(heard, Outcome):
        return heard
    kept = sorted(_not_said_by_agent_first(event, heard), key=_place)
    return _strongest(_propose(event, one) for one in kept) if kept else Outcome.SKIPPED


def _place(one: Found) -> tuple[str, str, str]:
    """Items are locked one after the other. In one order everywhere, two messages that say the same things in different
    orders wait for each other instead of deadlocking."""
    return one.scope, one.key or "", one.content.casefold()


def _for_whom(event: ChatEvent, found: list[Found]) -> list[Found]:
    """A colleague's "I live in Lisbon" says nothing about the person whose conversation it is."""
    if event.author_kind == AuthorKind.PERSON:
        return found
    return [one for one in found if one.scope != MemoryScope.PERSON]


def _learns_about(event: ChatEvent) -> bool:
    person = event.person
    return event.role_agent.learns_about_people and person is not None and person.external_user_id is not None


def _not_said_by_agent_first(event: ChatEvent, found: list[Found]) -> list[Found]:
    """Loop guard: a person who repeats the agent's words confirms nothing, and may only be quoting."""
    replies = (
        ChatEvent.objects.filter(
            thread_id=event.thread_id, author_kind=AuthorKind.AGENT, occurred_at__lte=event.occurred_at
        )
        .exclude(pk=event.pk)
        .order_by("-occurred_at", "-id")
        .values_list("text", flat=True)[:REPLIES_LOOKED_AT]
    )
    said = "\n".join(_plain(reply) for reply in replies)
    return [one for one in found if _plain(event.text[slice(*one.span)]) not in said] if said else found


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _propose(event: ChatEvent, one: Found) -> Outcome:
    try:
        return propose(
            actor=worker_actor(event.organization_id, event.role_agent_id),
            role_agent=event.role_agent,
            proposal=Proposal(
                scope=one.scope,
                kind=one.kind,
                key=one.key,
                content=one.content,
                risk=_risk(one),
                confidence=one.confidence,
                rationale=one.rationale,
                sensitive=one.sensitive,
            ),
            person=event.person if one.scope == MemoryScope.PERSON else None,
            event=event,
            span=one.span,
            source=Source.DETECTED,
        ).outcome
    except Refused:  # audited by `propose`, by its kind only
        return Outcome.REFUSED
    except DomainError as error:
        # An extractor that makes what a proposal can not hold is a defect: it must be seen as a failed detection, and
        # the message may quote the text.
        raise DetectorError(type(error).__name__) from None


class DetectorError(Exception):
    """The extractor found something that can not be proposed."""


def _risk(one: Found) -> Risk:
    """A rule changes how the agent works for everybody, whatever it says."""
    if one.scope == MemoryScope.PERSON:
        return Risk.LOW
    return Risk.MEDIUM if one.kind == MemoryKind.RULE or _WEIGHTY.search(one.content) else Risk.LOW


_RANK = [Outcome.SAVED, Outcome.SENSITIVE, Outcome.PROPOSED, Outcome.REFUSED, Outcome.KNOWN, Outcome.NOT_LEARNING]


def _strongest(outcomes: Iterable[Outcome]) -> Outcome:
    reached = set(outcomes)
    return next(outcome for outcome in _RANK if outcome in reached)
