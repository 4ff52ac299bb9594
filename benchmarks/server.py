"""The database server benchmarks run on: an embedded one of their own, never the product's.

Its data (3 GB when all sizes are filled) lie in .data/bench-postgres, or in DW_BENCH_POSTGRES_DIR.
"""

import atexit
import contextlib
import os
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / ".data"


def prepare() -> None:
    """Starts the server until this process ends and sets Django up on it. Call it before anything of Django is imported.

    A server that runs already, because a person or another benchmark started it, is used and left running.
    """
    from digitalworker.common import postgres

    folder = Path(os.environ.get("DW_BENCH_POSTGRES_DIR") or DATA / "bench-postgres")
    if postgres.start(folder, durable=False):
        atexit.register(postgres.stop, folder)
    for name in [name for name in os.environ if name.startswith("DW_") or name == "DATABASE_URL"]:
        if name != "DW_BENCH_POSTGRES_DIR":
            del os.environ[name]
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "digitalworker.settings",
        "DW_DATA_DIR": str(DATA / "bench"),
        "DW_POSTGRES_DIR": str(folder),
        "DW_DATABASE_OWNER": "1",
        "DW_LOG_LEVEL": "ERROR",
        "DW_EMBEDDING": "bundled",
    }
    import django

    django.setup()


def superuser(database: str):
    """A connection as the server's superuser, in autocommit. Only benchmarks need one: to switch checks off while filling."""
    import psycopg
    from django.conf import settings

    return psycopg.connect(
        host=settings.DATABASES["default"]["HOST"], user="postgres", dbname=database, autocommit=True
    )


@contextlib.contextmanager
def bench_database(name: str, *, fresh: bool = False):
    """Points Django at the database `name`, made and migrated if it is missing or `fresh`."""
    from django.core.management import call_command
    from django.db import connection

    from digitalworker.common.postgres import OWNER_ROLE

    with superuser("postgres") as server:
        there = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if there and fresh:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        if fresh or not there:
            server.execute(f"CREATE DATABASE {name} OWNER {OWNER_ROLE}")
    connection.close()
    before, connection.settings_dict["NAME"] = connection.settings_dict["NAME"], name
    try:
        call_command("migrate", verbosity=0)
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before
