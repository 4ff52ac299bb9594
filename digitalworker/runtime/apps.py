from django.apps import AppConfig


class RuntimeConfig(AppConfig):
    name = "digitalworker.runtime"
    label = "runtime"

    def ready(self) -> None:
        from digitalworker.common import schedules

        from . import own_words  # noqa: F401 - it registers itself

        schedules.register("runtime.close_abandoned", "digitalworker.runtime.tasks.close_abandoned_runs", minutes=5)
