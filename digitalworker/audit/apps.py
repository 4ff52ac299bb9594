from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "digitalworker.audit"
    label = "audit"
