"""How looking for something to learn goes: what is queued, waits, failed and came of it. Never what was said.

Every number comes through an index that holds only the rows it is about, and queues are counted up to a limit, so the page
takes the same few queries whatever the number of events. The outcomes of a week are read from an index alone.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from digitalworker.agents.choices import Feature
from digitalworker.agents.language_model import is_configured
from digitalworker.agents.models import ChatEvent, Organization, RoleAgent
from digitalworker.agents.policies import visible_agents
from digitalworker.agents.selectors import access_with_usage
from digitalworker.common.counting import NumberOf
from digitalworker.common.health import HEARTBEAT_MAX_AGE, worker_seen
from digitalworker.common.schedules import Planned, planned
from digitalworker.common.types import Actor
from learning.choices import LOCAL_DETECTOR, DetectionState, ItemStatus, Outcome, Setback
from learning.models import AssignmentNotice, Detection, LearningItem, Unread
from learning.models.inbox import ATTEMPTS_MOST

COUNTED_MOST = 10_000
FAILURES_SHOWN = 25
LATELY = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Queue:
    """Numbers of events. `more`: there are more than were counted. `oldest` is when the longest waiting one came in."""

    queued: int
    working: int
    waiting: dict[str, int]  # by setback
    more: bool
    oldest: datetime | None

    @property
    def depth(self) -> int:
        return self.queued + self.working + self.put_off

    @property
    def put_off(self) -> int:
        return sum(self.waiting.values())


@dataclass(frozen=True, slots=True)
class Lately:
    """How detection ended in the last seven days: by outcome, and by what kept the usual detector from listening."""

    outcomes: dict[str, int]
    setbacks: dict[str, int]

    @property
    def looked_at(self) -> int:
        """Events where learning was on."""
        return sum(self.outcomes.values()) - self.outcomes.get(Outcome.NOT_LEARNING, 0)

    @property
    def triage_share(self) -> float | None:
        """The share that was set aside at first sight, at no cost."""
        return self.outcomes.get(Outcome.TRIAGED, 0) / self.looked_at if self.looked_at else None


@dataclass(frozen=True, slots=True)
class Operations:
    queue: Queue
    failures: list[Detection]
    failed: int
    lately: Lately
    detector: str
    spend: dict  # a row of `access_with_usage`
    worker_seen_at: datetime | None
    worker_beats: bool
    schedules: list[Planned]
    not_looked_through: (
        int  # texts that a worker could not look through for personal data, each tried again at least once a day
    )
    unsent: int  # mails to people who were given proposals, given up in the last seven days


def operations(actor: Actor, agents: Iterable[RoleAgent] | None = None) -> Operations:
    """Of all role-agents the actor sees, which are `agents` where they were asked for already."""
    # By the agents' ids, not by a query for them: of a list the planner knows how many rows it means.
    rows = Detection.objects.filter(
        role_agent__in=[a.pk for a in (visible_agents(actor) if agents is None else agents)]
    )
    failed = rows.filter(state=DetectionState.FAILED)
    numbers = Organization.objects.annotate(
        seen=worker_seen(),
        failed=NumberOf(failed.values("pk")[: COUNTED_MOST + 1]),
        unread=NumberOf(Unread.objects.current().filter(organization_id=actor.organization_id).values("pk")),
        unsent=NumberOf(_unsent(actor).values("pk")),
        oldest=_oldest(rows),
    ).values_list("seen", "failed", "unread", "unsent", "oldest")
    seen, failures, unread, unsent, oldest = numbers.get(pk=actor.organization_id)
    [spend] = access_with_usage(actor, features=(Feature.LEARNING_DETECT,))
    return Operations(
        queue=queue_of(rows, oldest),
        failures=list(failed.select_related("role_agent").order_by("-finished_at")[:FAILURES_SHOWN]),
        failed=failures,
        lately=lately_of(rows),
        detector=settings.DW_MODEL if is_configured() else LOCAL_DETECTOR,
        spend=spend,
        worker_seen_at=seen,
        worker_beats=seen is not None and timezone.now() - seen < HEARTBEAT_MAX_AGE,
        schedules=planned(),
        not_looked_through=unread,
        unsent=unsent,
    )


def _unsent(actor: Actor) -> QuerySet[AssignmentNotice]:
    """One that is being sent for the last time is not due, so it does not count yet; nor does one about what was decided
    meanwhile."""
    now = timezone.now()
    owed = AssignmentNotice.objects.filter(organization_id=actor.organization_id, attempts__gte=ATTEMPTS_MOST)
    waits = LearningItem.objects.filter(
        organization_id=actor.organization_id, assigned_to=OuterRef("user"), status=ItemStatus.PENDING
    )
    return owed.filter(Exists(waits), due_at__gte=now - LATELY, due_at__lte=now)


def lately_of_agent(agent: RoleAgent) -> Lately:
    """Of the latest of the week, as many as are counted: the share hardly differs, and every overview asks."""
    return lately_of(Detection.objects.filter(role_agent=agent), most=COUNTED_MOST)


def queue_of(rows: QuerySet[Detection], oldest: datetime | None) -> Queue:
    pending = rows.filter(state=DetectionState.PENDING)
    free, now = Q(setback=""), timezone.now()
    counted = pending.values("setback", "due_at")[: COUNTED_MOST + 1].aggregate(
        queued=Count("due_at", filter=free & Q(due_at__lte=now)),
        working=Count("due_at", filter=free & Q(due_at__gt=now)),
        **{setback: Count("due_at", filter=Q(setback=setback)) for setback in Setback.values},
    )
    waiting = {setback: counted[setback] for setback in Setback.values if counted[setback]}
    total = counted["queued"] + counted["working"] + sum(waiting.values())
    return Queue(counted["queued"], counted["working"], waiting, total > COUNTED_MOST, oldest)


def _oldest(rows: QuerySet[Detection]) -> Subquery:
    """Ids are in order of time. Asked agent by agent, because the first of all would be looked for along every event."""
    pending = rows.filter(state=DetectionState.PENDING)
    firsts = pending.order_by("role_agent_id", "event_id").distinct("role_agent_id").values("event_id")
    return Subquery(ChatEvent.objects.filter(pk__in=firsts).order_by("id").values("created_at")[:1])


def lately_of(rows: QuerySet[Detection], most: int | None = None) -> Lately:
    outcomes: dict[str, int] = {}
    setbacks: dict[str, int] = {}
    done = rows.filter(finished_at__gte=timezone.now() - LATELY).exclude(outcome="")
    if most:
        latest = done.order_by("-finished_at").values_list("outcome", "setback")[:most]
        counted = [(*each, number) for each, number in Counter(latest).items()]
    else:
        counted = list(done.values_list("outcome", "setback").annotate(number=Count("*")))
    for outcome, setback, number in counted:
        outcomes[outcome] = outcomes.get(outcome, 0) + number
        if setback:
            setbacks[setback] = setbacks.get(setback, 0) + number
    return Lately(outcomes, setbacks)
