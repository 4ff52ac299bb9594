"""The same question answered under two souls, to hear how each sounds.

Nothing is recorded and nothing is learned: there is no conversation, no run and no event, and the model is given no tools.
What it costs counts towards the budget of answers like any other call.
"""

from dataclasses import dataclass

from digitalworker.agents.actions import gate
from digitalworker.agents.choices import Feature
from digitalworker.agents.language_model import ModelFailure, is_configured, run_model
from digitalworker.agents.models import RoleAgent
from digitalworker.common.embedding import query_vector
from digitalworker.common.errors import Conflict, Denied, Unavailable
from digitalworker.common.secrets import redact
from digitalworker.common.text import within
from digitalworker.common.types import Actor
from souls.models import Soul
from souls.policies import SENSITIVE, may_read
from souls.selectors import SoulInUse, in_use

from .ask import QUESTION_MOST
from .context import ContextPack, build_context
from .local import respond
from .policies import may_ask
from .posture import render_posture


@dataclass(frozen=True, slots=True)
class Sounded:
    """One answer. `posture` is the part of the prompt that differs; `notice` says why no model spoke, or how it failed."""

    soul: SoulInUse
    posture: str
    answer: str
    notice: str = ""


def compare(*, actor: Actor, role_agent: RoleAgent, question: str, souls: tuple[Soul, Soul]) -> list[Sounded]:
    """Raises Denied, Invalid or Conflict as `ask` does, and Denied for a soul whose words the actor may not read.

    For nobody in particular: what is known about a person goes into no trial.
    """
    if not may_ask(actor, role_agent):
        raise Denied(f"You may read about {role_agent.name}, and not talk to it here.")
    if not role_agent.is_active:
        raise Conflict(f"{role_agent.name} is disabled and answers nobody.", code="agent_disabled")
    question = within(question, field="question", most=QUESTION_MOST)
    if role_agent.organization.redact_secrets:
        question = redact(question).text
    return [_sounded(role_agent, question, soul) for soul in (_readable(actor, soul) for soul in souls)]


def _readable(actor: Actor, soul: Soul) -> SoulInUse:
    used = in_use(soul)
    if used is None or soul.active_version is None:
        raise Conflict(f"No version of {soul.name} is in use.", code="not_in_use")
    if not may_read(actor, soul.active_version):
        raise Denied(SENSITIVE)
    return used


def _sounded(role_agent: RoleAgent, question: str, soul: SoulInUse) -> Sounded:
    pack = build_context(
        organization=role_agent.organization,
        role_agent=role_agent,
        question=question,
        vector=query_vector(question),
        soul=soul,
    )
    answer, notice = _answer(role_agent, question, pack)
    return Sounded(soul, render_posture(soul), answer, notice)


def _answer(role_agent: RoleAgent, question: str, pack: ContextPack) -> tuple[str, str]:
    if not is_configured():
        return respond(
            pack
        ), "No language model is configured, so both answers read the same; what a model is told differs."
    try:
        ticket = gate.enter(organization_id=role_agent.organization_id, role_agent=role_agent, feature=Feature.ASK)
    except Unavailable as closed:
        return respond(pack), closed.detail
    try:
        reply = run_model(instructions=pack.rendered, history=[], question=question, tools=[])
    except ModelFailure as failure:
        spent = failure.spent
        gate.settle(ticket, input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, failed=True)
        return "", failure.says
    except Exception:
        gate.settle(ticket, failed=True)
        raise
    gate.settle(ticket, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    return reply.text, ""
