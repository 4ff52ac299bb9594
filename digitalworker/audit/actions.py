from collections.abc import Iterable
from uuid import UUID

from django.db import connection, models

from digitalworker.common import history
from digitalworker.common.context import request_id_var
from digitalworker.common.secrets import refuse_secrets
from digitalworker.common.text import clean
from digitalworker.common.types import Actor

from .models import LearningEvent
from .named import Named, object_type_of
from .verbs import Verb


class NotInTransaction(RuntimeError):
    """An audit row must commit or vanish together with the change it tells of."""


def record(
    *,
    verb: Verb,
    actor: Actor,
    obj: Named,
    role_agent: models.Model | None = None,
    label: str = "",
    reason: str = "",
    source_refs: Iterable[dict] = (),
    details: dict | None = None,
) -> LearningEvent:
    """Write one audit row inside the caller's transaction.

    `obj` tells its own name by `audit_label()` (which must be free of learned text), or `label` does. `source_refs` are
    dicts such as `{"type": "event", "id": "..."}`. `details` holds ids, counts, old and new values of settings: no content.
    """
    _require_transaction(verb)
    refuse_secrets(reason, field="reason")  # what is written here can never be taken out again
    row = _row(
        verb=verb,
        actor=actor,
        obj=obj,
        role_agent=role_agent,
        label=label,
        reason=reason,
        source_refs=source_refs,
        details=details,
    )
    row.save(force_insert=True)
    return row


def record_each(*, verb: Verb, actor: Actor, told: Iterable[tuple[Named, models.Model | None, dict]]) -> None:
    """One audit row for each (obj, role_agent, details), in one query for each BATCH of them."""
    _require_transaction(verb)
    rows = [
        _row(verb=verb, actor=actor, obj=obj, role_agent=role_agent, details=details)
        for obj, role_agent, details in told
    ]
    LearningEvent.objects.bulk_create(rows, batch_size=history.BATCH)


def _require_transaction(verb: Verb) -> None:
    if not connection.in_atomic_block:
        raise NotInTransaction(f"audit.record({verb}) was called outside a transaction.")


def _row(
    *,
    verb: Verb,
    actor: Actor,
    obj: Named,
    role_agent: models.Model | None,
    label: str = "",
    reason: str = "",
    source_refs: Iterable[dict] = (),
    details: dict | None = None,
) -> LearningEvent:
    return LearningEvent(
        organization_id=actor.organization_id,
        role_agent_id=role_agent.pk if role_agent else None,
        role_agent_label=getattr(role_agent, "name", ""),
        verb=Verb(verb),
        actor_kind=actor.kind,
        actor_user_id=actor.user_id,
        actor_label=actor.label,
        object_type=object_type_of(obj),
        object_id=str(obj.pk),
        object_label=(label or obj.audit_label())[:200],
        reason=clean(reason),
        source_refs=[_plain(ref) for ref in source_refs],
        details=_plain(details or {}),
        history_row=history.written(obj),
        request_id=request_id_var.get() or "",
    )


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, UUID) else value
