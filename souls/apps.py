from django.apps import AppConfig


class SoulsConfig(AppConfig):
    name = "souls"
