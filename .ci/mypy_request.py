"""Tells the type checker what our middleware adds to every request."""

from mypy.plugin import ClassDefContext, Plugin
from mypy.plugins.common import add_attribute_to_class
from mypy.types import AnyType, TypeOfAny

REQUEST = "django.http.request.HttpRequest"
ADDED = (
    *("request_id", "htmx"),
    *("actor", "membership", "memberships", "organization", "organizations", "current_agent", "nav_current"),
)


class RequestPlugin(Plugin):
    def get_customize_class_mro_hook(self, fullname: str):
        return _add if fullname == REQUEST else None


def _add(context: ClassDefContext) -> None:
    for name in ADDED:
        if name not in context.cls.info.names:
            add_attribute_to_class(context.api, context.cls, name, AnyType(TypeOfAny.explicit))


def plugin(version: str):
    return RequestPlugin
