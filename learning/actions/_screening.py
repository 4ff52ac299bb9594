"""Screening as an action sees it: a refusal is audited by its kind, and the words go nowhere."""

from collections.abc import Iterable

from django.db import transaction

from digitalworker.agents.models import Organization, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Refused
from digitalworker.common.types import Actor
from learning.screening import refuse_secrets


def screen(*, actor: Actor, role_agent: RoleAgent | None, texts: Iterable[str]) -> None:
    """Raise Refused where any text holds a secret. Called before the action's own transaction, so the audit row stays."""
    try:
        for text in texts:
            refuse_secrets(text)
    except Refused as refusal:
        kinds = refusal.extra.get("kinds", [])
        with transaction.atomic():
            record(
                verb=Verb.LEARNING_REFUSED,
                actor=actor,
                obj=role_agent or Organization.objects.get(pk=actor.organization_id),
                role_agent=role_agent,
                label="a text that held " + (", ".join(kinds) or "a secret"),
                details={"kinds": kinds},
            )
        raise
