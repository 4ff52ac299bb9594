"""What the application's role may do. It owns nothing, so the database itself refuses what is not granted here."""

from django.apps import apps
from django.conf import settings
from django.db import connections, transaction
from psycopg import sql

# The application reads whether it is up to date; only the owner writes that.
READ_ONLY_TABLES = ("django_migrations",)


def apply(using: str = "default") -> bool:
    """Grants the application's role its rights on every table. False if that role is absent or is ourselves.

    A model with `append_only = True` gets neither UPDATE nor DELETE. TRUNCATE is granted nowhere: it passes by row
    triggers. Done in one transaction, so that no other session sees a right that is then taken away.
    """
    role, connection = settings.DW_APP_ROLE, connections[using]
    with transaction.atomic(using), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s AND rolname <> current_user", [role])
        if cursor.fetchone() is None:
            return False
        name = sql.Identifier(role)
        for statement in (
            "GRANT USAGE ON SCHEMA public TO {role}",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
            "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
        ):
            cursor.execute(sql.SQL(statement).format(role=name))
        present = set(connection.introspection.table_names(cursor))
        _revoke(cursor, name, "UPDATE, DELETE, TRUNCATE", append_only_tables() & present)
        _revoke(cursor, name, "INSERT, UPDATE, DELETE, TRUNCATE", set(READ_ONLY_TABLES) & present)
    return True


def append_only_tables() -> set[str]:
    return {model._meta.db_table for model in apps.get_models() if getattr(model, "append_only", False)}


def _revoke(cursor, role: sql.Identifier, rights: str, tables: set[str]) -> None:
    for table in sorted(tables):
        statement = sql.SQL("REVOKE {rights} ON {table} FROM {role}")
        cursor.execute(statement.format(rights=sql.SQL(rights), table=sql.Identifier(table), role=role))
