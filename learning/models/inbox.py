"""What belongs to a reviewer rather than to what is proposed: views they keep, and mail they are owed."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from digitalworker.agents.models import Organization, User
from digitalworker.common.ids import uuid7

NAME_MOST = 60
QUERY_MOST = 1000
ATTEMPTS_MOST = 5


class SavedView(models.Model):
    """Filters of the inbox under a name: one person's, in one organisation.

    `query` is what `Filters.query` writes and `Filters.read` reads, so a view is an address with a name. What a view shows is
    worked out anew each time; a view gives nobody access to anything.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=NAME_MOST)
    query = models.CharField(max_length=QUERY_MOST, blank=True)
    position = models.PositiveSmallIntegerField()
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("user", "organization", Lower("name"), name="view_name_once"),
            models.UniqueConstraint(
                fields=["user", "organization"], condition=Q(is_default=True), name="view_one_default"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="view_has_name"),
        ]

    def __str__(self):
        return self.name


class AssignmentNotice(models.Model):
    """A mail that is owed: somebody was given proposals to decide.

    One row for a person and an organisation, however many proposals they were given before it went out: so one mail says how
    many wait. It is deleted once the mail is sent. One that failed ATTEMPTS_MOST times stays, is shown on the operations page
    for a week, and is tried again when the person is given something more.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+", db_index=False)
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "organization"], name="notice_owed_once")]
        indexes = [models.Index(fields=["due_at"], name="notice_due")]
