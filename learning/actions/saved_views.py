"""A reviewer's own views of the inbox. Settings of one person: nobody else sees them, and the audit does not hold them."""

from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.http import QueryDict

from digitalworker.agents.models import Membership
from digitalworker.common.errors import Conflict, Denied, Full, NotFound
from digitalworker.common.locking import lock
from digitalworker.common.secrets import refuse_secrets
from digitalworker.common.text import name_within
from digitalworker.common.types import Actor
from learning.models import SavedView
from learning.models.inbox import NAME_MOST
from learning.selectors.filters import Filters
from learning.selectors.views import views_of

MOST = 20
_TAKEN = "You have a view of this name. Choose another name; nothing was saved."


@transaction.atomic
def save_view(*, actor: Actor, name: str, query: str) -> SavedView:
    """Keep the filters of an address under a name, at the end of the list."""
    filters = Filters.read(QueryDict(query))
    for words in (filters.q, filters.agent):  # all that is typed of them
        refuse_secrets(words, field="query")
    _lock_own(actor)
    own = views_of(actor)
    if own.count() >= MOST:
        raise Full(f"You have {MOST} views, which is all there is room for. Delete one first; nothing was saved.")
    return _save(
        SavedView(
            organization_id=actor.organization_id,
            user_id=actor.user_id or 0,  # which nobody has: a view is a person's
            name=_named(name),
            query=filters.query,
            position=(own.aggregate(last=Max("position"))["last"] or 0) + 1,
        )
    )


@transaction.atomic
def rename_view(*, actor: Actor, view_id: UUID, name: str) -> SavedView:
    view = _own(actor, view_id)
    view.name = _named(name)
    return _save(view)


@transaction.atomic
def delete_view(*, actor: Actor, view_id: UUID) -> None:
    _own(actor, view_id).delete()


@transaction.atomic
def move_view(*, actor: Actor, view_id: UUID, step: int) -> SavedView:
    """One place up (-1) or down (1); at an end it stays."""
    view = _own(actor, view_id)
    order = list(views_of(actor))
    at = order.index(view)
    order.insert(max(0, at + step), order.pop(at))
    for position, each in enumerate(order, start=1):
        each.position = position
    SavedView.objects.bulk_update(order, ["position"])
    return view


@transaction.atomic
def set_default_view(*, actor: Actor, view_id: UUID, default: bool) -> SavedView:
    """What the inbox opens with. At most one is."""
    view = _own(actor, view_id)
    views_of(actor).filter(is_default=True).update(is_default=False)
    view.is_default = default
    view.save(update_fields=["is_default"])
    return view


def _own(actor: Actor, view_id: UUID) -> SavedView:
    _lock_own(actor)
    view = views_of(actor).filter(pk=view_id).first()
    if view is None:
        raise NotFound("There is no such view.")
    return view


def _lock_own(actor: Actor) -> None:
    """One change at a time to one person's list, so that its places and its default stay whole."""
    if not actor.is_person:
        raise Denied("Views belong to people.")
    lock(Membership.objects.filter(organization_id=actor.organization_id), user_id=actor.user_id)


def _named(name: str) -> str:
    return name_within(name, field="name", most=NAME_MOST)


def _save(view: SavedView) -> SavedView:
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError as error:
        if "view_name_once" not in str(error):
            raise
        raise Conflict(_TAKEN, code="name_taken", errors={"name": [_TAKEN]}) from None
    return view
