"""What every queued task gets: its id on each log line, and a failure record without anybody's words in it."""

import re

from digitalworker.common import context

_running: list[context.bind] = []
_PLACE = re.compile(r'^\s+File ".*", line \d+, in .*$', re.MULTILINE)
_ERROR = re.compile(r"^([A-Za-z_][\w.]*)(?::.*)?$")


def connect() -> None:
    from django_q.signals import post_execute_in_worker, pre_execute

    pre_execute.connect(_started, dispatch_uid="common.task_started")
    post_execute_in_worker.connect(_ended, dispatch_uid="common.task_ended")


def _started(task: dict, **kwargs: object) -> None:
    _running.append(context.bind(request_id=context.request_id_var.get() or f"task-{task['id']}"))


def _ended(task: dict, **kwargs: object) -> None:
    if _running:
        _running.pop().__exit__()
    if task.get("success") is False:
        task["result"] = without_messages(str(task["result"]))


def without_messages(traceback: str) -> str:
    """The exceptions' types and places. Their messages may quote a memory or a chat, and would outlive its erasure."""
    kept = []
    for line in traceback.splitlines():
        error = _ERROR.match(line)
        if _PLACE.match(line):
            kept.append(line)
        elif error and error[1].rpartition(".")[2].endswith(("Error", "Exception", "Warning", "DoesNotExist")):
            kept.append(error[1])
    return "\n".join(kept) or "failed"
