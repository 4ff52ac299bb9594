import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
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
            name="Soul",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=digitalworker.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("code", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=80)),
                ("summary", models.CharField(blank=True, max_length=200)),
                ("revision", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="souls",
                        to="agents.organization",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="HistoricalSoulAssignment",
            fields=[
                ("revision", models.PositiveIntegerField(default=1)),
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
                    "soul",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="souls.soul",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical soul of an agent",
                "verbose_name_plural": "historical soul of an agents",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="SoulAssignment",
            fields=[
                (
                    "role_agent",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="soul_assignment",
                        serialize=False,
                        to="agents.roleagent",
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=1)),
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
                    "soul",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="assignments", to="souls.soul"
                    ),
                ),
            ],
            options={
                "verbose_name": "soul of an agent",
            },
        ),
        migrations.CreateModel(
            name="SoulVersion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=digitalworker.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("tone_rules_md", models.TextField(max_length=4000)),
                ("critique_rules_md", models.TextField(blank=True, max_length=4000)),
                ("do_not_do_md", models.TextField(blank=True, max_length=4000)),
                ("digest", models.CharField(max_length=64)),
                ("sensitive", models.BooleanField(default=False)),
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
                    "soul",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="souls.soul",
                    ),
                ),
            ],
            options={
                "verbose_name": "soul version",
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="soul",
            name="active_version",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="souls.soulversion"
            ),
        ),
        migrations.CreateModel(
            name="HistoricalSoul",
            fields=[
                ("id", models.UUIDField(db_index=True, default=digitalworker.common.ids.uuid7, editable=False)),
                ("code", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=80)),
                ("summary", models.CharField(blank=True, max_length=200)),
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
                    "active_version",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="souls.soulversion",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical soul",
                "verbose_name_plural": "historical souls",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="historicalsoulassignment",
            trigger=pgtrigger.compiler.Trigger(
                name="only_erasure",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                IF TG_OP = 'DELETE' AND current_setting('digitalworker.erasing', true) = 'on' THEN RETURN OLD; END IF;\n                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;\n            ",
                    hash="c41b9836629b0fab8c73121a0dafe1cb2317d9bd",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_only_erasure_2f2b1",
                    table="souls_historicalsoulassignment",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="soulversion",
            constraint=models.UniqueConstraint(fields=("soul", "number"), name="soul_version_number_once"),
        ),
        migrations.AddConstraint(
            model_name="soulversion",
            constraint=models.UniqueConstraint(fields=("soul", "id"), name="soul_version_of_soul"),
        ),
        migrations.AddConstraint(
            model_name="soulversion",
            constraint=models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="soul_version_from_one"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="soulversion",
            trigger=pgtrigger.compiler.Trigger(
                name="only_erasure",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                IF TG_OP = 'DELETE' AND current_setting('digitalworker.erasing', true) = 'on' THEN RETURN OLD; END IF;\n                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;\n            ",
                    hash="75d5e1d7c61ef3db205e97751946004c9786a463",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_only_erasure_7314b",
                    table="souls_soulversion",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="soul",
            constraint=models.UniqueConstraint(fields=("organization", "code"), name="soul_code_once"),
        ),
        migrations.AddConstraint(
            model_name="soul",
            constraint=models.UniqueConstraint(fields=("organization", "id"), name="soul_of_organization"),
        ),
        migrations.AddConstraint(
            model_name="soul",
            constraint=models.CheckConstraint(
                condition=models.Q(("code__regex", "^[a-z][a-z0-9_-]*$")), name="soul_code_fits"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="historicalsoul",
            trigger=pgtrigger.compiler.Trigger(
                name="only_erasure",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                IF TG_OP = 'DELETE' AND current_setting('digitalworker.erasing', true) = 'on' THEN RETURN OLD; END IF;\n                RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME;\n            ",
                    hash="0713e8fc5bf21b8441ec53c9c4a282008ac4dfc8",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_only_erasure_a745a",
                    table="souls_historicalsoul",
                    when="BEFORE",
                ),
            ),
        ),
    ]
