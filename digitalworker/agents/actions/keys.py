import hashlib
import re
import secrets
import string
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Invalid
from digitalworker.common.locking import lock
from digitalworker.common.text import name_within
from digitalworker.common.types import Actor

from .. import policies
from ..choices import Scope
from ..models import ApiKey, RoleAgent

_PREFIX_LETTERS = string.ascii_lowercase + string.digits
KEY_SHAPE = re.compile(r"dw_(?P<prefix>[a-z0-9]{8})_(?P<secret>[A-Za-z0-9_-]{43})")


def digest_of(raw: str) -> str:
    """SHA-256 of the whole key, hexadecimal. A random 256-bit secret needs no slow hash."""
    return hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()


@transaction.atomic
def create_key(
    *,
    actor: Actor,
    name: str,
    scopes: Collection[str],
    agent_ids: Collection[UUID] | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """A new key and its plain text, which is nowhere to be had again. `agent_ids` None: every role-agent."""
    _require_person(actor)
    policies.require_admin(actor)
    name = name_within(name, field="name", most=80)
    agents = _agents(actor, agent_ids)
    prefix = "".join(secrets.choice(_PREFIX_LETTERS) for _ in range(8))
    plain = f"dw_{prefix}_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        organization_id=actor.organization_id,
        name=name,
        prefix=prefix,
        secret_digest=digest_of(plain),
        scopes=_scopes(scopes),
        limited_to_agents=agent_ids is not None,
        created_by_id=actor.user_id,
        expires_at=_future(expires_at),
    )
    key.role_agents.set(agents)
    audit.record(
        verb=Verb.KEY_CREATED,
        actor=actor,
        obj=key,
        details={
            "scopes": key.scopes,
            "agents": [agent.code for agent in agents] if agent_ids is not None else "all",
            "expires_at": expires_at.isoformat() if expires_at else None,
        },
    )
    return key, plain


@transaction.atomic
def revoke_key(*, actor: Actor, key_id: UUID, reason: str = "") -> ApiKey:
    key = lock(ApiKey.objects.filter(organization_id=actor.organization_id), pk=key_id)
    _require_person(actor)
    policies.require_admin(actor)
    if key.revoked_at is not None:
        raise Conflict("This key was revoked already.", code="key_revoked")
    key.revoked_at = timezone.now()
    key.save(update_fields=["revoked_at"])
    audit.record(verb=Verb.KEY_REVOKED, actor=actor, obj=key, reason=reason)
    return key


def _require_person(actor: Actor) -> None:
    if not actor.is_person:
        raise Denied("Keys are created and revoked by people, in the console.")


def _scopes(scopes: Collection[str]) -> list[str]:
    unknown = set(scopes) - set(Scope.values)
    if unknown or not scopes:
        message = f"Unknown scope: {', '.join(sorted(unknown))}." if unknown else "Choose at least one scope."
        raise Invalid(message, errors={"scopes": [message]})
    return [scope for scope in Scope.values if scope in scopes]


def _agents(actor: Actor, agent_ids: Collection[UUID] | None) -> list[RoleAgent]:
    if agent_ids is None:
        return []
    agents = list(RoleAgent.objects.filter(organization_id=actor.organization_id, pk__in=agent_ids).order_by("code"))
    if not agents or len(agents) != len(set(agent_ids)):
        message = "Choose at least one role-agent of this organisation, or all of them."
        raise Invalid(message, errors={"role_agents": [message]})
    return agents


def _future(expires_at: datetime | None) -> datetime | None:
    if expires_at is not None and expires_at <= timezone.now():
        message = "This time has passed. Choose a later one."
        raise Invalid(message, errors={"expires_at": [message]})
    return expires_at
