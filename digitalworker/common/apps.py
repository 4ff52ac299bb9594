from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CommonConfig(AppConfig):
    name = "digitalworker.common"
    label = "common"

    def ready(self) -> None:
        from digitalworker.common import queue, schedules

        schedules.register("common.heartbeat", "digitalworker.common.tasks.heartbeat", minutes=1)
        schedules.register("common.prune_queue", "digitalworker.common.tasks.prune_queue", daily_at="03:40")
        queue.connect()
        # Sent once for each app after all migrations ran; once, for ours, is enough.
        post_migrate.connect(_after_migrations, sender=self, dispatch_uid="common.after_migrations")


def _after_migrations(using: str, **kwargs: object) -> None:
    from digitalworker.common import grants, schedules

    grants.apply(using)
    schedules.sync(using)
