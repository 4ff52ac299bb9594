"""The gate before every model call: is it allowed, is there budget left, and how much was used."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F, Sum

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Invalid, Unavailable
from digitalworker.common.locking import lock_or_make
from digitalworker.common.types import Actor

from .. import policies
from ..choices import Feature
from ..models import FeatureAccess, FeatureUsage, RoleAgent


@dataclass(slots=True)
class Ticket:
    """One counted call. Hand it to `settle` once the call ended, however it ended."""

    usage_id: UUID
    feature: Feature
    settled: bool = False


def enter(*, organization_id: UUID, role_agent: RoleAgent, feature: str) -> Ticket:
    """Counts one call against today's budget (UTC) of the organisation, over all its role-agents, or refuses it.

    Raises Unavailable with code `feature_off` or `over_budget`. Calls may not exceed the budget however many ask at once.
    Tokens are known only afterwards, so the calls under way when a token budget runs out are still let finish.
    Call it outside a transaction: a lock held while a model thinks would make all others wait.
    """
    usage, refusal = _count(organization_id, role_agent, Feature(feature))
    if refusal:  # raised out here, because raising inside would take back that the refusal was counted
        raise refusal
    return Ticket(usage, Feature(feature))


def settle(ticket: Ticket, *, input_tokens: int = 0, output_tokens: int = 0, failed: bool = False) -> None:
    """Adds what the call used. A ticket settles once."""
    if ticket.settled:
        raise RuntimeError("This call was settled already.")
    FeatureUsage.objects.filter(pk=ticket.usage_id).update(
        input_tokens=F("input_tokens") + max(0, input_tokens),
        output_tokens=F("output_tokens") + max(0, output_tokens),
        failed=F("failed") + (1 if failed else 0),
    )
    ticket.settled = True


@transaction.atomic
def change_access(*, actor: Actor, feature: str, enabled: bool, daily_calls: int, daily_tokens: int) -> FeatureAccess:
    if feature not in Feature.values:
        raise Invalid(errors={"feature": ["There is no such feature."]})
    access = _lock_access(actor.organization_id, Feature(feature))
    policies.require_admin(actor)
    asked = {"enabled": bool(enabled), "daily_calls": daily_calls, "daily_tokens": daily_tokens}
    wrong = {
        name: ["Choose between 0 and 2,000,000,000."]
        for name in ("daily_calls", "daily_tokens")
        if not 0 <= asked[name] <= 2_000_000_000
    }
    if wrong:
        raise Invalid("Some budgets can not be taken. Nothing was saved.", errors=wrong)
    changed = {name: [getattr(access, name), value] for name, value in asked.items() if getattr(access, name) != value}
    if changed:
        for name, value in asked.items():
            setattr(access, name, value)
        access.save()
        audit.record(verb=Verb.SETTINGS_CHANGED, actor=actor, obj=access, details={"changed": changed})
    return access


def today() -> date:
    return datetime.now(UTC).date()


@transaction.atomic(durable=True)
def _count(organization_id: UUID, role_agent: RoleAgent, feature: Feature) -> tuple[UUID, Unavailable | None]:
    access = _lock_access(organization_id, feature)
    refusal = _refusal(access, organization_id, feature)
    usage, _ = FeatureUsage.objects.get_or_create(
        organization_id=organization_id, feature=feature, day=today(), role_agent=role_agent
    )
    field = "refused" if refusal else "calls"
    FeatureUsage.objects.filter(pk=usage.pk).update(**{field: F(field) + 1})
    return usage.pk, refusal


def _refusal(access: FeatureAccess, organization_id: UUID, feature: Feature) -> Unavailable | None:
    what = feature.label[0].lower() + feature.label[1:]
    if not access.enabled:
        return Unavailable(f"AI access for {what} is switched off in this organisation.", code="feature_off")
    used = FeatureUsage.objects.filter(organization_id=organization_id, feature=feature, day=today()).aggregate(
        calls=Sum("calls", default=0), tokens=Sum(F("input_tokens") + F("output_tokens"), default=0)
    )
    if used["calls"] >= access.daily_calls or used["tokens"] >= access.daily_tokens:
        spent = "calls" if used["calls"] >= access.daily_calls else "tokens"
        return Unavailable(
            f"Today’s budget of {spent} for {what} is used up. It starts anew at midnight UTC; an owner or admin can raise it.",
            code="over_budget",
        )
    return None


def _lock_access(organization_id: UUID, feature: Feature) -> FeatureAccess:
    """The row every caller queues up behind."""
    return lock_or_make(FeatureAccess, organization_id=organization_id, feature=feature)
