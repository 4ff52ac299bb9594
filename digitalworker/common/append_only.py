"""Tables whose rows the database itself protects."""

import pgtrigger
from django.db import connection, models

ERASING = "digitalworker.erasing"


def only_erasure(model: type[models.Model]) -> None:
    """Refuse UPDATE on a history table always, and DELETE unless this transaction is erasing (`erasing()`).

    History must not be rewritten, yet a person's words must be erasable from it.
    """
    pgtrigger.register(
        pgtrigger.Trigger(
            name="only_erasure",
            when=pgtrigger.Before,
            operation=pgtrigger.Update | pgtrigger.Delete,
            func=f"""
                IF TG_OP = 'DELETE' AND current_setting('{ERASING}', true) = 'on' THEN RETURN OLD; END IF;
                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;
            """,
        )
    )(model)


def erasing() -> None:
    """Let this transaction, and no other, delete history rows."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT set_config('{ERASING}', 'on', true)")
