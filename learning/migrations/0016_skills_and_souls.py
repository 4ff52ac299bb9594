import django.db.models.deletion
from django.db import migrations, models

import digitalworker.common.ids


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0005_words_at_once"),
        ("learning", "0015_unread"),
        ("skills", "0002_same_owner"),
        ("souls", "0002_same_owner"),
    ]

    operations = [
        migrations.AddField(
            model_name="historicallearningitem",
            name="skill",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="skills.skill",
            ),
        ),
        migrations.AddField(
            model_name="historicallearningitem",
            name="skill_version",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="skills.skillversion",
            ),
        ),
        migrations.AddField(
            model_name="historicallearningitem",
            name="soul",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="souls.soul",
            ),
        ),
        migrations.AddField(
            model_name="historicallearningitem",
            name="soul_version",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="souls.soulversion",
            ),
        ),
        migrations.AddField(
            model_name="learningitem",
            name="skill",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="learning_items",
                to="skills.skill",
            ),
        ),
        migrations.AddField(
            model_name="learningitem",
            name="skill_version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="skills.skillversion",
            ),
        ),
        migrations.AddField(
            model_name="learningitem",
            name="soul",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="learning_items",
                to="souls.soul",
            ),
        ),
        migrations.AddField(
            model_name="learningitem",
            name="soul_version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="souls.soulversion",
            ),
        ),
        migrations.CreateModel(
            name="ItemFile",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=digitalworker.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("path", models.CharField(max_length=300)),
                ("content", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("executable", models.BooleanField(default=False)),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="learning.learningitem",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.organization"
                    ),
                ),
            ],
            options={
                "ordering": ["path"],
                "constraints": [models.UniqueConstraint(fields=("item", "path"), name="item_file_once")],
            },
        ),
    ]
