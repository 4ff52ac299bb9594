import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

WORDS = models.Func(
    models.F("proposed_payload"),
    template="""to_tsvector(
        'english', coalesce(%(expressions)s ->> 'content', %(expressions)s ->> 'description', ''))""",
    output_field=django.contrib.postgres.search.SearchVectorField(),
)


class Migration(migrations.Migration):
    dependencies = [
        ("learning", "0007_editors"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="learningitem",
            index=django.contrib.postgres.indexes.GinIndex(
                WORDS, condition=models.Q(status="pending"), name="item_words"
            ),
        ),
    ]
