from django.apps import AppConfig
from django.core import checks


class ConsoleConfig(AppConfig):
    name = "digitalworker.console"
    label = "console"

    def ready(self) -> None:
        from digitalworker.console import registry

        registry.autodiscover()
        checks.register(_registrations_resolve)


def _registrations_resolve(app_configs: object, **kwargs: object) -> list[checks.CheckMessage]:
    from digitalworker.console import registry

    return [
        checks.Warning(f"{name!r} is registered with the console but resolves to no address.", id="console.W001")
        for name in registry.unresolved()
    ]
