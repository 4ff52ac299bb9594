"""Reading the environment: one helper, which fails loudly instead of guessing."""

import os
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_MISSING = object()
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def text(name: str, default=_MISSING) -> str:
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is _MISSING:
        raise ImproperlyConfigured(f"{name} is not set. Set this environment variable and start again.")
    return default


def flag(name: str, default: bool) -> bool:
    raw = os.environ.get(name)
    if raw is None:
        return default
    value = raw.strip().lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={raw!r} is neither true nor false. Use 1 or 0.")


def number(name: str, default: int) -> int:
    raw = os.environ.get(name, "").strip()
    try:
        return int(raw) if raw else default
    except ValueError:
        raise ImproperlyConfigured(f"{name}={raw!r} is not a whole number.") from None


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def origin(url: str) -> str:
    """`https://id.example.org/realm` -> `https://id.example.org`; "" of ""."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if url else ""


def database(url: str) -> dict:
    """`postgresql://user:password@host:5432/name` -> Django's DATABASES entry, without OPTIONS."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured("DATABASE_URL must start with postgresql:// (PostgreSQL with pgvector is required).")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL names no database: postgresql://user:password@host:5432/NAME")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
    }
