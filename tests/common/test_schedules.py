from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Failure, Schedule, Success, Task

from digitalworker.common import schedules, tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def registered(monkeypatch):
    only: dict = {}
    monkeypatch.setattr(schedules, "_registered", only)
    return only


def ours():
    return Schedule.objects.filter(name__startswith=schedules.PREFIX)


def test_migrating_wrote_every_schedule_once():
    names = [schedules.PREFIX + name for name in schedules._registered]
    assert sorted(ours().values_list("name", flat=True)) == sorted(names)
    assert "digitalworker.common.heartbeat" in names


def test_every_scheduled_function_exists():
    for schedule in ours():
        assert callable(import_string(schedule.func)), schedule.name


def test_again_changes_nothing():
    before = list(ours().order_by("pk").values())
    schedules.sync()
    assert list(ours().order_by("pk").values()) == before


def test_what_is_gone_from_the_code_goes_and_what_people_made_stays(registered):
    Schedule.objects.create(name="my own", func="a.b")
    schedules.sync()
    assert list(Schedule.objects.values_list("name", flat=True)) == ["my own"]


def test_a_changed_interval_is_taken_over_and_doubles_are_removed(registered):
    schedules.register("x", "a.b", minutes=5)
    Schedule.objects.bulk_create(
        Schedule(name="digitalworker.x", func="old", schedule_type="I", minutes=1) for _ in range(2)
    )
    schedules.sync()
    row = ours().get()
    assert (row.func, row.minutes) == ("a.b", 5)


def test_daily_at_a_time_of_day(registered):
    schedules.register("x", "a.b", daily_at="03:40")
    schedules.sync()
    row = ours().get()
    assert (row.schedule_type, row.next_run.hour, row.next_run.minute) == (Schedule.DAILY, 3, 40)
    assert timezone.now() < row.next_run <= timezone.now() + timedelta(days=1)


def test_a_name_means_one_thing(registered):
    schedules.register("x", "a.b", minutes=5)
    schedules.register("x", "a.b", minutes=5)
    with pytest.raises(ValueError, match="registered twice"):
        schedules.register("x", "a.c", minutes=5)
    with pytest.raises(ValueError, match="either minutes or daily_at"):
        schedules.register("y", "a.c")


def test_finished_tasks_are_forgotten_in_time():
    now = timezone.now()
    for number, (success, days) in enumerate([(True, 2), (True, 0), (False, 15), (False, 2)]):
        moment = now - timedelta(days=days)
        Task.objects.create(id=str(number), name="t", func="a.b", started=moment, stopped=moment, success=success)
    tasks.prune_queue()
    assert [row.pk for row in Success.objects.all()] == ["1"]
    assert [row.pk for row in Failure.objects.all()] == ["3"]
