"""What the database holds must be found at the same cost whenever somebody looks."""

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_no_index_on_words_gathers_rows_that_each_search_then_reads_one_by_one():
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT c.relname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
            WHERE a.amname = 'gin' AND NOT 'fastupdate=off' = ANY (coalesce(c.reloptions, '{}'))
        """)
        assert cursor.fetchall() == []
