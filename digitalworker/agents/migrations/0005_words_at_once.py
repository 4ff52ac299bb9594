"""The index on words takes new events in at once. Left to gather first, as is PostgreSQL's way, they are read one by one by
each search until the next vacuum, which more than doubled its time."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("agents", "0004_words")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    [
                        "ALTER INDEX event_words SET (fastupdate = off)",
                        "SELECT gin_clean_pending_list('event_words')",
                    ],
                    "ALTER INDEX event_words RESET (fastupdate)",
                ),
            ],
            state_operations=[
                migrations.RemoveIndex(model_name="chatevent", name="event_words"),
                migrations.AddIndex(
                    model_name="chatevent", index=GinIndex(fields=["tsv"], name="event_words", fastupdate=False)
                ),
            ],
        ),
    ]
