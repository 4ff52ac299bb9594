"""The application's role may do what the product does, and the database refuses it the rest."""

from contextlib import contextmanager

import pytest
from django.apps import apps
from django.conf import settings
from django.db import ProgrammingError, connection, transaction

from digitalworker.common import grants

pytestmark = pytest.mark.django_db


@contextmanager
def as_application():
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {settings.DW_APP_ROLE}")
        try:
            yield cursor
        finally:
            cursor.execute("RESET ROLE")


def refused(statement: str) -> str:
    with as_application() as cursor, pytest.raises(ProgrammingError) as error, transaction.atomic():
        cursor.execute(statement)
    return str(error.value).splitlines()[0]


def test_there_are_tables_only_to_be_added_to():
    assert "audit_learningevent" in grants.append_only_tables()


@pytest.mark.parametrize("change", ["UPDATE {} SET id = id", "DELETE FROM {}", "TRUNCATE {}"])
def test_history_cannot_be_changed_even_by_raw_sql(change):
    for table in grants.append_only_tables():
        assert refused(change.format(table)) == f"permission denied for table {table}"


def test_every_table_of_history_or_versions_refuses_to_be_rewritten():
    tables = [model._meta.db_table for model in apps.get_models() if hasattr(model, "history_id")]
    assert len(tables) >= 3
    tables += ["skills_skillversion", "skills_skillfile", "souls_soulversion"]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE 'pgtrigger_only_erasure%' AND tgenabled = 'O'"
        )
        assert {row[0] for row in cursor.fetchall()} == set(tables)


def test_no_table_can_be_emptied_at_a_stroke():
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        cursor.execute(
            "SELECT name FROM unnest(%s::text[]) AS name WHERE has_table_privilege(%s, quote_ident(name), 'TRUNCATE')",
            [tables, settings.DW_APP_ROLE],
        )
        assert cursor.fetchall() == []


def test_every_model_can_be_read_and_written():
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.managed and not model._meta.proxy:
                for right in ("SELECT", "INSERT"):
                    ask = "SELECT has_table_privilege(%s, %s, %s)"
                    cursor.execute(ask, [settings.DW_APP_ROLE, model._meta.db_table, right])
                    assert cursor.fetchone() == (True,), (model, right)


def test_the_application_cannot_make_tables_or_forget_migrations():
    assert refused("CREATE TABLE own (id int)") == "permission denied for schema public"
    assert refused("DELETE FROM django_migrations") == "permission denied for table django_migrations"


def test_the_cache_is_the_applications():
    with as_application() as cursor:
        cursor.execute("DELETE FROM django_cache")


def test_granting_again_changes_nothing():
    def rights():
        with connection.cursor() as cursor:
            cursor.execute("SELECT relname, relacl::text FROM pg_class WHERE relkind = 'r' ORDER BY 1")
            return cursor.fetchall()

    before = rights()
    assert grants.apply() is True
    assert rights() == before


def test_without_the_role_nothing_is_granted(settings):
    settings.DW_APP_ROLE = "nobody_of_this_name"
    assert grants.apply() is False
