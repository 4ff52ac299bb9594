from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from digitalworker.common.ids import uuid7

from ..choices import AuthorKind, EventKind
from .organizations import Organization, User
from .role_agents import Channel, RoleAgent


class Person(models.Model):
    """Someone a role-agent talks to. Without an external id it is bound to one thread and dies with it.

    It holds settings (recall on or off), never learned content. Its own id, not the external one, goes into the audit.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="people")
    external_user_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null: bound to one thread
    display_name = models.CharField(max_length=120, blank=True)
    user = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    recall_enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "people"
        constraints = [
            models.UniqueConstraint(fields=["role_agent", "external_user_id"], name="person_once"),
            models.UniqueConstraint(fields=["role_agent", "id"], name="person_of_agent"),
            models.CheckConstraint(condition=~models.Q(external_user_id=""), name="person_id_not_empty"),
        ]

    def __str__(self):
        return self.display_name or self.external_user_id or "someone without an id"

    def audit_label(self) -> str:
        return f"person {self.pk}"


class Thread(models.Model):
    """One conversation of one role-agent."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="threads", db_index=False)
    channel = models.ForeignKey(Channel, models.SET_NULL, null=True, blank=True, related_name="threads")
    person = models.ForeignKey(Person, models.SET_NULL, null=True, blank=True, related_name="threads")
    external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null: ours alone
    created_at = models.DateTimeField(auto_now_add=True)
    last_event_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["role_agent", "external_id"], name="thread_once"),
            models.UniqueConstraint(fields=["role_agent", "id"], name="thread_of_agent"),
        ]
        indexes = [
            models.Index(fields=["role_agent", "-last_event_at", "-id"], name="thread_latest"),
            models.Index(fields=["organization", "-last_event_at", "-id"], name="thread_latest_of_all"),
        ]

    def __str__(self):
        return f"conversation {self.pk}"

    def audit_label(self) -> str:
        return f"conversation {self.pk}"


class ChatEventQuerySet(models.QuerySet["ChatEvent"]):
    def without_vector(self):
        return self.defer("tsv")


class ChatEvent(models.Model):
    """Something said or done in a thread. `text` is empty where the organisation stores metadata only.

    `verified` says that the sender's identity was checked by whoever handed the event in. Order inside a thread is
    `(occurred_at, id)`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="+", db_index=False)
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="events", db_index=False)
    person = models.ForeignKey(Person, models.SET_NULL, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=12, choices=EventKind)
    author_kind = models.CharField(max_length=10, choices=AuthorKind)
    author = models.CharField(max_length=120, blank=True)
    author_user = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    verified = models.BooleanField(default=False)
    text = models.TextField(blank=True)
    payload = models.JSONField(default=dict, blank=True)
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null: sent without one
    occurred_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    # Speaker and text as words, each marked as this agent's; see agents/history/analysis.py.
    tsv = models.GeneratedField(
        expression=models.Func("role_agent", "author", "text", function="agents_words"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = ChatEventQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["role_agent", "idempotency_key"], name="event_idempotency_once"),
        ]
        indexes = [
            models.Index(fields=["thread", "occurred_at", "id"], name="event_in_thread"),
            GinIndex(fields=["tsv"], name="event_words", fastupdate=False),
            models.Index(fields=["role_agent", "-occurred_at", "-id"], name="event_latest"),
        ]
        verbose_name = "event"

    def __str__(self):
        return f"{self.kind} {self.pk}"

    def audit_label(self) -> str:
        return f"{self.get_kind_display().lower()} {self.pk}"
