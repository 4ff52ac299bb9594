import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
import pgvector.django.halfvec
import simple_history.models
from django.db import migrations, models

import digitalworker.common.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("agents", "0005_words_at_once"),
    ]

    operations = [
        migrations.CreateModel(
            name="Skill",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=digitalworker.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[("active", "Active"), ("paused", "Paused"), ("archived", "Archived")],
                        default="active",
                        max_length=8,
                    ),
                ),
                ("use_count", models.PositiveIntegerField(default=0)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revision", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.organization",
                    ),
                ),
                (
                    "role_agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="skills",
                        to="agents.roleagent",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="SkillVersion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=digitalworker.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("document", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("description", models.TextField()),
                ("risk", models.CharField(max_length=6)),
                (
                    "lacks",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), default=list),
                ),
                ("sensitive", models.BooleanField(default=False)),
                ("source", models.CharField(max_length=8)),
                ("item_id", models.UUIDField(null=True)),
                ("proposed_by_label", models.CharField(max_length=200)),
                ("approved_by_user_id", models.BigIntegerField(null=True)),
                ("approved_by_label", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.organization",
                    ),
                ),
                (
                    "skill",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="skills.skill",
                    ),
                ),
            ],
            options={
                "verbose_name": "skill version",
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="skill",
            name="active_version",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="skills.skillversion"
            ),
        ),
        migrations.CreateModel(
            name="HistoricalSkill",
            fields=[
                ("id", models.UUIDField(db_index=True, default=digitalworker.common.ids.uuid7, editable=False)),
                ("name", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[("active", "Active"), ("paused", "Paused"), ("archived", "Archived")],
                        default="active",
                        max_length=8,
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(blank=True, editable=False)),
                ("updated_at", models.DateTimeField(blank=True, editable=False)),
                ("history_change_reason", models.TextField(null=True)),
                ("history_user_id", models.BigIntegerField(null=True)),
                ("history_id", models.BigAutoField(editable=False, primary_key=True, serialize=False)),
                ("history_date", models.DateTimeField(db_index=True)),
                (
                    "history_type",
                    models.CharField(choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agents.organization",
                    ),
                ),
                (
                    "role_agent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="agents.roleagent",
                    ),
                ),
                (
                    "active_version",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="skills.skillversion",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical skill",
                "verbose_name_plural": "historical skills",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="SkillFile",
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
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.organization"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="skills.skillversion",
                    ),
                ),
            ],
            options={
                "ordering": ["path"],
            },
        ),
        migrations.CreateModel(
            name="SkillEmbedding",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="embedding",
                        serialize=False,
                        to="skills.skillversion",
                    ),
                ),
                ("model", models.CharField(max_length=80)),
                ("vector", pgvector.django.halfvec.HalfVectorField(dimensions=384)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.organization"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="skillversion",
            constraint=models.UniqueConstraint(fields=("skill", "number"), name="skill_version_number_once"),
        ),
        migrations.AddConstraint(
            model_name="skillversion",
            constraint=models.UniqueConstraint(fields=("skill", "id"), name="skill_version_of_skill"),
        ),
        migrations.AddConstraint(
            model_name="skillversion",
            constraint=models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="skill_version_from_one"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="skillversion",
            trigger=pgtrigger.compiler.Trigger(
                name="only_erasure",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                IF TG_OP = 'DELETE' AND current_setting('digitalworker.erasing', true) = 'on' THEN RETURN OLD; END IF;\n                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;\n            ",
                    hash="c9bed0ff61579c4dee5e121680442eef60adf41a",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_only_erasure_e05ea",
                    table="skills_skillversion",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="skill",
            constraint=models.UniqueConstraint(
                fields=("organization", "role_agent", "name"), name="skill_name_once", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="skill",
            constraint=models.CheckConstraint(
                condition=models.Q(("name__regex", "^[a-z0-9]+(-[a-z0-9]+)*$")), name="skill_name_fits"
            ),
        ),
        migrations.AddConstraint(
            model_name="skill",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["active", "paused", "archived"])), name="skill_status_known"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="historicalskill",
            trigger=pgtrigger.compiler.Trigger(
                name="only_erasure",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                IF TG_OP = 'DELETE' AND current_setting('digitalworker.erasing', true) = 'on' THEN RETURN OLD; END IF;\n                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;\n            ",
                    hash="16092189ebd0741cbb25cfbcf458ca8ed9b62009",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_only_erasure_0654c",
                    table="skills_historicalskill",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="skillfile",
            constraint=models.UniqueConstraint(fields=("version", "path"), name="skill_file_once"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="skillfile",
            trigger=pgtrigger.compiler.Trigger(
                name="only_erasure",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                IF TG_OP = 'DELETE' AND current_setting('digitalworker.erasing', true) = 'on' THEN RETURN OLD; END IF;\n                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;\n            ",
                    hash="193575d8813aad67936d98dd0c86bcf109a9b96c",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_only_erasure_d4235",
                    table="skills_skillfile",
                    when="BEFORE",
                ),
            ),
        ),
    ]
