from django.db import models

from digitalworker.agents.models import ChatEvent, Organization, Person, RoleAgent, Thread
from digitalworker.common.ids import uuid7
from learning.models.memory import Memory
from skills.models import SkillVersion
from souls.models import SoulVersion


class RunStatus(models.TextChoices):
    RUNNING = "running", "Running"
    COMPLETED = "completed", "Answered"
    FAILED = "failed", "Failed"


class Route(models.TextChoices):
    """Which way an answer was made."""

    MODEL = "model", "Model"
    LOCAL = "local", "Local responder"


class AgentRun(models.Model):
    """One answer, and everything that went into it: it answers "why did the agent say that?".

    `manifest` names what was given and what was left out by id, digest and reason (see `runtime.context`), never by text.
    Timings are milliseconds by step.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="runs", db_index=False)
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="runs")
    person = models.ForeignKey(Person, models.SET_NULL, null=True, related_name="+")
    question = models.OneToOneField(ChatEvent, models.CASCADE, related_name="run_asked")
    reply = models.OneToOneField(ChatEvent, models.SET_NULL, null=True, related_name="run_answered")
    asked_by_label = models.CharField(max_length=200)
    status = models.CharField(max_length=10, choices=RunStatus, default=RunStatus.RUNNING)
    route = models.CharField(max_length=10, choices=Route, blank=True)
    model = models.CharField(max_length=120, blank=True)
    prompt_version = models.CharField(max_length=80, blank=True)
    manifest = models.JSONField(default=dict)
    tool_calls = models.JSONField(default=list)
    notices = models.JSONField(default=list)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    timings = models.JSONField(default=dict)
    error_code = models.CharField(max_length=40, blank=True)
    soul_version = models.ForeignKey(SoulVersion, models.SET_NULL, null=True, related_name="runs")
    memory_proposed = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "run"
        indexes = [models.Index(fields=["role_agent", "-id"], name="run_latest_of_agent")]

    def __str__(self):
        return f"run {self.pk}"

    def audit_label(self) -> str:
        return f"run {self.pk}"


class RunMemory(models.Model):
    """One memory that one run was given, so that "which answers used this?" is a query."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    run = models.ForeignKey(AgentRun, models.CASCADE, related_name="memories")
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="runs")
    position = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    why = models.CharField(max_length=120)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["run", "memory"], name="run_memory_once")]

    def __str__(self):
        return f"{self.memory_id} in {self.run_id}"


class RunSkill(models.Model):
    """One version of a skill that one run loaded, so that "which answers used this?" is a query."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    run = models.ForeignKey(AgentRun, models.CASCADE, related_name="skills")
    version = models.ForeignKey(SkillVersion, models.CASCADE, related_name="runs")
    position = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    why = models.CharField(max_length=120)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["run", "version"], name="run_skill_once")]

    def __str__(self):
        return f"{self.version_id} in {self.run_id}"
