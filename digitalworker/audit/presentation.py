"""Audit rows as people read them."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from digitalworker.common.types import ActorKind

from . import links
from .models import LearningEvent
from .selectors import object_name
from .verbs import Verb

_NOTHING = "nothing"


@dataclass(slots=True)
class Line:
    """One row: `at`, the `sentence` as HTML, and the `facts` behind it."""

    event: LearningEvent
    at: datetime
    sentence: SafeString
    facts: list[tuple[str, str | SafeString]] = field(default_factory=list)


def line(event: LearningEvent) -> Line:
    return Line(event, event.created_at, sentence(event), facts(event))


def lines(events) -> list[Line]:
    return [line(event) for event in events]


def sentence(event: LearningEvent) -> SafeString:
    """Its verb's sentence with the object in bold, and linked where there is a page for it."""
    named = format_html("<b>{}</b>", event.object_label)
    if href := links.href(event.object_type, event.object_id):
        named = format_html('<a href="{}">{}</a>', href, named)
    return format_html(str(Verb(event.verb).label), actor=event.who, object=named)


def facts(event: LearningEvent) -> list[tuple[str, str | SafeString]]:
    found: list[tuple[str, str | SafeString]] = []
    if event.reason:
        found.append(("Reason", event.reason))
    details = dict(event.details)
    for name, pair in dict(details.pop("changed", None) or {}).items():
        old, new = pair if isinstance(pair, list) and len(pair) == 2 else (None, pair)
        found.append((_words(name), format_html("{} → {}", _value(old), _value(new))))
    found += [(_words(name), _value(value)) for name, value in details.items()]
    if event.source_refs:
        found.append(("Sources", format_html_join(", ", "{}", ((_source(ref),) for ref in event.source_refs))))
    found.append(("What", format_html("{} <code>{}</code>", object_name(event.object_type), event.object_id)))
    if event.actor_kind == ActorKind.WORKER:
        found.append(("Acted as", format_html("<code>{}</code>", event.actor_label)))
    found.append(("When", date_format(localtime(event.created_at), "j F Y, H:i:s e")))
    if event.request_id:
        found.append(("Request", format_html("<code>{}</code>", event.request_id)))
    return found


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _value(value) -> str:
    if value is None or value == "" or value == []:
        return _NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_value(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{_words(str(name))}: {_value(each)}" for name, each in value.items())
    return str(value)


def _source(ref: dict) -> str | SafeString:
    kind, identity = str(ref.get("type", "")), str(ref.get("id", ""))
    text = f"{_words(kind) or 'Source'} {identity}".strip()
    href = links.href(kind, identity)
    return format_html('<a href="{}">{}</a>', href, text) if href else text
