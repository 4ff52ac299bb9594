from django.apps import AppConfig


class SoulsConfig(AppConfig):
    name = "souls"

    def ready(self) -> None:
        from digitalworker.agents import founding

        from .actions.furnish import furnish

        founding.register_furnishing(furnish)
