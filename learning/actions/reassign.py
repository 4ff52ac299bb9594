"""Whose turn it is. An item is anybody's who may decide it; being assigned says who is expected to, and bars nobody."""

from uuid import UUID

from django.db import transaction

from digitalworker.agents.models import Membership, RoleAgent, User
from digitalworker.audit.actions import record, record_each
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Invalid
from digitalworker.common.locking import lock
from digitalworker.common.types import Actor
from learning.choices import ItemStatus
from learning.models import LearningItem
from learning.policies import is_guarded, possible_reviewers

from ._item import find, take
from .notices import owe_notice

NOBODY_SUCH = "Choose somebody who may decide this."
CHANGED = ("assigned_to", "revision")


@transaction.atomic
def reassign(
    *, actor: Actor, item_id: UUID, revision: int | None, user_id: int | None = None, email: str | None = None
) -> LearningItem:
    """Give the item to somebody who may decide it, by id or by e-mail address, or with neither to nobody."""
    seen = find(actor, item_id)
    # Somebody who is losing the right gives back what they were given under the same locks, so nothing is given to them
    # meanwhile.
    lock(RoleAgent.objects.filter(organization_id=actor.organization_id), pk=seen.role_agent_id)
    chosen = _locked_member(actor, user_id, email)
    item, transition = take(actor, seen, "reassign", revision)
    if (user_id is not None or email) and (
        chosen is None or not possible_reviewers(item).filter(pk=chosen.pk).exists()
    ):
        raise Invalid(NOBODY_SUCH, errors={"to": [NOBODY_SUCH]})
    if chosen == item.assigned_to:
        return item
    _hand_over(item, chosen, actor, transition.past)
    if chosen is not None:
        owe_notice(actor=actor, to=chosen)
    return item


def _locked_member(actor: Actor, user_id: int | None, email: str | None) -> User | None:
    if user_id is None and not email:
        return None
    who = {"user_id": user_id} if user_id is not None else {"user__email__iexact": email}
    members = Membership.objects.filter(organization_id=actor.organization_id).select_related("user")
    membership = members.filter(**who).select_for_update(of=("self",), no_key=True).first()
    return membership.user if membership else None


def unassign_who_may_not(*, actor: Actor, user_id: int) -> int:
    """Gives back what is assigned to somebody who may not decide it any more; answers how many. Part of the action that
    takes their right away."""
    given = LearningItem.objects.filter(
        organization_id=actor.organization_id, assigned_to_id=user_id, status=ItemStatus.PENDING
    )
    given = given.select_related("role_agent", "assigned_to").select_for_update(of=("self",), no_key=True)
    may: dict[tuple[UUID, bool], bool] = {}
    back, details = [], []
    for item in given.order_by("pk"):
        case = (item.role_agent_id, is_guarded(item))
        if case not in may:
            may[case] = possible_reviewers(item).filter(pk=user_id).exists()
        if not may[case]:
            back.append(item)
            details.append(_assign(item, None))
    history.save_each(back, actor, "given back", fields=CHANGED)
    told = ((item, item.role_agent, each) for item, each in zip(back, details, strict=True))
    record_each(verb=Verb.ITEM_REASSIGNED, actor=actor, told=told)
    return len(back)


def _hand_over(item: LearningItem, chosen: User | None, actor: Actor, past: str) -> None:
    details = _assign(item, chosen)
    history.save(item, actor, past)
    record(verb=Verb.ITEM_REASSIGNED, actor=actor, obj=item, role_agent=item.role_agent, details=details)


def _assign(item: LearningItem, chosen: User | None) -> dict:
    """What the audit tells of it."""
    names = [str(who) if who else None for who in (item.assigned_to, chosen)]
    item.assigned_to = chosen
    item.revision += 1
    return {"changed": {"reviewer": names}, "to": chosen.pk if chosen else None}
