from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "digitalworker.agents"
    label = "agents"

    def ready(self) -> None:
        from allauth.account.signals import password_reset

        from .accounts import confirm_email

        password_reset.connect(lambda user, **_: confirm_email(user), weak=False, dispatch_uid="agents.confirm_email")
