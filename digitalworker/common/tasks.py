from datetime import timedelta

from django.utils import timezone

from digitalworker.common.models import Heartbeat

WORKER = "worker"
KEEP_SUCCESSES, KEEP_FAILURES = timedelta(days=1), timedelta(days=14)


def heartbeat() -> None:
    now = timezone.now()
    Heartbeat.objects.bulk_create(
        [Heartbeat(name=WORKER, at=now)], update_conflicts=True, unique_fields=["name"], update_fields=["at"]
    )


def prune_queue() -> None:
    """Deletes what the queue remembers of finished tasks; it never does so by itself."""
    from django_q.models import Failure, Success

    Success.objects.filter(stopped__lt=timezone.now() - KEEP_SUCCESSES).delete()
    Failure.objects.filter(stopped__lt=timezone.now() - KEEP_FAILURES).delete()
