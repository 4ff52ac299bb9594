"""Who is looking, in which organisation: worked out when somebody first asks, with one query."""

from functools import cache, cached_property
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction

from digitalworker.common import context
from digitalworker.common.types import Actor

from .actors import actor_for_membership
from .models import Membership, Organization

CHOSEN = "organization_id"  # the session key under which the switcher leaves the current organisation


class ActorMiddleware:
    """Gives the request `membership`, `organization`, `organizations` and `actor`; None or [] for who has none.

    Pages that ask for none of them cost no query. In an async view ask inside `sync_to_async`, as with any query.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response):
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request):
        # Attributes that compute themselves live on a class; a lazy object in their place would never be None.
        request.__class__ = _knowing_who(type(request))
        return self.get_response(request)


@cache
def _knowing_who(request_class: type) -> type:
    return type(request_class.__name__, (_Who, request_class), {})


class _Who:
    user: Any
    session: Any

    @cached_property
    def memberships(self) -> list[Membership]:
        user = getattr(self, "user", None)
        if user is None or not user.is_authenticated or not user.is_active:
            return []
        found = Membership.objects.select_related("organization").filter(user_id=user.pk)
        return list(found.order_by("organization__name", "organization_id"))

    @cached_property
    def membership(self) -> Membership | None:
        """The one chosen in this session, while it still exists; else the first by name of the organisation."""
        if not self.memberships:
            return None
        chosen = str(self.session.get(CHOSEN, ""))
        of_session = (each for each in self.memberships if str(each.organization_id) == chosen)
        membership = next(of_session, self.memberships[0])
        context.bind(organization=membership.organization_id, actor=f"user:{membership.user_id}")
        return membership

    @cached_property
    def organization(self) -> Organization | None:
        return self.membership.organization if self.membership else None

    @cached_property
    def organizations(self) -> list[Organization]:
        return [membership.organization for membership in self.memberships]

    @cached_property
    def actor(self) -> Actor | None:
        return actor_for_membership(self.membership, self.user) if self.membership else None
