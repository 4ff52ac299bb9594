"""Numbers that come along with other columns of one statement."""

from django.db.models import IntegerField, Subquery


class NumberOf(Subquery):
    """How many rows a query has. Whoever must not count them all slices it."""

    template = "(SELECT count(*) FROM (%(subquery)s) AS counted)"
    empty_result_set_value = 0
    output_field = IntegerField()
