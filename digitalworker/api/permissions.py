from rest_framework.permissions import BasePermission

from digitalworker.common.errors import Denied
from digitalworker.common.types import Actor

# They decide or set up, so they are worth no more than the person who issued the key.
OF_ADMINS = frozenset({"review", "admin"})


def held_scopes(actor: Actor) -> frozenset[str]:
    """What the key may be used for now: deciding scopes end with the issuer's own rights."""
    return actor.scopes if actor.is_admin else actor.scopes - OF_ADMINS


class HasScope(BasePermission):
    """A key needs one of the scopes its view declares for the method: `scopes = {"GET": {...}, "POST": {...}}`.

    Only a key opens the API. A browser's log-in does not, so no other site can act through one.
    """

    def has_permission(self, request, view) -> bool:
        actor = request.auth
        if actor is None:
            return False
        method = "GET" if request.method == "HEAD" else request.method
        needed = view.scopes.get(method)
        if needed is None:
            return True  # no such method here: the view answers 405
        if held_scopes(actor) & needed:
            return True
        raise _denied(actor, needed)


def _denied(actor: Actor, needed: frozenset[str] | set[str]) -> Denied:
    names = sorted(str(scope) for scope in needed)
    if actor.scopes & needed:
        return Denied(
            f"The scope {' or '.join(sorted(actor.scopes & needed))} of this key holds only while the person who issued "
            "it is an owner or admin, and they are not any more.",
            code="scope_lost",
            scopes_needed=names,
        )
    return Denied(
        f"This key lacks the scope {' or '.join(names)}.",
        code="scope_missing",
        scopes_needed=names,
    )
