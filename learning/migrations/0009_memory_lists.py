import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("learning", "0008_item_words")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["role_agent", "status", "-created_at", "-id"], name="memory_latest_of_agent"),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=django.contrib.postgres.indexes.GinIndex(fields=["tsv"], name="memory_words"),
        ),
    ]
