from django.apps import AppConfig


class LearningConfig(AppConfig):
    name = "learning"

    def ready(self) -> None:
        from digitalworker.agents import leaving
        from digitalworker.common import schedules
        from skills.screens import register_screen
        from souls import screens as soul_screens

        from . import soul_screen
        from .actions.reassign import unassign_who_may_not
        from .skill_screen import screen_version

        register_screen(screen_version)
        soul_screens.register_screen(soul_screen.screen_version)
        leaving.register_consequence(unassign_who_may_not)
        schedules.register("learning.sweep", "learning.tasks.run_detection", minutes=1)
        schedules.register("learning.mail_assigned", "learning.tasks.mail_assigned", minutes=1)
        schedules.register("learning.look_for_pii", "learning.tasks.look_for_pii", minutes=1)
        schedules.register("learning.embed_missing", "learning.tasks.embed_missing", minutes=1)
