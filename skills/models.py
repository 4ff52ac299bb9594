from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField
from simple_history.models import HistoricalRecords

from digitalworker.agents.models import Organization, RoleAgent
from digitalworker.common.append_only import only_erasure
from digitalworker.common.embedding import DIMENSIONS
from digitalworker.common.ids import uuid7

from .choices import SkillStatus
from .document import NAME_MOST


class Skill(models.Model):
    """A reviewed procedure of one role-agent, or of the whole organisation where `role_agent` is None.

    What it says is in its versions, which never change; `active_version` points at the one that agents are given, and
    reverting moves that pointer. What is merely proposed for a skill is a `LearningItem`, never a version.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, null=True, blank=True, related_name="skills")
    name = models.CharField(max_length=NAME_MOST)
    status = models.CharField(max_length=8, choices=SkillStatus, default=SkillStatus.ACTIVE)
    # None only inside the transaction that makes the skill: the first version needs a skill to belong to.
    active_version = models.ForeignKey("SkillVersion", models.RESTRICT, null=True, related_name="+")
    use_count = models.PositiveIntegerField(default=0)  # answers that loaded it
    last_used_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords(
        excluded_fields=["use_count", "last_used_at"],
        history_id_field=models.BigAutoField(),
        history_change_reason_field=models.TextField(null=True),
        history_user_id_field=models.BigIntegerField(null=True),
    )

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "role_agent", "name"], nulls_distinct=False, name="skill_name_once"
            ),
            models.CheckConstraint(condition=Q(name__regex=r"^[a-z0-9]+(-[a-z0-9]+)*$"), name="skill_name_fits"),
            models.CheckConstraint(condition=Q(status__in=SkillStatus.values), name="skill_status_known"),
        ]

    def __str__(self):
        return self.name

    def audit_label(self) -> str:
        """Its name is what somebody learned put into words, so the audit, which can not be erased, has its kind alone."""
        return "a skill" if self.role_agent_id else "a skill of the whole organisation"

    @property
    def is_active(self) -> bool:
        return self.status == SkillStatus.ACTIVE


only_erasure(Skill.history.model)


class SkillVersion(models.Model):
    """What a skill says, as somebody let it in: immutable, numbered from 1 within its skill.

    `document` is the exact SKILL.md and `digest` the SHA-256 over it and all its files (`skills.package.Package.digest`),
    which an approval binds to. `item_id` is the proposal it was approved from; proposals live in a higher app.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    skill = models.ForeignKey(Skill, models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    document = models.TextField()
    digest = models.CharField(max_length=64)
    description = models.TextField()
    when_to_use = models.TextField(default="")  # that section of the document, which helps to choose among skills
    risk = models.CharField(max_length=6)
    lacks = ArrayField(models.CharField(max_length=40), default=list)  # sections that a skill from elsewhere is without
    sensitive = models.BooleanField(default=False)  # owners and admins alone let it in, and read it
    source = models.CharField(max_length=8)
    item_id = models.UUIDField(null=True)
    proposed_by_label = models.CharField(max_length=200)
    # No foreign key: a user who is deleted must not change this row.
    approved_by_user_id = models.BigIntegerField(null=True)
    approved_by_label = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["skill", "number"], name="skill_version_number_once"),
            models.UniqueConstraint(fields=["skill", "id"], name="skill_version_of_skill"),
            models.CheckConstraint(condition=Q(number__gte=1), name="skill_version_from_one"),
        ]
        verbose_name = "skill version"

    def __str__(self):
        return f"version {self.number}"

    def audit_label(self) -> str:
        return f"version {self.number} of a skill"


only_erasure(SkillVersion)


class SkillFile(models.Model):
    """A resource that came with a version: kept as it was, shown, handed to the agent that asks for it, and never run."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    version = models.ForeignKey(SkillVersion, models.CASCADE, related_name="files", db_index=False)
    path = models.CharField(max_length=300)
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    executable = models.BooleanField(default=False)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["version", "path"], name="skill_file_once")]

    def __str__(self):
        return self.path


only_erasure(SkillFile)


class SkillEmbedding(models.Model):
    """The vector of one version, by the engine `model`; made by a worker, and made again with another engine."""

    version = models.OneToOneField(SkillVersion, models.CASCADE, primary_key=True, related_name="embedding")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    model = models.CharField(max_length=80)
    vector = HalfVectorField(dimensions=DIMENSIONS)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self):
        return f"{self.model} of {self.version_id}"


class EverydayVectors(models.Model):
    """The vectors of `everyday.QUESTIONS` by one engine, 384 little-endian floats each: the measure of every skill's fit.
    They are of no organisation."""

    model = models.CharField(max_length=80, primary_key=True)
    digest = models.CharField(max_length=64)  # of the questions
    vectors = models.BinaryField()

    class Meta:
        verbose_name_plural = "everyday vectors"

    def __str__(self):
        return self.model
