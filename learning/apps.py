from django.apps import AppConfig


class LearningConfig(AppConfig):
    name = "learning"

    def ready(self) -> None:
        from digitalworker.common import schedules

        schedules.register("learning.sweep", "learning.tasks.run_detection", minutes=1)
        schedules.register("learning.embed_missing", "learning.tasks.embed_missing", minutes=1)
