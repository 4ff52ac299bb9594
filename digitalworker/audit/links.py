"""Where the things the audit names can be looked at. The app that owns a page registers it."""

from collections.abc import Callable

from django.urls import NoReverseMatch

_resolvers: dict[str, Callable[[str], str]] = {}


def register_link(object_type: str, fn: Callable[[str], str]) -> None:
    """`object_type` is a model's name in small letters; `fn` gets an id as text and returns an address, or "" for none.

    It must not ask the database: it is called for every row of a page. The thing may be gone, the page says so then.
    """
    _resolvers[object_type] = fn


def href(object_type: str, object_id: str) -> str:
    resolver = _resolvers.get(object_type)
    try:
        return resolver(object_id) if resolver else ""
    except NoReverseMatch:  # rows are for ever: one whose id no longer fits an address must not close the page
        return ""
