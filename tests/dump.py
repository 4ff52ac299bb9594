"""What the whole database holds, as text, and the disguises in which a value could stand in it."""

import base64
import io
import logging
from collections import Counter
from collections.abc import Collection
from contextlib import contextmanager

from django.contrib.sessions.models import Session
from django.core import mail
from django.db import connection
from django_q.models import OrmQ, Task
from psycopg import sql


def written() -> Counter[str]:
    """How many rows this transaction has inserted and updated so far, by table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, n_tup_ins + n_tup_upd FROM pg_stat_xact_user_tables")
        return Counter(dict(cursor.fetchall()))


def dump(*, only: Collection[str] | None = None, without: Collection[str] = ()) -> dict[str, str]:
    """Every table of the database as text, or those of `only`: its rows, and what sessions and queued tasks hold packed."""
    tables = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        for schema, table in cursor.fetchall():
            if table in without or (only is not None and table not in only):
                continue
            everything = sql.SQL("COPY (SELECT * FROM {}) TO STDOUT").format(sql.Identifier(schema, table))
            with cursor.copy(everything) as rows:
                tables[table] = b"".join(bytes(row) for row in rows).decode().casefold()
    tables["sessions, unpacked"] = repr([session.get_decoded() for session in Session.objects.all()]).casefold()
    queued = [queued.task() for queued in OrmQ.objects.all()]
    done = list(Task.objects.values_list("func", "hook", "args", "kwargs", "result"))
    tables["tasks, unpacked"] = repr([queued, done]).casefold()
    tables["mails"] = repr([(one.subject, one.body, one.to) for one in getattr(mail, "outbox", [])]).casefold()
    return tables


def disguises(value: str) -> set[str]:
    """As it is, in hexadecimal, and the letters that stay the same wherever it begins inside a base64 text."""
    raw = value.encode()
    packed = {base64.b64encode(b"x" * shift + raw).decode()[4 if shift else 0 :].rstrip("=")[:-2] for shift in range(3)}
    return {form.casefold() for form in (value, raw.hex(), *packed)}


def found_in(tables: dict[str, str], value: str) -> list[str]:
    return [name for name, text in tables.items() if any(form in text for form in disguises(value))]


def stands_in(text: str, value: str) -> bool:
    return any(form in text.casefold() for form in disguises(value))


@contextmanager
def logged():
    """All that is logged from INFO on, as it is written."""
    lines = io.StringIO()
    handler, root = logging.StreamHandler(lines), logging.getLogger()
    handler.setFormatter(root.handlers[0].formatter if root.handlers else None)
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
