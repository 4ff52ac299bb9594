"""Answering: record what was said, build the pack, let the model or the local responder speak, record how it went.

The question and its run are committed before any model is called, and the reply after it, so a model that fails, hangs or
dies loses nothing and holds no lock. Detection of anything to learn runs later, in the task queue.
"""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from digitalworker.agents.actions import gate
from digitalworker.agents.actions.conversations import AUTHOR_MOST, EventDraft
from digitalworker.agents.choices import AuthorKind, EventKind, Feature
from digitalworker.agents.language_model import ModelFailure, is_configured, run_model
from digitalworker.agents.models import ChatEvent, RoleAgent
from digitalworker.common.errors import Conflict, Denied, Unavailable
from digitalworker.common.secrets import redact
from digitalworker.common.text import clean, within
from digitalworker.common.types import Actor, worker_actor
from learning.actions.intake import take_in
from learning.models.memory import Memory

from .context import ContextPack, build_context
from .local import respond
from .models import AgentRun, Route, RunMemory, RunStatus
from .policies import may_ask
from .tools import tools_for
from .uses import count_skills

QUESTION_MOST = 8000
HISTORY_TURNS = 12
ABANDONED_AFTER = timedelta(minutes=10)

log = structlog.get_logger()


@dataclass(slots=True)
class Answer:
    """What a question gave: the words, the run that explains them, and the pack it was answered from.

    `pack` is None where the same idempotency key was answered before; the run's manifest tells what went in then. Its
    `text` is empty while that first answer is still being made.
    """

    text: str
    run: AgentRun
    pack: ContextPack | None

    @property
    def thread_id(self) -> UUID:
        return self.run.thread_id


@dataclass(slots=True)
class _Spoken:
    text: str
    route: Route
    model: str = ""
    error_code: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: list[dict] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def ask(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    question: str,
    external_user_id: str | None = None,
    thread_id: UUID | None = None,
    channel: str | None = None,
    verified: bool = False,
    idempotency_key: str | None = None,
    local: bool = False,
) -> Answer:
    """Answer `question` as `role_agent`, for the person the conversation belongs to.

    The same `idempotency_key` again asks nothing: it gives the first run and its answer. `local` leaves the model out even
    where one is configured.

    Raises Denied (may see the agent but not speak to it), NotFound, Invalid, Conflict (the agent is disabled, or the key
    belongs to another question). A model that fails raises nothing: the answer says so and the run is recorded as failed.
    """
    if not may_ask(actor, role_agent):
        raise Denied(f"You may read about {role_agent.name}, and not talk to it here.")
    question = within(question, field="question", most=QUESTION_MOST)
    with transaction.atomic():
        draft = EventDraft(
            kind=EventKind.MESSAGE,
            text=question,
            author_kind=AuthorKind.PERSON,
            author=(external_user_id or "")[:AUTHOR_MOST],  # a name to show, and shorter than an id may be
            verified=verified,
            external_user_id=external_user_id,
            thread_id=thread_id,
            channel=channel,
            idempotency_key=idempotency_key,
        )
        (recorded,) = take_in(actor=actor, role_agent=role_agent, drafts=[draft])
        if role_agent.organization.redact_secrets:
            # What may not be stored is not sent to a model either, nor repeated by it; the original is kept nowhere.
            question = redact(question).text
        if not recorded.created:
            return _answered_before(recorded.event, question, external_user_id)
        run = AgentRun.objects.create(
            organization_id=role_agent.organization_id,
            role_agent=role_agent,
            thread_id=recorded.event.thread_id,
            person_id=recorded.event.person_id,
            question=recorded.event,
            asked_by_label=actor.label,
        )
    started = time.perf_counter()
    try:
        pack = build_context(
            organization=role_agent.organization, role_agent=role_agent, question=question, person=recorded.event.person
        )
        timings = {"context": _ms(started)}
        spoken = _read_out(pack) if local else _speak(run, role_agent, recorded.event, question, pack, timings)
        timings["total"] = _ms(started)
        _finish(run, role_agent, recorded.event, pack, spoken, timings)
    except Exception:
        AgentRun.objects.filter(pk=run.pk).update(
            status=RunStatus.FAILED, error_code="internal", finished_at=timezone.now()
        )
        raise
    return Answer(spoken.text, run, pack)


def _answered_before(event: ChatEvent, question: str, external_user_id: str | None) -> Answer:
    run = AgentRun.objects.select_related("reply").filter(question=event).first()
    person = event.person.external_user_id if event.person else None
    other_words = event.organization.stores_text and event.text != question
    if run is None or other_words or person != (clean(external_user_id or "") or None):
        raise Conflict(
            "This idempotency key belongs to another message. Nothing was asked.", code="idempotency_key_taken"
        )
    return Answer(run.reply.text if run.reply else "", run, None)


