from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("learning", "0011_item_near")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("autosaved", True)), fields=["organization", "-id"], name="memory_saved_lately"
            ),
        ),
    ]
