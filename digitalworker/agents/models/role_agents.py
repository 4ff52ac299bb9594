from django.core.validators import RegexValidator
from django.db import models
from guardian.models import UserObjectPermissionBase
from simple_history.models import HistoricalRecords

from digitalworker.common.append_only import only_erasure
from digitalworker.common.ids import uuid7

from ..choices import AgentStatus, PeopleLearning, Provider
from .organizations import Organization, User

RETENTION_CHOICES = [(None, "Keep until somebody decides"), (30, "30 days"), (60, "60 days"), (90, "90 days")]
MANAGE = "manage_roleagent"


class RoleAgent(models.Model):
    """An AI colleague with a role in one organisation. What it learns belongs to it, not to the channel it learned in."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="role_agents")
    code = models.SlugField(
        max_length=40,
        validators=[RegexValidator(r"^[a-z][a-z0-9_-]*$", "Use small letters, digits, - and _; start with a letter.")],
        help_text="Part of addresses and API calls. It can not be changed later.",
    )
    name = models.CharField(max_length=80)
    persona = models.TextField(
        blank=True, max_length=2000, help_text="What this agent is responsible for. It opens every prompt."
    )
    status = models.CharField(max_length=10, choices=AgentStatus, default=AgentStatus.ACTIVE)
    learning_enabled = models.BooleanField(default=True, help_text="Off: it keeps answering and learns nothing.")
    memory_autosave_enabled = models.BooleanField(default=True)
    skill_learning_enabled = models.BooleanField(default=True)
    people_learning = models.CharField(max_length=10, choices=PeopleLearning, default=PeopleLearning.OFF)
    soul_paused = models.BooleanField(default=False)
    retention_days = models.PositiveSmallIntegerField(null=True, blank=True, choices=RETENTION_CHOICES)
    memory_limit = models.PositiveIntegerField(default=5000, help_text="Live memories of the agent itself.")
    person_memory_limit = models.PositiveIntegerField(default=200, help_text="Live memories about each person.")
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
        default_permissions = ()
        permissions = [(MANAGE, "Decides what this role-agent learns")]
        constraints = [
            models.UniqueConstraint(fields=["organization", "code"], name="agent_code_once"),
            models.UniqueConstraint(fields=["organization", "id"], name="agent_of_organization"),
            models.CheckConstraint(
                condition=models.Q(retention_days__isnull=True) | models.Q(retention_days__in=[30, 60, 90]),
                name="agent_retention_known",
            ),
        ]
        verbose_name = "role-agent"

    def __str__(self):
        return self.name

    def audit_label(self) -> str:
        return self.name

    @property
    def is_active(self) -> bool:
        return self.status == AgentStatus.ACTIVE

    @property
    def learns_about_people(self) -> bool:
        return self.people_learning != PeopleLearning.OFF


only_erasure(RoleAgent.history.model)


class AgentManager(UserObjectPermissionBase):
    """One manager of one role-agent. This row *is* the django-guardian object permission, so there is one truth.

    The database ties it to the membership (a member who leaves stops managing in the same statement) and to an agent of
    the same organisation.
    """

    content_object = models.ForeignKey(RoleAgent, models.CASCADE, related_name="managers")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(UserObjectPermissionBase.Meta):
        verbose_name = "agent manager"

    def save(self, *args, **kwargs):
        self.organization_id = self.content_object.organization_id  # guardian creates rows knowing only the agent
        super().save(*args, **kwargs)

    def audit_label(self) -> str:
        return f"{self.user} of {self.content_object}"


class Channel(models.Model):
    """A place where a role-agent is assigned. Memory is never the channel's."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="channels")
    provider = models.CharField(max_length=12, choices=Provider, default=Provider.API)
    external_id = models.CharField(max_length=200, help_text="The provider's own id of the channel.")
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["role_agent", "provider", "external_id"], name="channel_once"),
            models.UniqueConstraint(fields=["role_agent", "id"], name="channel_of_agent"),
        ]

    def __str__(self):
        return self.name

    def audit_label(self) -> str:
        return f"channel {self.name}"


__all__ = ["MANAGE", "AgentManager", "Channel", "RoleAgent", "User"]
