"""Screening as an action sees it: a refusal is audited by its kind, and the words go nowhere."""

from dataclasses import asdict

from django.db import transaction

from digitalworker.agents.models import Organization, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Refused
from digitalworker.common.types import Actor
from learning.payload import Payload
from learning.screening import find_injections, refuse_secrets

# Families of rules whose grave findings have no honest place in a memory. Grave findings of the others also meet people
# who talk about such things, so a person reads them.
NEVER = ("override.", "hidden.", "turn.", "command.", "control.mark-approved")


def screen(*, actor: Actor, role_agent: RoleAgent | None, payload: Payload) -> list[dict]:
    """What a reviewer must know of `payload`'s words: findings as JSON, with places in `content`.

    A proposal with any is sensitive; what a person writes who may decide is theirs to judge. Raises Refused where it holds
    a secret, or plainly tries to steer the agent. Called before the action's own transaction, so that the audit row stays.
    """
    try:
        refuse_secrets(payload.key or "")
        refuse_secrets(payload.content)
        return _steering(payload.content)
    except Refused as refusal:
        kinds = refusal.extra.get("kinds", [])
        what = "tried to steer the agent" if refusal.code == "injection" else "held " + (", ".join(kinds) or "a secret")
        with transaction.atomic():
            record(
                verb=Verb.LEARNING_REFUSED,
                actor=actor,
                obj=role_agent or Organization.objects.get(pk=actor.organization_id),
                role_agent=role_agent,
                label=f"a text that {what}",
                details={"kinds": kinds},
            )
        raise


def _steering(content: str) -> list[dict]:
    findings = find_injections(content)
    grave = [finding for finding in findings if finding.severity == "high" and finding.rule.startswith(NEVER)]
    if grave:
        raise Refused(
            f"This reads like an attempt to steer the agent: {grave[0].why}. It was not stored.",
            code="injection",
            kinds=sorted({finding.rule for finding in grave}),
        )
    return [asdict(finding) for finding in findings]
