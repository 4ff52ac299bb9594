import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Lower

import digitalworker.common.ids

ALIKE = models.Func(
    models.F("proposed_payload"),
    template="""md5(
        coalesce(%(expressions)s ->> 'scope', '') || ' ' || coalesce(%(expressions)s ->> 'kind', '') || ' ' || CASE
            WHEN %(expressions)s ->> 'scope' = 'person' AND %(expressions)s ->> 'key' IS NOT NULL
                THEN %(expressions)s ->> 'key'
            WHEN %(expressions)s ->> 'content' IS NULL THEN %(expressions)s::text
            ELSE coalesce(%(expressions)s ->> 'key', '') || ' ' || strip(to_tsvector(
                'simple', regexp_replace(%(expressions)s ->> 'content', '[0-9]+', ' ', 'g')))::text
        END)""",
)


def own(model, *fields, constraints, indexes=()):
    return migrations.CreateModel(
        name=model,
        fields=[
            (
                "id",
                models.UUIDField(
                    default=digitalworker.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                ),
            ),
            *fields,
            (
                "organization",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.organization"
                ),
            ),
            (
                "user",
                models.ForeignKey(
                    db_index=False,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
        ],
        options={"constraints": constraints, "indexes": list(indexes)},
    )


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0003_policy"),
        ("learning", "0005_detection"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="learningitem",
            name="alike",
            field=models.GeneratedField(
                db_persist=True, expression=ALIKE, output_field=models.CharField(max_length=32)
            ),
        ),
        migrations.AddIndex(
            model_name="learningitem",
            index=models.Index(
                condition=models.Q(("status", "pending")), fields=["role_agent", "alike"], name="item_alike"
            ),
        ),
        own(
            "SavedView",
            ("name", models.CharField(max_length=60)),
            ("query", models.CharField(blank=True, max_length=1000)),
            ("position", models.PositiveSmallIntegerField()),
            ("is_default", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            constraints=[
                models.UniqueConstraint("user", "organization", Lower("name"), name="view_name_once"),
                models.UniqueConstraint(
                    condition=models.Q(("is_default", True)), fields=("user", "organization"), name="view_one_default"
                ),
                models.CheckConstraint(condition=models.Q(("name", ""), _negated=True), name="view_has_name"),
            ],
        ),
        own(
            "AssignmentNotice",
            ("due_at", models.DateTimeField()),
            ("attempts", models.PositiveSmallIntegerField(default=0)),
            constraints=[models.UniqueConstraint(fields=("user", "organization"), name="notice_owed_once")],
            indexes=[models.Index(fields=["due_at"], name="notice_due")],
        ),
    ]
