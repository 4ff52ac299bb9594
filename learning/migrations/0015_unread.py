import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0005_words_at_once"),
        ("learning", "0014_archives"),
    ]

    operations = [
        migrations.CreateModel(
            name="Unread",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                (
                    "item",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="learning.learningitem",
                    ),
                ),
                (
                    "memory",
                    models.OneToOneField(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="learning.memory"
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
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("item__isnull", False), ("memory__isnull", True)),
                            models.Q(("item__isnull", True), ("memory__isnull", False)),
                            _connector="OR",
                        ),
                        name="unread_is_of_one",
                    )
                ],
            },
        ),
    ]
