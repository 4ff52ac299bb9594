"""The history row that was written with an audit row: which fields changed, from what to what.

The audit holds no text that was learned; histories do. So the app that owns a history says who may read a row of it.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import models
from django.utils.formats import date_format
from django.utils.timezone import localtime

from digitalworker.common.types import Actor

from .models import LearningEvent

_KEPT_BY_THE_HOUSE = {"id", "revision", "digest", "dedupe_key", "created_at", "updated_at"}
PROSE = 40  # characters; from here on words are compared


class _History(NamedTuple):
    model: type[models.Model]
    may_read: Callable[[Actor, Any], bool]
    without: frozenset[str]


_histories: dict[str, _History] = {}


def register_history(
    model: type[models.Model], may_read: Callable[[Actor, Any], bool], *, without: Collection[str] = ()
) -> None:
    """`model` keeps a history; `may_read` is asked about one row of it, of the actor's organisation. Fields named `without`
    say nothing to people."""
    _histories[str(model._meta.model_name)] = _History(model, may_read, frozenset(without))


@dataclass(frozen=True, slots=True)
class Change:
    """One field. `prose`: its words are compared one by one."""

    name: str
    old: str
    new: str

    @property
    def prose(self) -> bool:
        return bool(self.old and self.new) and max(len(self.old), len(self.new)) >= PROSE


@dataclass(frozen=True, slots=True)
class Evidence:
    """`state`: "" where `changes` tell; "none" where the event changed no row with a history; "erased" where the row was
    erased since; "hidden" where the reader may not read it. `first`: it was made by this event."""

    changes: list[Change] = field(default_factory=list)
    state: str = ""
    first: bool = False
    noted: str = ""


def evidence_of(actor: Actor, event: LearningEvent) -> Evidence:
    """For an event the actor may read. One query, and what `may_read` asks."""
    history = _histories.get(event.object_type)
    if history is None or event.history_row is None:
        return Evidence(state="none")
    rows = history.model.history.filter(id=event.object_id)  # type: ignore[attr-defined]  # what a history is
    newest = list(rows.filter(history_id__lte=event.history_row).order_by("-history_id")[:2])
    if not newest or newest[0].history_id != event.history_row:
        return Evidence(state="erased")
    row, older = newest[0], newest[1] if len(newest) > 1 else None
    if row.organization_id != actor.organization_id or not history.may_read(actor, row):
        return Evidence(state="hidden")
    changes = [
        Change(name, before, after) for name, before, after in _fields(older, row, history.without) if before != after
    ]
    # A role-agent that acted by itself is named by the event; here it goes by an id.
    noted = (row.history_change_reason or "").replace(event.actor_label, event.who)
    return Evidence(changes, first=older is None, noted=noted)


def _fields(older: Any, row: Any, without: frozenset[str]):
    for each in row._meta.concrete_fields:
        passed = each.is_relation or each.name.startswith("history_") or each.name in _KEPT_BY_THE_HOUSE | without
        if not passed:
            label = str(each.verbose_name).removesuffix(" label").capitalize()
            # Of what was just made, what it was given is told, and not what everything is made with.
            before = each.get_default() if older is None else getattr(older, each.name)
            yield from _pairs(label, each, before, getattr(row, each.name))


def _pairs(label: str, each: models.Field, old: Any, new: Any):
    """A document's parts are told one by one."""
    if isinstance(old, dict) or isinstance(new, dict):
        for part in sorted({*(old or {}), *(new or {})}):
            yield (
                str(part).replace("_", " ").capitalize(),
                _told(None, (old or {}).get(part)),
                _told(None, (new or {}).get(part)),
            )
    else:
        yield label, _told(each, old), _told(each, new)


def _told(each: models.Field | None, value: Any) -> str:
    if value is None or value == "" or value == []:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return date_format(localtime(value), "j F Y, H:i:s")
    choices = dict(each.flatchoices) if each is not None and each.choices else {}
    if isinstance(value, str | int) and value in choices:
        return str(choices[value])
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
