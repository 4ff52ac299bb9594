from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, Denied, Invalid
from digitalworker.common.locking import check_revision, lock
from digitalworker.common.secrets import refuse_secrets
from digitalworker.common.text import clean, one_line
from digitalworker.common.types import Actor

from .. import policies
from ..choices import AgentStatus
from ..models import RoleAgent

# What the settings form and PATCH may change. Pausing, disabling and the soul have verbs of their own; `code` is for good.
SETTINGS = (
    "name",
    "persona",
    "memory_autosave_enabled",
    "people_learning",
    "memory_limit",
    "person_memory_limit",
)
MOST_MEMORIES = 100_000


@transaction.atomic
def create_agent(*, actor: Actor, code: str, name: str, persona: str = "", **settings) -> RoleAgent:
    policies.require_admin(actor)
    if actor.agent_ids is not None:
        raise Denied("This key is limited to some role-agents, so it can not create one.")
    agent = RoleAgent(organization_id=actor.organization_id, code=clean(code))
    _take(agent, {"name": name, "persona": persona, **settings})
    try:
        with transaction.atomic():
            history.save(agent, actor, "created")
    except IntegrityError:
        message = f"There is a role-agent with the code “{agent.code}” already."
        raise Conflict(message, code="code_taken", errors={"code": [message]}) from None
    audit.record(verb=Verb.AGENT_CREATED, actor=actor, obj=agent, role_agent=agent, details={"code": agent.code})
    return agent


@transaction.atomic
def update_agent(*, actor: Actor, agent_id: UUID, revision: int | None, **settings) -> RoleAgent:
    """`settings` are the ones to change, of SETTINGS; what stays equal is not recorded."""
    agent = lock(policies.visible_agents(actor), pk=agent_id)
    policies.require_admin(actor)
    check_revision(agent, revision)
    before = {name: getattr(agent, name) for name in settings if name in SETTINGS}
    _take(agent, settings)
    changed = {name: [old, getattr(agent, name)] for name, old in before.items() if getattr(agent, name) != old}
    if changed:
        _save(agent, actor, f"settings changed: {', '.join(changed)}")
        audit.record(verb=Verb.SETTINGS_CHANGED, actor=actor, obj=agent, role_agent=agent, details={"changed": changed})
    return agent


def pause_learning(*, actor: Actor, agent_id: UUID, reason: str = "") -> RoleAgent:
    """It goes on answering with what it knows, and learns nothing until resumed."""
    return _switch_learning(actor, agent_id, False, reason)


def resume_learning(*, actor: Actor, agent_id: UUID, reason: str = "") -> RoleAgent:
    return _switch_learning(actor, agent_id, True, reason)


@transaction.atomic
def _switch_learning(actor: Actor, agent_id: UUID, on: bool, reason: str) -> RoleAgent:
    agent = lock(policies.visible_agents(actor), pk=agent_id)
    policies.require_admin(actor)
    if agent.learning_enabled == on:
        raise Conflict(f"Learning of {agent.name} is {'on' if on else 'paused'} already.", code="nothing_to_do")
    agent.learning_enabled = on
    _save(agent, actor, "learning resumed" if on else "learning paused")
    verb = Verb.LEARNING_RESUMED if on else Verb.LEARNING_PAUSED
    audit.record(verb=verb, actor=actor, obj=agent, role_agent=agent, reason=clean(reason))
    return agent


def disable_agent(*, actor: Actor, agent_id: UUID, reason: str = "") -> RoleAgent:
    """It answers nobody and learns nothing; everything it knows stays."""
    return _switch_status(actor, agent_id, AgentStatus.DISABLED, reason)


def enable_agent(*, actor: Actor, agent_id: UUID, reason: str = "") -> RoleAgent:
    return _switch_status(actor, agent_id, AgentStatus.ACTIVE, reason)


@transaction.atomic
def _switch_status(actor: Actor, agent_id: UUID, status: AgentStatus, reason: str) -> RoleAgent:
    agent = lock(policies.visible_agents(actor), pk=agent_id)
    policies.require_admin(actor)
    if agent.status == status:
        raise Conflict(f"{agent.name} is {status.label.lower()} already.", code="nothing_to_do")
    agent.status = status
    _save(agent, actor, status.label.lower())
    verb = Verb.AGENT_ENABLED if status == AgentStatus.ACTIVE else Verb.AGENT_DISABLED
    audit.record(verb=verb, actor=actor, obj=agent, role_agent=agent, reason=clean(reason))
    return agent


def _save(agent: RoleAgent, actor: Actor, why: str) -> None:
    agent.revision += 1
    history.save(agent, actor, why)


def _take(agent: RoleAgent, settings: dict) -> None:
    """Puts the values onto the agent, or says for each field what is wrong with it."""
    unknown = set(settings) - set(SETTINGS)
    if unknown:
        raise Invalid(errors={name: ["This can not be set here."] for name in sorted(unknown)})
    for name, value in settings.items():
        if isinstance(value, str):
            value = one_line(value) if name == "name" else clean(value)
            refuse_secrets(value, field=name)
        setattr(agent, name, value)
    errors = {}
    most = RoleAgent._meta.get_field(
        "persona"
    ).max_length  # neither the model nor the database holds a text field to it
    if most and len(agent.persona) > most:
        errors["persona"] = [f"{len(agent.persona):,} characters are too many; at most {most:,} fit."]
    for name in ("memory_limit", "person_memory_limit"):
        limit = getattr(agent, name)
        if isinstance(limit, int) and not 1 <= limit <= MOST_MEMORIES:
            errors[name] = [f"Choose between 1 and {MOST_MEMORIES:,}."]
    try:
        agent.clean_fields()
    except ValidationError as error:
        errors |= error.message_dict
    if errors:
        raise Invalid("Some settings can not be taken. Nothing was saved.", errors=errors)
