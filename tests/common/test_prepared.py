"""A long statement is planned once, or, where a pooler forbids that, asked as any other."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.transaction import TransactionManagementError

from digitalworker.common.prepared import rows_of

DOUBLED = "SELECT %(number)s::int * 2, %(word)s::text"


def known_to_the_server() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::int * 2%'")
        return cursor.fetchone()[0]


def test_it_is_prepared_once_and_answers_each_time_anew(db):
    before = known_to_the_server()
    assert [rows_of(DOUBLED, {"number": n, "word": "%(word)s"}) for n in (1, 2)] == [
        [(2, "%(word)s")],
        [(4, "%(word)s")],
    ]
    assert known_to_the_server() == before + 1


def test_switched_off_it_answers_the_same_and_leaves_nothing_behind(db, settings):
    settings.DW_PREPARED_STATEMENTS = False
    before = known_to_the_server()
    assert rows_of(DOUBLED, {"number": 21, "word": "x"}) == [(42, "x")]
    assert known_to_the_server() == before


def test_its_errors_are_djangos_and_a_broken_transaction_is_told(db):
    with pytest.raises(IntegrityError), transaction.atomic():
        rows_of("INSERT INTO common_heartbeat (name, at) VALUES (%(name)s, NULL) RETURNING name", {"name": "x"})
    with pytest.raises(TransactionManagementError), transaction.atomic():
        transaction.set_rollback(True)
        rows_of(DOUBLED, {"number": 1, "word": "x"})
