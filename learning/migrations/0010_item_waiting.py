from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("learning", "0009_memory_lists")]

    operations = [
        migrations.AddIndex(
            model_name="learningitem",
            index=models.Index(
                condition=models.Q(("status", "pending")), fields=["organization", "-id"], name="item_waiting"
            ),
        ),
    ]
