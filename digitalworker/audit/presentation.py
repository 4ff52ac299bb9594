"""Audit rows as people read them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from digitalworker.common.types import Actor, ActorKind

from . import links
from .links import Seen
from .models import LearningEvent
from .selectors import object_name
from .verbs import Verb

_NOTHING = "nothing"
_ID_SHOWN = 8  # of an id's characters, the last: those that differ


@dataclass(slots=True)
class Line:
    """One row: `at`, the `sentence` as HTML, what changed of settings as (name, old → new), and the `facts` behind it."""

    event: LearningEvent
    at: datetime
    sentence: SafeString
    agent_href: str = ""
    changed: list[tuple[str, SafeString]] = field(default_factory=list)
    facts: list[tuple[str, str | SafeString]] = field(default_factory=list)


def line(event: LearningEvent, seen: Seen | None = None) -> Line:
    seen = seen or Seen()
    agent = seen.href("roleagent", str(event.role_agent_id)) if event.role_agent_id else ""
    return Line(event, event.created_at, sentence(event, seen), agent, changed(event), facts(event, seen))


def lines(events: Iterable[LearningEvent], actor: Actor | None = None) -> list[Line]:
    """With `actor` linked only to what still exists and they may look at, which is asked in one query; else to all."""
    events = list(events)
    seen = links.seen(actor, (pair for event in events for pair in named(event))) if actor else Seen()
    return [line(event, seen) for event in events]


def named(event: LearningEvent) -> Iterator[tuple[str, str]]:
    """Everything a row names, as (type, id)."""
    yield event.object_type, event.object_id
    if event.role_agent_id:
        yield "roleagent", str(event.role_agent_id)
    for ref in event.source_refs:
        yield str(ref.get("type", "")), str(ref.get("id", ""))
    for name, value in event.details.items():
        if object_type := links.detail_type(name):
            for each in value if isinstance(value, list) else [value]:
                yield object_type, str(each)


def sentence(event: LearningEvent, seen: Seen | None = None) -> SafeString:
    """Its verb's sentence: the object in bold and linked where there is a page for it, the actor linked to what they did."""
    who, obj = format_html("{}", event.who), format_html("<b>{}</b>", event.object_label)
    if href := links.href("actor", event.actor_label):
        who = format_html('<a class="quiet" href="{}">{}</a>', href, who)
    if href := (seen or Seen()).href(event.object_type, event.object_id):
        obj = format_html('<a href="{}">{}</a>', href, obj)
    return format_html(str(Verb(event.verb).label), actor=who, object=obj)


def changed(event: LearningEvent) -> list[tuple[str, SafeString]]:
    """What of settings changed, from what to what."""
    pairs = []
    for name, pair in dict(event.details.get("changed") or {}).items():
        old, new = pair if isinstance(pair, list) and len(pair) == 2 else (None, pair)
        pairs.append((_words(name), format_html("{} → {}", _value(old), _value(new))))
    return pairs


def facts(event: LearningEvent, seen: Seen | None = None) -> list[tuple[str, str | SafeString]]:
    seen = seen or Seen()
    found: list[tuple[str, str | SafeString]] = []
    if event.reason:
        found.append(("Reason", event.reason))
    found += changed(event)
    found += [(_words(name), _detail(name, value, seen)) for name, value in event.details.items() if name != "changed"]
    if event.source_refs:
        found.append(("Sources", format_html_join(", ", "{}", ((_source(ref, seen),) for ref in event.source_refs))))
    found.append(("What", format_html("{} <code>{}</code>", object_name(event.object_type), event.object_id)))
    if event.actor_kind == ActorKind.WORKER:
        found.append(("Acted as", format_html("<code>{}</code>", event.actor_label)))
    found.append(("When", date_format(localtime(event.created_at), "j F Y, H:i:s e")))
    if event.request_id:
        found.append(("Request", format_html("<code>{}</code>", event.request_id)))
    return found


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _detail(name: str, value: Any, seen: Seen) -> str | SafeString:
    object_type = links.detail_type(name)
    if not object_type or not value:
        return _value(value)
    each = value if isinstance(value, list) else [value]
    return format_html_join(", ", "{}", ((_thing(object_type, str(one), seen),) for one in each))


def _value(value: Any) -> str:
    if value is None or value == "" or value == []:
        return _NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_value(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{_words(str(name))}: {_value(each)}" for name, each in value.items())
    return str(value)


def _source(ref: dict, seen: Seen) -> str | SafeString:
    kind, identity = str(ref.get("type", "")), str(ref.get("id", ""))
    return _thing(kind, identity, seen)


def _thing(object_type: str, identity: str, seen: Seen) -> str | SafeString:
    what = object_name(object_type)
    name = (what if what != object_type else _words(object_type)) or "Source"
    href = seen.href(object_type, identity)
    if not href:
        return f"{name} {identity}".strip()
    return format_html('<a href="{}">{} …{}</a>', href, name, identity[-_ID_SHOWN:])
