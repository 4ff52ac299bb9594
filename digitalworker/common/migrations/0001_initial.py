from django.core.management import call_command
from django.db import migrations, models


def create_cache_table(apps, schema_editor):
    """Rate limits live in the cache, so its table must be there before the first log-in."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.RunPython(create_cache_table, migrations.RunPython.noop),
    ]
