from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from digitalworker.agents.models import ChatEvent, Organization, RoleAgent

from ..choices import DetectionState, Outcome, Setback


class Detection(models.Model):
    """What is still to be looked at, and how it ended: the truth behind the task queue, which is only a trigger.

    A worker claims a due row by moving `due_at` past its lease and counting an attempt; it settles only a row whose
    attempt is still its own. A killed worker's row is due again when the lease ends, and its effects and its `done` commit
    together, so an event is detected once.

    `attempts` therefore only ever grows. Those that are not held against the event (it had to wait, or a person gave it
    another go) are counted in `forgiven`. `setback` says why it waits, and once it is done, why it was looked at otherwise
    than usual. `skill_span` is the place, in characters, of what may be worth a procedure.
    """

    event = models.OneToOneField(ChatEvent, models.CASCADE, primary_key=True, related_name="detection")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="+", db_index=False)
    state = models.CharField(max_length=8, choices=DetectionState, default=DetectionState.PENDING)
    outcome = models.CharField(max_length=14, choices=Outcome, blank=True)
    setback = models.CharField(max_length=14, choices=Setback, blank=True)
    detector = models.CharField(max_length=80, blank=True)  # what listened: a model's name, or the local extractor
    attempts = models.PositiveSmallIntegerField(default=0)
    forgiven = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    waiting_since = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=80, blank=True)  # the error's class, never its message: that may quote text
    skill_span = ArrayField(models.PositiveIntegerField(), size=2, null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state=DetectionState.PENDING), name="detection_due"),
            # What the operations page asks; each holds only the rows it is about.
            models.Index(
                fields=["role_agent", "setback", "due_at"],
                condition=Q(state=DetectionState.PENDING),
                name="detection_waiting",
            ),
            models.Index(
                fields=["role_agent", "event"], condition=Q(state=DetectionState.PENDING), name="detection_oldest"
            ),
            models.Index(
                fields=["role_agent", "-finished_at"], condition=Q(state=DetectionState.FAILED), name="detection_failed"
            ),
            models.Index(
                fields=["role_agent", "finished_at"],
                include=["outcome", "setback"],
                name="detection_done_lately",
            ),
            models.Index(
                fields=["role_agent", "finished_at"], condition=Q(skill_span__isnull=False), name="detection_for_skill"
            ),
        ]

    def __str__(self):
        return f"detection of {self.event_id}"

    def audit_label(self) -> str:
        return f"message {self.event_id}"

    @property
    def failures(self) -> int:
        """Attempts that went wrong."""
        return max(0, self.attempts - self.forgiven)
