from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "digitalworker.agents"
    label = "agents"
