"""Where the things the audit names can be looked at. The app that owns a page registers it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Cast
from django.urls import NoReverseMatch

from digitalworker.common.types import Actor


class _Link(NamedTuple):
    address: Callable[[str], str]
    visible: Callable[[Actor], QuerySet[Any]] | None


_links: dict[str, _Link] = {}
_details: dict[str, str] = {}


def register_link(
    object_type: str, address: Callable[[str], str], visible: Callable[[Actor], QuerySet[Any]] | None = None
) -> None:
    """`object_type` is a model's name in small letters. `address` gets an id as text and returns an address, or "" for none,
    without asking the database. `visible` gives the rows that still exist and that an actor may look at: a page of the
    audit links to those alone; without it, to all.
    """
    _links[object_type] = _Link(address, visible)


def register_detail(name: str, object_type: str) -> None:
    """That the detail `name` of an audit row holds the id, or a list of ids, of things of this type."""
    _details[name] = object_type


def href(object_type: str, object_id: str) -> str:
    """Whether it exists is not asked."""
    link = _links.get(object_type)
    try:
        return link.address(object_id) if link else ""
    except NoReverseMatch:  # rows are for ever: one whose id no longer fits an address must not close the page
        return ""


def detail_type(name: str) -> str | None:
    """Of which type the thing is that this detail names, None where it names none."""
    return _details.get(name)


def detail_names() -> list[str]:
    return sorted(_details)


@dataclass(frozen=True, slots=True)
class Seen:
    """What of the things a page names can be linked to: `there` holds, by type, the ids that exist and may be looked at."""

    there: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def href(self, object_type: str, object_id: str) -> str:
        gone = object_type in self.there and object_id not in self.there[object_type]
        return "" if gone else href(object_type, object_id)


def seen(actor: Actor, named: Iterable[tuple[str, str]]) -> Seen:
    """One query, whatever is among `named`, which are (type, id)."""
    ids: dict[str, set[str]] = {}
    for object_type, object_id in named:
        link = _links.get(object_type)
        if link and link.visible:
            ids.setdefault(object_type, set()).add(object_id)
    parts = [part for object_type, wanted in ids.items() if (part := _part(actor, object_type, wanted)) is not None]
    there: dict[str, set[str]] = {object_type: set() for object_type in ids}
    # A union takes up its first model's own order again, by columns that are not among these.
    for object_type, pk in parts[0].union(*parts[1:], all=True).order_by() if parts else ():
        there[object_type].add(pk)
    return Seen({object_type: frozenset(found) for object_type, found in there.items()})


def _part(actor: Actor, object_type: str, wanted: set[str]) -> QuerySet[Any] | None:
    """Of the wanted ids those that are there for the actor, as (type, id)."""
    visible = _links[object_type].visible
    assert visible is not None  # noqa: S101 - `seen` asks for no other
    rows = visible(actor)
    fit = [value for value in wanted if _fits(rows, value)]
    if not fit or rows.query.is_empty():
        return None
    named = {"seen_type": Value(object_type, CharField()), "seen_id": Cast("pk", CharField())}
    return rows.filter(pk__in=fit).order_by().annotate(**named).values_list("seen_type", "seen_id")


def _fits(rows: QuerySet[Any], value: str) -> bool:
    try:
        rows.model._meta.pk.to_python(value)
    except (ValidationError, ValueError):
        return False
    return True
