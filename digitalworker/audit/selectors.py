"""Reads. The audit knows no roles: whoever calls says which role-agents' events may be seen."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime, time
from uuid import UUID

from django.apps import apps
from django.db.models import Q, QuerySet
from django.utils import timezone

from digitalworker.common.errors import NotFound

from . import links
from .models import LearningEvent
from .named import Owned, object_type_of
from .verbs import Verb


@dataclass(frozen=True, slots=True)
class Filters:
    """What to narrow the audit to. Days are whole days in the installation's time zone, both included."""

    role_agent_id: UUID | None = None
    actor: str = ""  # part of the label of who did it
    verb: str = ""
    object_type: str = ""
    object_id: str = ""  # of anything a row names: what it is about, what its details or its sources name
    since: date | None = None
    until: date | None = None

    @property
    def any(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


def last_event_of(obj: Owned) -> LearningEvent | None:
    """The newest thing that happened to `obj`, in its own organisation."""
    return LearningEvent.objects.filter(
        organization_id=obj.organization_id, object_type=object_type_of(obj), object_id=str(obj.pk)
    ).first()


def events_for(organization_id: UUID, agent_ids: QuerySet | list | None = None) -> QuerySet[LearningEvent]:
    """The organisation's events; with `agent_ids` only those about these role-agents."""
    events = LearningEvent.objects.filter(organization_id=organization_id)
    return events if agent_ids is None else events.filter(role_agent_id__in=agent_ids)


def narrowed(events: QuerySet[LearningEvent], filters: Filters) -> QuerySet[LearningEvent]:
    exact = {name: value for name in _EXACT if (value := getattr(filters, name))}
    events = events.filter(**exact)
    if filters.object_id:
        # Few rows name one thing, which the planner can not know: in one statement with an order and a limit it walks the
        # whole audit for them.
        naming = events.filter(_naming(filters.object_id)).order_by()
        events = events.filter(pk__in=list(naming.values_list("pk", flat=True)))
    if filters.actor:
        events = events.filter(actor_label__icontains=filters.actor)
    if filters.since:
        events = events.filter(created_at__gte=_moment(filters.since, time.min))
    if filters.until:  # to its last microsecond, because after the last day there is comes none
        events = events.filter(created_at__lte=_moment(filters.until, time.max))
    return events


_EXACT = ("role_agent_id", "verb", "object_type")


def _naming(object_id: str) -> Q:
    named = Q(object_id=object_id) | Q(source_refs__contains=[{"id": object_id}])
    for name in links.detail_names():
        named |= Q(details__contains={name: object_id}) | Q(details__contains={name: [object_id]})
    return named


def get_event(events: QuerySet[LearningEvent], event_id: UUID) -> LearningEvent:
    event = events.filter(pk=event_id).first()
    if event is None:
        raise NotFound("There is no such audit event.")
    return event


def in_batches(events: QuerySet[LearningEvent], size: int = 1000) -> Iterator[list[LearningEvent]]:
    """All of them, newest first, holding one batch in memory and no cursor or transaction in between.

    Events written meanwhile are newer than where it stands, so it ends. What the caller may see is asked of the
    database anew for each batch.
    """
    batch = list(events.order_by("-id")[:size])
    while batch:
        yield batch
        batch = list(events.filter(id__lt=batch[-1].id).order_by("-id")[:size]) if len(batch) == size else []


def verb_choices() -> list[tuple[str, str]]:
    return [(verb.value, verb.value.replace("_", " ").capitalize()) for verb in Verb]


def object_choices() -> list[tuple[str, str]]:
    """Everything that can tell its own name to the audit."""
    named = [model._meta for model in apps.get_models() if hasattr(model, "audit_label")]
    return sorted(((str(meta.model_name), capitalised(meta.verbose_name)) for meta in named), key=lambda pair: pair[1])


def object_name(object_type: str) -> str:
    return dict(object_choices()).get(object_type, object_type)


def capitalised(text: object) -> str:
    return str(text)[:1].upper() + str(text)[1:]


def _moment(day: date, at: time) -> datetime:
    return timezone.make_aware(datetime.combine(day, at))
