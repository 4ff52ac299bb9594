import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models

from digitalworker.common.ids import uuid7

from ..choices import Feature, Scope
from .organizations import Organization, User
from .role_agents import RoleAgent


class ApiKey(models.Model):
    """A program's way in. Only a SHA-256 of the secret is kept; the prefix finds the row and names it to people.

    A key may do no more than its scopes, on no more than its agents (none listed: all), and its `review` and `admin`
    scopes hold only while the person who issued it is still an owner or admin.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16, unique=True)
    secret_digest = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope))
    role_agents = models.ManyToManyField(RoleAgent, blank=True, related_name="+")
    limited_to_agents = models.BooleanField(default=False)  # so that deleting its last agent does not open the key
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "API key"

    def __str__(self):
        return f"{self.name} ({self.prefix}…)"

    def audit_label(self) -> str:
        return f"API key {self}"


class FeatureAccess(models.Model):
    """Whether, and how much, an organisation lets models be called for one feature. No row: on, with the defaults."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    feature = models.CharField(max_length=40, choices=Feature)
    enabled = models.BooleanField(default=True)
    daily_calls = models.PositiveIntegerField(default=2000)
    daily_tokens = models.PositiveIntegerField(default=2_000_000)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "feature"], name="feature_access_once")]

    def __str__(self):
        return self.feature

    def audit_label(self) -> str:
        return f"AI access to {self.get_feature_display().lower()}"


class FeatureUsage(models.Model):
    """What one role-agent used of one feature on one day (UTC). Counted before the call, settled after it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="+")
    feature = models.CharField(max_length=40, choices=Feature)
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "feature", "day", "role_agent"], name="feature_usage_once")
        ]

    def __str__(self):
        return f"{self.feature} {self.day}"


class PromptTemplate(models.Model):
    """An organisation's own wording for one prompt. No row: the built-in default speaks."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    key = models.CharField(max_length=60)
    active_version = models.PositiveIntegerField(null=True)  # null: back to the built-in default

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "key"], name="prompt_template_once")]

    def __str__(self):
        return self.key

    def audit_label(self) -> str:
        return f"prompt {self.key}"


class PromptVersion(models.Model):
    """One immutable wording; which one is in use is the template's pointer."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    template = models.ForeignKey(PromptTemplate, models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    body = models.TextField()
    created_by_label = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["template", "version"], name="prompt_version_once")]
        triggers = [pgtrigger.Protect(name="immutable", operation=pgtrigger.Update)]

    def __str__(self):
        return f"{self.template} version {self.version}"
