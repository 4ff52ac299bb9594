from django.apps import AppConfig


class RuntimeConfig(AppConfig):
    name = "digitalworker.runtime"
    label = "runtime"
