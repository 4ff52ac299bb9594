import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0005_words_at_once"),
        ("runtime", "0002_same_owner"),
        ("skills", "0002_same_owner"),
        ("souls", "0002_same_owner"),
    ]

    operations = [
        migrations.AddField(
            model_name="agentrun",
            name="soul_version",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="runs", to="souls.soulversion"
            ),
        ),
        migrations.CreateModel(
            name="RunSkill",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("why", models.CharField(max_length=120)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.organization"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="skills", to="runtime.agentrun"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="skills.skillversion"
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [models.UniqueConstraint(fields=("run", "version"), name="run_skill_once")],
            },
        ),
    ]
