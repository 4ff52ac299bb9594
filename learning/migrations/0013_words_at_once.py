"""The indexes on words take new rows in at once, as that of conversations does: gathered first, each search reads them one
by one until the next vacuum."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models

WORDS = models.Func(
    models.F("proposed_payload"),
    template="""to_tsvector(
        'english', coalesce(%(expressions)s ->> 'content', %(expressions)s ->> 'description', ''))""",
    output_field=SearchVectorField(),
)
NAMES = ("memory_words", "item_words")


class Migration(migrations.Migration):
    dependencies = [("learning", "0012_memory_saved_lately")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    [f"ALTER INDEX {name} SET (fastupdate = off)", f"SELECT gin_clean_pending_list('{name}')"],
                    f"ALTER INDEX {name} RESET (fastupdate)",
                )
                for name in NAMES
            ],
            state_operations=[
                migrations.RemoveIndex(model_name="memory", name="memory_words"),
                migrations.AddIndex(
                    model_name="memory", index=GinIndex(fields=["tsv"], name="memory_words", fastupdate=False)
                ),
                migrations.RemoveIndex(model_name="learningitem", name="item_words"),
                migrations.AddIndex(
                    model_name="learningitem",
                    index=GinIndex(WORDS, condition=models.Q(status="pending"), name="item_words", fastupdate=False),
                ),
            ],
        ),
    ]
