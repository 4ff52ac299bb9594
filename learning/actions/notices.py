"""Telling somebody by mail that proposals were given to them. How many wait and where, never what they say.

A mail is owed as a row in the transaction that assigns, and sent later from the queue: so a batch of any size is one mail, a
mail server that is down loses none, and a mail that can not be sent undoes no assignment, holds up no other and is not tried
for ever, whatever is wrong with it.
"""

import traceback
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Case, F, When
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from digitalworker.agents.accounts import absolute
from digitalworker.agents.models import Membership, User
from digitalworker.common.types import Actor
from learning.choices import ItemStatus
from learning.models import AssignmentNotice, LearningItem
from learning.models.inbox import ATTEMPTS_MOST

log = structlog.get_logger(__name__)

GATHER = timedelta(minutes=1)  # what else is assigned meanwhile goes into the same mail
LEASE = timedelta(minutes=10)  # and so long after a mail that could not be sent it is tried again
BATCH = 20


def owe_notice(*, actor: Actor, to: User) -> None:
    """Part of the action that assigns. Nobody is told what they did themselves; without a mail server nothing is owed."""
    if not settings.SMTP_HOST or to.pk == actor.user_id:
        return
    due = timezone.now() + GATHER
    owed = AssignmentNotice.objects.filter(organization_id=actor.organization_id, user=to)
    # One that is being sent right now may have counted without this: it is owed anew.
    if not owed.update(due_at=Case(When(attempts=0, then=F("due_at")), default=due), attempts=0):
        notice = AssignmentNotice(organization_id=actor.organization_id, user=to, due_at=due)
        AssignmentNotice.objects.bulk_create([notice], ignore_conflicts=True)


def send_due() -> int:
    """Mails that are due, each claimed for the length of the lease; answers how many went out. Any number may run at once."""
    return sum(_send(notice, due_at) for notice, due_at in _claim())


def _claim() -> list[tuple[AssignmentNotice, datetime]]:
    now = timezone.now()
    lease = now + LEASE
    with transaction.atomic():
        due = list(
            AssignmentNotice.objects.select_for_update(of=("self",), skip_locked=True)
            .filter(due_at__lte=now, attempts__lt=ATTEMPTS_MOST)
            .select_related("organization", "user")
            .order_by("due_at")[:BATCH]
        )
        AssignmentNotice.objects.filter(pk__in=[notice.pk for notice in due]).update(
            due_at=lease, attempts=F("attempts") + 1
        )
    return [(notice, lease) for notice in due]


def _send(notice: AssignmentNotice, lease: datetime) -> bool:
    try:
        mailed = _mail(notice)
    except Exception as error:  # its class and its place only: what a mail server answers holds addresses
        attempt, place = notice.attempts + 1, traceback.extract_tb(error.__traceback__)[-1]
        log.error(
            "notice not mailed" if attempt >= ATTEMPTS_MOST else "notice not mailed, will be tried again",
            code="notice_not_mailed",
            notice=str(notice.pk),
            attempt=attempt,
            error=type(error).__name__,
            at=f"{place.filename}:{place.lineno}",
        )
        return False
    AssignmentNotice.objects.filter(pk=notice.pk, due_at=lease).delete()  # unless somebody owes it anew meanwhile
    return mailed


def _mail(notice: AssignmentNotice) -> bool:
    """Whether there was still something to tell."""
    waiting = _waiting_for(notice)
    if not waiting:
        return False
    link = absolute(f"{reverse('learning:inbox')}?assignee=me", None) if settings.PUBLIC_URL else ""
    context = {"user": notice.user, "organization": notice.organization, "number": waiting, "link": link}
    subject = f"{waiting} proposal{'' if waiting == 1 else 's'} to decide at {notice.organization}"
    send_mail(subject, render_to_string("learning/assigned.txt", context), None, [notice.user.email])
    return True


def _waiting_for(notice: AssignmentNotice) -> int:
    """How many still wait for this person, who may have decided them or left since."""
    member = Membership.objects.filter(
        organization_id=notice.organization_id, user_id=notice.user_id, user__is_active=True
    )
    if not member.exists():
        return 0
    return LearningItem.objects.filter(
        organization_id=notice.organization_id, assigned_to_id=notice.user_id, status=ItemStatus.PENDING
    ).count()
