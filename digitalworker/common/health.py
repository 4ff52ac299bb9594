"""Whether the process lives, and whether the installation can do its work. For machines, so without a log-in; hence
the answers are bare words, and what went wrong is in the log."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Max, Subquery
from django.db.models.functions import Greatest
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from digitalworker.common.models import Heartbeat
from digitalworker.common.tasks import WORKER

log = structlog.get_logger(__name__)
HEARTBEAT_MAX_AGE = timedelta(seconds=180)
_MIGRATIONS_TRUSTED_FOR = 60.0  # seconds; reading every migration file takes about 0.1 s
_migrations_seen_at = float("-inf")


def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every check is "ok", else 503. A check is "ok", "failing", or "unknown" without a database."""
    checks = {"database": _word(_database_answers), "migrations": "unknown", "worker": "unknown"}
    if checks["database"] == "ok":
        checks |= {"migrations": _word(_is_migrated), "worker": _word(_worker_beats)}
    ready = set(checks.values()) == {"ok"}
    return JsonResponse({"status": "ready" if ready else "not ready", "checks": checks}, status=200 if ready else 503)


def _word(check: Callable[[], bool]) -> str:
    try:
        return "ok" if check() else "failing"
    except DatabaseError:
        log.warning("readiness check failed", check=check.__name__.strip("_"), exc_info=True)
        return "failing"


def _database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return cursor.fetchone() == (1,)


def _is_migrated() -> bool:
    global _migrations_seen_at
    if time.monotonic() - _migrations_seen_at < _MIGRATIONS_TRUSTED_FOR:
        return True
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return False
    _migrations_seen_at = time.monotonic()
    return True


def _worker_beats() -> bool:
    seen = worker_seen_at()
    return seen is not None and timezone.now() - seen < HEARTBEAT_MAX_AGE


def worker_seen_at() -> datetime | None:
    """When the queue last finished something. Behind a long queue the heartbeat is late, and other tasks speak for it."""
    from django_q.models import Task

    return Task.objects.aggregate(at=Greatest(_beat(), Max("stopped")))["at"]


def worker_seen() -> Greatest:
    """The same, to come along in another statement."""
    from django_q.models import Task

    return Greatest(_beat(), Subquery(Task.objects.order_by("-stopped").values("stopped")[:1]))


def _beat() -> Subquery:
    return Subquery(Heartbeat.objects.filter(name=WORKER).values("at")[:1])
