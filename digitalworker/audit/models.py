import pgtrigger
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models

from digitalworker.common.ids import uuid7
from digitalworker.common.types import ActorKind

from .verbs import Verb


class LearningEvent(models.Model):
    """The append-only audit: who did what to which thing, when, why, and from which source.

    It names things by copied labels and bare ids, never by foreign keys, so it outlives them; and it never holds the text
    of a memory or anything that identifies an end user, so erasing a person needs no change here. The database refuses
    UPDATE and DELETE by trigger, and the application's role has no right to either.
    """

    append_only = True

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization_id = models.UUIDField()
    role_agent_id = models.UUIDField(null=True)
    role_agent_label = models.CharField(max_length=120, blank=True)
    verb = models.CharField(max_length=40, choices=Verb)
    actor_kind = models.CharField(max_length=10, choices=[(kind.value, kind.value) for kind in ActorKind])
    actor_user_id = models.BigIntegerField(null=True)
    actor_label = models.CharField(max_length=200)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    object_label = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    source_refs = models.JSONField(default=list)
    details = models.JSONField(default=dict)
    history_row = models.BigIntegerField(
        null=True
    )  # the object's history row that was written with this, if it has one
    request_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["organization_id", "-id"], name="audit_by_organization"),
            models.Index(fields=["organization_id", "role_agent_id", "-id"], name="audit_by_agent"),
            models.Index(fields=["organization_id", "object_type", "object_id"], name="audit_by_object"),
            models.Index(fields=["organization_id", "created_at"], name="audit_by_time"),
            # What waits to be put into such an index is read whole by each search, so nothing waits.
            GinIndex(OpClass("details", name="jsonb_path_ops"), name="audit_by_detail", fastupdate=False),
            GinIndex(OpClass("source_refs", name="jsonb_path_ops"), name="audit_by_source", fastupdate=False),
        ]
        triggers = [pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)]
        verbose_name = "audit event"

    def __str__(self):
        return self.sentence

    @property
    def who(self) -> str:
        """The actor for people: a role-agent acting by itself goes by its name, not by the id it acts under."""
        if self.actor_kind == ActorKind.WORKER:
            return self.role_agent_label or "A role-agent"
        return "The system" if self.actor_label == "system" else self.actor_label

    @property
    def sentence(self) -> str:
        return Verb(self.verb).sentence(self.who, self.object_label)
