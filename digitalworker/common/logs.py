"""One line per happening, key=value on a terminal and JSON in production, and never what people wrote.

Texts of memories, chats, request bodies and query strings stay out by rule: we log names, ids, counts and times.
Exceptions can quote a text too (`Failing row contains (...)`, `invalid input syntax for type uuid: "..."`), so of
an exception the log has its type, its place in the code, and its message only when that cannot hold data.
"""

import logging
import logging.config
import sys
import traceback
from datetime import UTC, datetime

import structlog
from django.core.exceptions import FieldError, ImproperlyConfigured
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from structlog.typing import EventDict, Processor

from digitalworker.common import context

# Their messages name code, settings or files; all others may repeat what somebody typed.
_TELLS_NO_DATA = (
    *(ImportError, AttributeError, NameError, NotImplementedError, OSError, RecursionError, MemoryError),
    *(ImproperlyConfigured, FieldError, TemplateDoesNotExist, TemplateSyntaxError),
)
# Libraries that announce each call with its address or arguments.
_TALKATIVE = ("django-q", "httpx", "httpx2", "httpcore", "openai", "anthropic", "mcp", "asyncio", "presidio-analyzer")
_FIRST_KEYS = ["time", "level", "event", "request_id", "organization_id", "actor"]


def configure(config: dict) -> None:
    """Called by Django with settings.LOGGING: `level` (a name) and `json` (bool)."""
    before: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        _add_time,
        _add_context,
        _withhold_messages,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    render: Processor = structlog.processors.JSONRenderer(ensure_ascii=False) if config["json"] else _key_value
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    handler.addFilter(_without_task_result)
    _install(handler, config["level"])


def _install(handler: logging.Handler, level: str) -> None:
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    # Django's own handlers would repeat each line, and those of runserver print query strings.
    for name in ("django", "django.server"):
        logging.getLogger(name).handlers = []
    logging.getLogger("django.server").disabled = True
    logging.captureWarnings(True)


def _add_time(logger, method, event: EventDict) -> EventDict:
    event["time"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return event


def _add_context(logger, method, event: EventDict) -> EventDict:
    for name, value in context.current().items():
        event.setdefault(name, value)
    return event


def _withhold_messages(logger, method, event: EventDict) -> EventDict:
    found = event.pop("exc_info", None)
    if isinstance(found, BaseException):
        error = found
    elif found:
        error = (found if isinstance(found, tuple) else sys.exc_info())[1]
    else:
        error = None
    if error is not None:
        event["error"] = describe(error)
        event["trace"] = _places(error)
    return event


def describe(error: BaseException) -> str:
    """The exception without anything a person may have written. Safe to log, to store and to show."""
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    if isinstance(error, _TELLS_NO_DATA):
        return f"{name}: {error}"
    diagnosis = getattr(error, "diag", None) or getattr(error.__cause__, "diag", None)
    if diagnosis is not None and getattr(diagnosis, "sqlstate", None):
        about = (diagnosis.sqlstate, diagnosis.table_name, diagnosis.constraint_name)
        return f"{name}: {' '.join(part for part in about if part)}"
    return name


def _places(error: BaseException) -> list[str]:
    """Where it happened, innermost last, then the same for what caused it."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and cause is not error:
        places += [f"after {describe(cause)}", *_places(cause)]
    return places


def _without_task_result(record: logging.LogRecord) -> bool:
    """django-q ends the line on a failed task with the exception's message; the failure's row has it for those who
    may read it."""
    if record.name == "django-q" and record.levelno >= logging.ERROR:
        record.msg = str(record.msg).partition(" - ")[0].partition("\n")[0]
    return True


_logfmt = structlog.processors.LogfmtRenderer(key_order=_FIRST_KEYS, drop_missing=True)


def _key_value(logger, name, event: EventDict) -> str:
    trace = event.pop("trace", ())
    fields = {key.replace(" ", "_"): value for key, value in event.items() if value is not None and key != "logger"}
    return "\n    ".join([_printable(_logfmt(logger, name, fields)), *trace])


def _printable(line: str) -> str:
    """An address can hold what moves a terminal's cursor, or its colours, or begins a new line to some readers."""
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in line)
