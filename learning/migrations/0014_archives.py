"""Archives are read from their newest end, one agent's too, and what was saved without asking by what became of it."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0005_words_at_once"),
        ("learning", "0013_words_at_once"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="learningitem",
            index=models.Index(fields=["role_agent", "status", "-decided_at", "-id"], name="item_decided_of_agent"),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("autosaved", True), ("reviewed_at", None), ("status", "active")),
                fields=["organization", "-id"],
                name="memory_saved_new",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("autosaved", True), ("status__in", ["deleted", "superseded"])),
                fields=["organization", "-id"],
                name="memory_saved_gone",
            ),
        ),
    ]
