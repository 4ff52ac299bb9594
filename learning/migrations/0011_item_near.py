import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("learning", "0010_item_waiting"),
    ]

    operations = [
        migrations.AddField(
            model_name="historicallearningitem",
            name="near",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="learning.memory",
            ),
        ),
        migrations.AddField(
            model_name="learningitem",
            name="near",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="learning.memory",
            ),
        ),
    ]
