"""What a worker could not look through for personal data, so that it is neither tried all the time nor forgotten."""

from django.db import models
from django.db.models import F, Q

from digitalworker.agents.models import Organization

from .item import LearningItem
from .memory import Memory


class UnreadQuerySet(models.QuerySet["Unread"]):
    def current(self):
        """Of words that are still those, and that nobody has looked through since."""
        item = Q(item__digest=F("digest")) & ~Q(item__pii_digest=F("digest"))
        return self.filter(item | Q(memory__digest=F("digest")) & ~Q(memory__pii_digest=F("digest")))


class Unread(models.Model):
    """An item or a memory in whose words (`digest`) a worker failed `attempts` times. It is due again at `due_at`, later each
    time; other words are due at once."""

    item = models.OneToOneField(LearningItem, models.CASCADE, null=True, related_name="+")
    memory = models.OneToOneField(Memory, models.CASCADE, null=True, related_name="+")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()

    objects = UnreadQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(item__isnull=False, memory__isnull=True) | Q(item__isnull=True, memory__isnull=False),
                name="unread_is_of_one",
            )
        ]

    def __str__(self):
        return f"not looked through: {self.item_id or self.memory_id}"
