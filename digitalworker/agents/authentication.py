"""A program's way in: `Authorization: Bearer <key>`, `Authorization: Token <key>` or `X-API-Key: <key>`."""

import hmac
import re
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed

from digitalworker.common import context
from digitalworker.common.errors import DomainError
from digitalworker.common.types import Actor

from .actions.keys import KEY_SHAPE, digest_of
from .actors import actor_for_key
from .models import ApiKey

USED_EVERY = timedelta(minutes=1)  # how exact `last_used_at` is; a write for each call would be a write too many
_NO_DIGEST = "0" * 64
_SCHEME = re.compile(r"(?:Bearer|Token) +(\S+) *", re.IGNORECASE)


class BadKey(DomainError):
    """Says nothing about keys that exist unless the caller holds the whole secret."""

    status, code, title = 401, "bad_key", "This API key does not open anything"


@dataclass(frozen=True, slots=True)
class KeyPrincipal:
    """Stands where Django expects a user. It is nobody's log-in and has no permissions of its own."""

    actor: Actor
    pk: None = None
    is_authenticated: bool = True
    is_active: bool = True
    is_anonymous: bool = False
    is_staff: bool = False
    is_superuser: bool = False

    def __str__(self) -> str:
        return self.actor.label


def actor_of_secret(raw: str) -> Actor:
    """The actor a key's plain text stands for. Raises BadKey; also says on the log context who it is."""
    match = KEY_SHAPE.fullmatch(raw)
    key = None
    if match:
        key = ApiKey.objects.select_related("created_by").filter(prefix=match["prefix"]).first()
    known = key.secret_digest if key else _NO_DIGEST
    # Compared even when no such key exists, so that time does not tell which prefixes do.
    if not hmac.compare_digest(digest_of(raw), known) or key is None:
        raise BadKey("This API key is not known here. Check that it was copied whole.")
    now = timezone.now()
    if key.revoked_at is not None:
        raise BadKey(f"This API key was revoked on {key.revoked_at:%-d %B %Y}.", code="key_revoked")
    if key.expires_at is not None and key.expires_at <= now:
        raise BadKey(f"This API key expired on {key.expires_at:%-d %B %Y}.", code="key_expired")
    _note_use(key, now)
    context.bind(organization=key.organization_id, actor=f"key:{key.prefix}")
    return actor_for_key(key)


def _note_use(key: ApiKey, now) -> None:
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
    if key.last_used_at is None or key.last_used_at < now - USED_EVERY:
        ApiKey.objects.filter(stale, pk=key.pk).update(last_used_at=now)


def secret_of(request: HttpRequest) -> str | None:
    """The key a request brings, None if it brings none. An unreadable Authorization header is an empty key."""
    if given := request.headers.get("X-API-Key", "").strip():
        return given
    header = request.headers.get("Authorization", "").strip()
    if not header:
        return None
    match = _SCHEME.fullmatch(header)
    return match[1] if match else ""


class ApiKeyAuthentication(BaseAuthentication):
    """Sets `request.user` to a KeyPrincipal, `request.auth` and `request.actor` to its Actor."""

    def authenticate(self, request):
        raw = secret_of(request)
        if raw is None:
            return None
        try:
            actor = actor_of_secret(raw)
        except BadKey as error:
            raise AuthenticationFailed(error.detail, code=error.code) from error
        request._request.actor = request.actor = actor
        return KeyPrincipal(actor), actor

    def authenticate_header(self, request) -> str:
        return 'Bearer realm="Digital Worker"'
