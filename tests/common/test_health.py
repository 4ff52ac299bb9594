from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django_q.models import Task

from digitalworker.common import health, tasks
from digitalworker.common.models import Heartbeat


@pytest.fixture(autouse=True)
def fresh_look_at_migrations(monkeypatch):
    monkeypatch.setattr(health, "_migrations_seen_at", float("-inf"))


def ready(client):
    answer = client.get("/readyz")
    return answer.status_code, answer.json()["checks"]


def test_the_process_answers_without_a_database(client):
    answer = client.get("/healthz")  # no database mark: a query would fail this test
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready_when_everything_works(client):
    tasks.heartbeat()
    assert ready(client) == (200, {"database": "ok", "migrations": "ok", "worker": "ok"})


@pytest.mark.django_db
def test_not_ready_before_the_worker_has_worked(client):
    assert ready(client) == (503, {"database": "ok", "migrations": "ok", "worker": "failing"})


@pytest.mark.django_db
def test_a_heartbeat_grows_old(client):
    Heartbeat.objects.create(name=tasks.WORKER, at=timezone.now() - timedelta(seconds=181))
    assert ready(client)[1]["worker"] == "failing"
    tasks.heartbeat()
    assert ready(client)[1]["worker"] == "ok"
    assert Heartbeat.objects.count() == 1


@pytest.mark.django_db
def test_behind_a_long_queue_other_tasks_speak_for_the_worker(client):
    now = timezone.now()
    Task.objects.create(id="a" * 32, name="a", func="a.b", started=now, stopped=now, success=True)
    assert ready(client)[1]["worker"] == "ok"


@pytest.mark.django_db
def test_not_ready_with_a_migration_to_do(client, monkeypatch):
    tasks.heartbeat()
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *a, **k: ["one"])
    assert ready(client) == (503, {"database": "ok", "migrations": "failing", "worker": "ok"})


@pytest.mark.django_db
def test_an_absent_database_is_told_without_its_details(client, monkeypatch):
    def refuse(*args, **kwargs):
        raise OperationalError("password of ada@db.example refused")

    monkeypatch.setattr(connection, "cursor", refuse)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"database": "failing", "migrations": "unknown", "worker": "unknown"}
    assert b"ada" not in answer.content
