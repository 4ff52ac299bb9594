"""Nudging the task queue. It is only a trigger: whatever a nudge was for is a state in our tables, swept each minute."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import structlog
from django_q.tasks import async_task

log = structlog.get_logger()


_gathered: ContextVar[set[str] | None] = ContextVar("gathered_nudges", default=None)


@contextmanager
def one_nudge_each() -> Iterator[None]:
    """Around a transaction that writes many rows: what it would nudge once a row, it nudges once, after its commit."""
    tasks: set[str] = set()
    token = _gathered.set(tasks)
    try:
        yield
    finally:
        _gathered.reset(token)
        for task in sorted(tasks):
            _nudge(task)


def _nudge(task: str) -> None:
    if (gathered := _gathered.get()) is not None:
        gathered.add(task)
        return
    try:
        async_task(task)
    except Exception as error:  # whatever the broker raises: the work is in our tables and the sweep will find it
        log.error("queue.nudge_failed", task=task, error=type(error).__name__)


def detect_soon() -> None:
    _nudge("learning.tasks.run_detection")


def embed_soon() -> None:
    _nudge("learning.tasks.embed_missing")
