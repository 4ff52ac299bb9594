from django.db import models
from django.db.models import Q

from digitalworker.agents.models import ChatEvent, Organization, RoleAgent

from ..choices import DetectionState, Outcome


class Detection(models.Model):
    """What is still to be looked at, and how it ended: the truth behind the task queue, which is only a trigger.

    A worker claims a due row by moving `due_at` past its lease and counting an attempt; it finishes only a row whose
    attempt is still its own. A killed worker's row is due again when the lease ends, and its effects and its `done` commit
    together, so an event is detected once.
    """

    event = models.OneToOneField(ChatEvent, models.CASCADE, primary_key=True, related_name="detection")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="+", db_index=False)
    state = models.CharField(max_length=8, choices=DetectionState, default=DetectionState.PENDING)
    outcome = models.CharField(max_length=14, choices=Outcome, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=80, blank=True)  # the error's class, never its message: that may quote text

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state=DetectionState.PENDING), name="detection_due"),
            models.Index(fields=["role_agent", "state", "outcome"], name="detection_of_agent"),
        ]

    def __str__(self):
        return f"detection of {self.event_id}"
