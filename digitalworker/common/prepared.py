"""Statements worth planning once."""

import re
from collections.abc import Mapping
from functools import lru_cache
from time import monotonic
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection


def rows_of(sql: str, parameters: Mapping[str, Any], *, binary: bool = False) -> list[tuple]:
    """The rows of a long statement, which PostgreSQL then plans once a connection instead of at each call.

    Django binds parameters into the text, so each call is another statement to the database. Here they are bound by the
    server, so each needs a cast where its type is not plain from where it stands. With DW_PREPARED_STATEMENTS=0, for a
    connection pooler that does not know prepared statements, it is an ordinary call. `binary` has values sent as they are
    and not as text, which is worth it where thousands come.
    """
    if not settings.DW_PREPARED_STATEMENTS:
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall()
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    statement, names = _numbered(sql)
    with connection.wrap_database_errors, psycopg.RawCursor(connection.connection) as cursor:
        began = monotonic()
        cursor.execute(statement, [parameters[name] for name in names], prepare=True, binary=binary)
        if connection.queries_logged:  # who counts a page's queries counts these too
            connection.queries_log.append({"sql": sql, "time": f"{monotonic() - began:.3f}"})
        return cursor.fetchall()


@lru_cache(maxsize=512)
def _numbered(sql: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with $1 for the first name, and so on: psycopg would read a long one anew at each call."""
    places: dict[str, int] = {}

    def place(found: re.Match) -> str:
        return f"${places.setdefault(found[1], len(places) + 1)}" if found[1] else "%"

    return re.sub(r"%(?:\((\w+)\)s|%)", place, sql).encode(), tuple(places)
