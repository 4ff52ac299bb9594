"""Nudging the task queue. It is only a trigger: whatever a nudge was for is a state in our tables, swept each minute."""

import structlog
from django_q.tasks import async_task

log = structlog.get_logger()


def _nudge(task: str) -> None:
    try:
        async_task(task)
    except Exception as error:  # whatever the broker raises: the work is in our tables and the sweep will find it
        log.error("queue.nudge_failed", task=task, error=type(error).__name__)


def detect_soon() -> None:
    _nudge("learning.tasks.run_detection")


def embed_soon() -> None:
    _nudge("learning.tasks.embed_missing")
