"""What a model may do while it answers. Whose memory it touches is fixed here, before the model says a word."""

from datetime import date, datetime, time, timedelta

import structlog
from django.db.models import F
from django.utils import timezone

from digitalworker.agents.history import Filters, Hit, search_history
from digitalworker.agents.language_model import ToolSpec
from digitalworker.agents.models import ChatEvent, RoleAgent
from digitalworker.agents.selectors import channel_named
from digitalworker.common.errors import DomainError, Invalid, NotFound
from digitalworker.common.text import clean
from digitalworker.common.types import worker_actor
from learning.actions.propose import Proposal, propose
from learning.choices import MemoryKind, MemoryScope, Outcome, Source

from .models import AgentRun
from .skill_tool import skill_tools

SAVED_FOR_REVIEW = "Saved for review."  # the same whatever became of it: the model must not act on the difference
EXCERPTS_MOST = 5

log = structlog.get_logger()


def tools_for(*, run: AgentRun, role_agent: RoleAgent, event: ChatEvent) -> list[ToolSpec]:
    """The tools of this run. `remember_fact` is there only where this person may be learned about."""
    tools = [_search(role_agent, event), *skill_tools(run, role_agent)]
    if _may_learn_about_person(role_agent, event):
        tools.append(_remember(run, role_agent, event))
    return tools


def _may_learn_about_person(role_agent: RoleAgent, event: ChatEvent) -> bool:
    return bool(
        role_agent.learning_enabled
        and role_agent.learns_about_people
        and role_agent.organization.stores_text
        and event.person
        and event.person.external_user_id
    )


def _remember(run: AgentRun, role_agent: RoleAgent, event: ChatEvent) -> ToolSpec:
    actor = worker_actor(role_agent.organization_id, role_agent.pk)

    def remember_fact(key: str, content: str) -> str:
        proposal = Proposal(
            scope=MemoryScope.PERSON,
            kind=MemoryKind.PROFILE if key.strip() else MemoryKind.FACT,
            key=key or None,
            content=content,
            rationale="The agent asked to remember this while it answered.",
        )
        try:
            proposed = propose(
                actor=actor,
                role_agent=role_agent,
                proposal=proposal,
                person=event.person,
                event=event,
                source=Source.TOOL,
            )
        except DomainError as refusal:  # audited where it matters; the answer goes on either way
            log.info("tool.remember_fact_refused", code=refusal.code, run=str(run.pk))
            return SAVED_FOR_REVIEW
        if proposed.outcome in {Outcome.PROPOSED, Outcome.SENSITIVE}:
            AgentRun.objects.filter(pk=run.pk).update(memory_proposed=F("memory_proposed") + 1)
            run.memory_proposed += 1
        return SAVED_FOR_REVIEW

    return ToolSpec(
        "remember_fact",
        "Propose one lasting fact about the person you are talking to, stated by them. A colleague reviews it; it changes "
        "nothing in this conversation. Never for one-off requests, secrets, or facts about other people.",
        {
            "key": "a short name such as size or preferred_language; empty for a free note",
            "content": "the value or the note, in a few words",
        },
        remember_fact,
    )


def _search(role_agent: RoleAgent, event: ChatEvent) -> ToolSpec:
    actor = worker_actor(role_agent.organization_id, role_agent.pk)
    # An agent that learns about people keeps them apart: what one said in confidence is no search hit for another.
    person = event.person if role_agent.learns_about_people else None

    def search_agent_history(query: str, since: str = "", until: str = "", channel: str = "") -> str:
        if role_agent.learns_about_people and person is None:
            return "Nothing was found."  # nobody's search, where people are kept apart
        try:
            filters = Filters(
                channel=channel_named(role_agent, clean(channel)) if clean(channel) else None,
                since=_day(since),
                until=_day(until, after=1),
            )
            hits = search_history(
                actor=actor, agent=role_agent, query=query, person=person, filters=filters, limit=EXCERPTS_MOST + 1
            )
        except (NotFound, Invalid) as refusal:
            return f"Not searched. {refusal}"
        found = [hit for hit in hits if hit.event_id != event.pk][:EXCERPTS_MOST]
        if not found:
            return "Nothing was found."
        instead = [f"Nobody said that. Found for: {hits.corrected}"] if hits.corrected else []
        return "\n".join([*instead, *map(_told, found)])

    return ToolSpec(
        "search_agent_history",
        "Search earlier conversations, for example to see whether a problem was handled before. Returns short excerpts with "
        "what was said right before and after.",
        {
            "query": 'a few words to look for; "these words" only as they stand, begin* for beginnings, -word for without'
        },
        search_agent_history,
        optional={
            "since": "the first day, as 2026-11-29",
            "until": "the last day, as 2026-11-30",
            "channel": "only conversations in the channel of this name",
        },
    )


def _day(text: str, *, after: int = 0) -> datetime | None:
    """The beginning of a day in the server's time zone, `after` days later; None for no day."""
    if not text.strip():
        return None
    try:
        return timezone.make_aware(datetime.combine(date.fromisoformat(text.strip()[:10]), time.min)) + timedelta(
            days=after
        )
    except (ValueError, OverflowError):
        raise Invalid(f"“{text.strip()[:20]}” is no day. Write it as 2026-11-29.") from None


def _told(hit: Hit) -> str:
    lines = [f"- {hit.occurred_at:%d %B %Y}, {hit.author_kind}: {hit.excerpt}"]
    for when, line in (("before", hit.before), ("after", hit.after)):
        if line is not None:
            lines.append(f"  ({when}, {line.author_kind}: {line.excerpt})")
    return "\n".join(lines)
