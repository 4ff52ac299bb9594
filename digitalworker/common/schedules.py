"""Recurring tasks. An app registers its own in `AppConfig.ready`; `migrate` writes them to the queue's table.

The queue is only a trigger: what a task finds to do is a state in our own tables, so a run missed, late or doubled
does no harm.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.db import connections, transaction
from django.utils import timezone

# Marks the rows that are ours to change and to delete.
PREFIX = "digitalworker."
_LOCK = 0x6477_7363  # any number, as long as it is only used here


@dataclass(frozen=True, slots=True)
class Recurring:
    func: str
    minutes: int | None
    daily_at: time | None


_registered: dict[str, Recurring] = {}


def register(name: str, func: str, *, minutes: int | None = None, daily_at: str | None = None) -> None:
    """Runs `func` (a dotted path) every `minutes`, or daily at "HH:MM" UTC. The queue looks every 30 seconds.

    Raises ValueError unless exactly one of the two is given, and if the name is taken by something else.
    """
    if (minutes is None) == (daily_at is None):
        raise ValueError(f"Schedule {name}: give either minutes or daily_at.")
    recurring = Recurring(func, minutes, time.fromisoformat(daily_at) if daily_at else None)
    if _registered.setdefault(name, recurring) != recurring:
        raise ValueError(f"Schedule {name} is registered twice, differently.")


def sync(using: str = "default") -> None:
    """Makes the queue's table agree with what is registered. Rows that agree keep their next run."""
    from django_q.models import Schedule

    rows = Schedule.objects.using(using)
    with transaction.atomic(using), connections[using].cursor() as cursor:
        # The table has no unique name: two migrations at once would write everything twice.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        wanted = {PREFIX + name: _row(recurring) for name, recurring in _registered.items()}
        rows.filter(name__startswith=PREFIX).exclude(name__in=wanted).delete()
        for name, fields in wanted.items():
            _write(rows, name, fields)


def _row(recurring: Recurring) -> dict:
    from django_q.models import Schedule

    kind = Schedule.MINUTES if recurring.minutes else Schedule.DAILY
    return {"func": recurring.func, "schedule_type": kind, "minutes": recurring.minutes, "at": recurring.daily_at}


def _write(rows, name: str, wanted: dict) -> None:
    at = wanted["at"]
    fields = {key: value for key, value in wanted.items() if key != "at"}
    first, *doubles = rows.filter(name=name).order_by("pk") or [None]
    if doubles:
        rows.filter(pk__in=[double.pk for double in doubles]).delete()
    if first is None:
        rows.create(name=name, next_run=_next(at), repeats=-1, **fields)
        return
    moved = at is not None and first.next_run.time().replace(second=0, microsecond=0) != at
    if moved or any(getattr(first, key) != value for key, value in fields.items()):
        rows.filter(pk=first.pk).update(next_run=_next(at), repeats=-1, **fields)


def _next(at: time | None) -> datetime:
    now = timezone.now()
    if at is None:
        return now
    today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Planned:
    """A recurring task as the queue has it: how often, and when it runs next."""

    name: str
    every: str
    next_run: datetime

    @property
    def overdue(self) -> bool:
        return self.next_run <= timezone.now()


def planned() -> list[Planned]:
    """What this product runs by itself, by name."""
    from django_q.models import Schedule

    rows = Schedule.objects.filter(name__startswith=PREFIX).order_by("name")
    return [
        Planned(
            row.name.removeprefix(PREFIX),
            f"every {row.minutes} minutes" if (row.minutes or 0) > 1 else "every minute" if row.minutes else "daily",
            row.next_run,
        )
        for row in rows
    ]
