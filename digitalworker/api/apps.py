from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "digitalworker.api"
    label = "api"