def _speak(
    run: AgentRun, role_agent: RoleAgent, event: ChatEvent, question: str, pack: ContextPack, timings: dict
) -> _Spoken:
    if not is_configured():
        return _read_out(pack)
    try:
        ticket = gate.enter(organization_id=role_agent.organization_id, role_agent=role_agent, feature=Feature.ASK)
    except Unavailable as closed:
        return _Spoken(respond(pack), Route.LOCAL, error_code=closed.code, notices=[closed.detail])
    started = time.perf_counter()
    try:
        reply = run_model(
            instructions=pack.rendered,
            history=_history(event),
            question=question,
            tools=tools_for(run=run, role_agent=role_agent, event=event),
        )
    except ModelFailure as failure:
        spent = failure.spent
        gate.settle(ticket, input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, failed=True)
        log.warning("model.failed", code=failure.code, run=str(run.pk))
        return _Spoken(failure.says, Route.MODEL, error_code=failure.code, notices=[failure.says])
    except Exception:
        gate.settle(ticket, failed=True)
        raise
    finally:
        timings["model"] = _ms(started)
    gate.settle(ticket, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    return _Spoken(
        reply.text,
        Route.MODEL,
        model=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        tool_calls=reply.tool_calls,
    )


def _read_out(pack: ContextPack) -> _Spoken:
    return _Spoken(respond(pack), Route.LOCAL, notices=["no_model"])


def _history(event: ChatEvent) -> list[tuple[str, str]]:
    """The thread's last turns before this question, oldest first, as the model wants them."""
    turns = (
        ChatEvent.objects.without_vector()
        .filter(thread_id=event.thread_id, kind__in=[EventKind.MESSAGE, EventKind.REPLY])
        .exclude(pk=event.pk)
        .exclude(text="")
        .order_by("-occurred_at", "-id")[:HISTORY_TURNS]
    )
    return [("assistant" if turn.author_kind == AuthorKind.AGENT else "user", turn.text) for turn in reversed(turns)]


@transaction.atomic
def _finish(
    run: AgentRun, role_agent: RoleAgent, event: ChatEvent, pack: ContextPack, spoken: _Spoken, timings: dict
) -> None:
    """The reply, the run's whole story and the use counts, together or not at all."""
    failed = spoken.route == Route.MODEL and bool(spoken.error_code)
    draft = EventDraft(
        kind=EventKind.REPLY,
        text=spoken.text,
        author_kind=AuthorKind.AGENT,
        author=role_agent.name,
        thread_id=event.thread_id,
        external_user_id=event.person.external_user_id if event.person else None,
        payload={"run": str(run.pk)},
    )
    worker = worker_actor(role_agent.organization_id, role_agent.pk)
    (reply,) = take_in(actor=worker, role_agent=role_agent, drafts=[draft])
    _count_uses(run, pack)
    count_skills(run, [(each.skill, each.why) for each in pack.procedures.loaded])
    run.reply = reply.event
    run.status = RunStatus.FAILED if failed else RunStatus.COMPLETED
    run.route, run.model, run.error_code = spoken.route, spoken.model, spoken.error_code
    run.prompt_version = pack.prompt_version
    run.soul_version_id = pack.soul.version_id if pack.soul else None
    run.manifest = pack.manifest()
    run.tool_calls, run.notices = spoken.tool_calls, [*pack.notices, *spoken.notices]
    run.input_tokens, run.output_tokens = spoken.input_tokens, spoken.output_tokens
    run.timings, run.finished_at = timings, timezone.now()
    run.save()


def _count_uses(run: AgentRun, pack: ContextPack) -> None:
    """Locked in one order, so that two answers that use the same memories never wait for each other in a circle."""
    given = {item.memory.id: item for item in pack.included}
    rows = Memory.objects.filter(pk__in=given).order_by("pk").select_for_update(no_key=True)
    still_there = set(rows.values_list("pk", flat=True))  # one may have been erased while the model was thinking
    Memory.objects.filter(pk__in=still_there).update(use_count=F("use_count") + 1, last_used_at=timezone.now())
    RunMemory.objects.bulk_create(
        RunMemory(
            organization_id=run.organization_id,
            run=run,
            memory_id=item.memory.id,
            position=position,
            digest=item.memory.digest,
            why=item.why,
        )
        for position, item in enumerate(pack.included)
        if item.memory.id in still_there
    )


def close_abandoned() -> int:
    """Runs whose process died say so, instead of seeming to run for ever. Returns how many."""
    return AgentRun.objects.filter(status=RunStatus.RUNNING, created_at__lt=timezone.now() - ABANDONED_AFTER).update(
        status=RunStatus.FAILED, error_code="interrupted", finished_at=timezone.now()
    )


def _ms(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
