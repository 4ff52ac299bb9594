import re

from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from digitalworker.agents.models import Organization, RoleAgent
from digitalworker.common.append_only import only_erasure
from digitalworker.common.ids import uuid7

CODE = re.compile(r"[a-z][a-z0-9_-]*")
CODE_MOST, NAME_MOST, SUMMARY_MOST = 40, 80, 200
RULES_MOST = 4_000  # characters of each part


class Soul(models.Model):
    """A posture: how an agent talks, not what it does or may use. One soul may serve any agents of its organisation.

    What it says is in its versions, which never change; `active_version` points at the one in use.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="souls", db_index=False)
    code = models.CharField(max_length=CODE_MOST)
    name = models.CharField(max_length=NAME_MOST)
    summary = models.CharField(max_length=SUMMARY_MOST, blank=True)
    # None inside the transaction that makes the soul, as the first version needs a soul to belong to, and where the approval
    # of its only version was undone: such a soul is not in use.
    active_version = models.ForeignKey("SoulVersion", models.RESTRICT, null=True, related_name="+")
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords(
        history_id_field=models.BigAutoField(),
        history_change_reason_field=models.TextField(null=True),
        history_user_id_field=models.BigIntegerField(null=True),
    )

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "code"], name="soul_code_once"),
            models.UniqueConstraint(fields=["organization", "id"], name="soul_of_organization"),
            models.CheckConstraint(condition=Q(code__regex=r"^[a-z][a-z0-9_-]*$"), name="soul_code_fits"),
        ]

    def __str__(self):
        return self.name

    def audit_label(self) -> str:
        return f"soul {self.code}"

    @property
    def as_seen(self) -> str:
        """What names a soul with the version in use: whoever replaces that sends it back."""
        return f"{self.pk}:{self.revision}"


only_erasure(Soul.history.model)


class SoulVersion(models.Model):
    """What a soul says, as somebody let it in: immutable, numbered from 1 within its soul.

    `critique_rules_md` is kept for a runtime that lets an agent criticise its drafts; no prompt holds it yet. `digest` is over
    the three parts, and an approval binds to it. `item_id` is the proposal it was approved from.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    soul = models.ForeignKey(Soul, models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    tone_rules_md = models.TextField(max_length=RULES_MOST)
    critique_rules_md = models.TextField(blank=True, max_length=RULES_MOST)
    do_not_do_md = models.TextField(blank=True, max_length=RULES_MOST)
    digest = models.CharField(max_length=64)
    sensitive = models.BooleanField(default=False)
    item_id = models.UUIDField(null=True)
    proposed_by_label = models.CharField(max_length=200)
    # No foreign key: a user who is deleted must not change this row.
    approved_by_user_id = models.BigIntegerField(null=True)
    approved_by_label = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["soul", "number"], name="soul_version_number_once"),
            models.UniqueConstraint(fields=["soul", "id"], name="soul_version_of_soul"),
            models.CheckConstraint(condition=Q(number__gte=1), name="soul_version_from_one"),
        ]
        verbose_name = "soul version"

    def __str__(self):
        return f"version {self.number}"

    def audit_label(self) -> str:
        return f"version {self.number} of a soul"


only_erasure(SoulVersion)


class SoulAssignment(models.Model):
    """Which soul an agent has. Without a row it is the organisation's default, `souls.library.DEFAULT`."""

    role_agent = models.OneToOneField(RoleAgent, models.CASCADE, primary_key=True, related_name="soul_assignment")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    soul = models.ForeignKey(Soul, models.RESTRICT, related_name="assignments")
    revision = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords(
        history_id_field=models.BigAutoField(),
        history_change_reason_field=models.TextField(null=True),
        history_user_id_field=models.BigIntegerField(null=True),
    )

    class Meta:
        verbose_name = "soul of an agent"

    def __str__(self):
        return f"{self.soul_id} for {self.role_agent_id}"

    def audit_label(self) -> str:
        return f"soul {self.soul.code}"


only_erasure(SoulAssignment.history.model)
