"""Recording what was said. Everything that enters a conversation enters here, whichever face it came through."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from digitalworker.agents.choices import AuthorKind, Role, Scope
from digitalworker.agents.models import Channel, ChatEvent, Organization, Person, RoleAgent, Thread
from digitalworker.agents.policies import key_may, visible_agents
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound
from digitalworker.common.ids import uuid7
from digitalworker.common.secrets import find_secrets, redact, redact_json
from digitalworker.common.types import Actor, ActorKind

from ._drafts import AUTHOR_MOST, BATCH_MOST, ID_MOST, PAYLOAD_MOST, TEXT_MOST, EventDraft, Line, checked

__all__ = [
    "AUTHOR_MOST",
    "BATCH_MOST",
    "ID_MOST",
    "PAYLOAD_MOST",
    "TEXT_MOST",
    "EventDraft",
    "Recorded",
    "record_events",
]


@dataclass(frozen=True, slots=True)
class Recorded:
    """`created` is False where the idempotency key was seen before; `event` is then the one that was kept, and `conflict`
    says that its text is another, so that this one was not stored."""

    event: ChatEvent
    created: bool
    conflict: bool = False


@dataclass(slots=True)
class _Place:
    thread: Thread
    lines: list[Line]
    is_new: bool = False


def record_events(*, actor: Actor, role_agent: RoleAgent, drafts: Sequence[EventDraft]) -> list[Recorded]:
    """Store the drafts and return one `Recorded` for each, in their order. All are stored, or none.

    An idempotency key that this agent has seen adds nothing, also when two identical batches run at once. The number of
    queries does not depend on the number of drafts. An organisation that stores metadata only keeps neither text nor
    payload; one that redacts at intake keeps "[password removed]" in the place of a secret, and its kind in the payload.

    Raises Invalid (`errors` by "<index>.<field>"), NotFound (agent, thread or channel), Conflict (agent disabled, thread
    of another person), Denied (may see the agent, may not speak to it).
    """
    with transaction.atomic():
        agent = _agent_for(actor, role_agent)
        lines = checked(drafts)
        if agent.organization.redact_secrets:
            _redact(lines)
        seen = _events_by_key(agent, [line.key for line in lines if line.key])
        fresh = _first_of_each_key(line for line in lines if line.key not in seen)
        if fresh:
            channels = _channels(agent, fresh)
            people = _people(agent, fresh)
            places = _places(agent, fresh)
            _settle_people(agent, places, people)
            created = _insert(agent, places, channels)
            lost = [line.key for line in fresh if line.event is not None and line.event.pk not in created]
            if lost:
                # Another batch with the same keys committed between our look and our insert.
                seen |= _events_by_key(agent, [key for key in lost if key])
                _remove_unused(places, created)
            _touch(places, created)
        else:
            created = set()
        mine: dict[str | None, ChatEvent | None] = {
            line.key: line.event for line in fresh if line.key and line.key not in seen
        }
        return [_recorded(line, seen, mine, created) for line in lines]


def _agent_for(actor: Actor, role_agent: RoleAgent) -> RoleAgent:
    agent = visible_agents(actor).select_related("organization").filter(pk=role_agent.pk).first()
    if agent is None:
        raise NotFound("There is no such role-agent.")
    if actor.kind == ActorKind.KEY and not key_may(actor, Scope.RUNTIME):
        raise Denied("This key may not send events: it lacks the scope runtime.")
    if actor.is_person and actor.role == Role.AUDITOR:
        raise Denied("An auditor reads conversations and takes no part in them.")
    if not agent.is_active:
        raise Conflict(f"{agent.name} is disabled and takes no events.", code="agent_disabled")
    return agent


def _redact(lines: list[Line]) -> None:
    """Takes secrets out of what was said. An id can not be another one than it is, so one that holds a secret is refused."""
    errors: dict[str, list[str]] = {}
    for line in lines:
        text, author = redact(line.text), redact(line.author)
        payload, kinds = redact_json(line.payload)
        line.text, line.author = text.text, author.text[:AUTHOR_MOST]
        if found := sorted({*text.kinds, *author.kinds, *kinds}):
            line.payload = payload | {"redacted": found}
        ids = {"external_user_id": line.user, "thread_external_id": line.thread_name, "idempotency_key": line.key}
        for name, value in ids.items():
            if value and find_secrets(value):
                errors[f"{line.index}.{name}"] = ["This looks like a secret. Use an id that tells nothing."]
    if errors:
        raise Invalid("Some events are named by what looks like a secret; nothing was stored.", errors=errors)


# --- finding and creating -------------------------------------------------------------------------------------------


def _events_by_key(agent: RoleAgent, keys: list[str]) -> dict[str | None, ChatEvent]:
    if not keys:
        return {}
    events = ChatEvent.objects.without_vector().filter(role_agent=agent, idempotency_key__in=keys)
    return {event.idempotency_key: event for event in events}


def _first_of_each_key(lines: Iterable[Line]) -> list[Line]:
    kept: list[Line] = []
    keys: set[str] = set()
    for line in lines:
        if line.key is None or line.key not in keys:
            kept.append(line)
        if line.key:
            keys.add(line.key)
    return kept


def _channels(agent: RoleAgent, lines: list[Line]) -> dict[int, Channel | None]:
    """The channel of each line, by its index. A name that fits two channels is nobody's."""
    if not any(line.draft.channel_id or line.channel_name for line in lines):
        return dict.fromkeys((line.index for line in lines), None)
    assigned = list(Channel.objects.filter(role_agent=agent))
    by_name = defaultdict(list)
    for channel in assigned:
        for name in {channel.external_id, channel.name}:
            by_name[name].append(channel)
    by_id = {channel.pk: channel for channel in assigned}
    found: dict[int, Channel | None] = {}
    errors: dict[str, list[str]] = {}
    for line in lines:
        found[line.index] = None
        if line.draft.channel_id:
            if line.draft.channel_id not in by_id:
                raise NotFound("There is no such channel.")
            found[line.index] = by_id[line.draft.channel_id]
        elif line.channel_name:
            matches = by_name.get(line.channel_name, [])
            exact = [channel for channel in matches if channel.external_id == line.channel_name]
            matches = exact if len(exact) == 1 else matches
            if len(matches) == 1:
                found[line.index] = matches[0]
            else:
                what = "more than one channel" if matches else "no channel"
                errors[f"{line.index}.channel"] = [f"{agent.name} has {what} of this name or id."]
    if errors:
        raise Invalid("Some events name a channel that can not be found; nothing was stored.", errors=errors)
    return found


def _people(agent: RoleAgent, lines: list[Line]) -> dict[str, Person]:
    """Those with an id of their own, found or created."""
    wanted: dict[str, str] = {}
    for line in lines:
        if line.user:
            name = line.author if line.draft.author_kind == AuthorKind.PERSON else ""
            wanted[line.user] = wanted.get(line.user) or name
    if not wanted:
        return {}
    rows = Person.objects.filter(role_agent=agent, external_user_id__in=wanted)
    people = {str(person.external_user_id): person for person in rows}
    missing = sorted(wanted.keys() - people.keys())  # in one order everywhere, so that two batches never deadlock
    if missing:
        Person.objects.bulk_create(
            [
                Person(
                    organization_id=agent.organization_id,
                    role_agent=agent,
                    external_user_id=external_id,
                    display_name=wanted[external_id],
                )
                for external_id in missing
            ],
            ignore_conflicts=True,
        )
        people |= {str(person.external_user_id): person for person in rows.filter(external_user_id__in=missing)}
    return people


def _places(agent: RoleAgent, lines: list[Line]) -> list[_Place]:
    """The threads the lines go to, each locked until the end, so that nobody else settles whose a thread is."""
    groups: dict[tuple, list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.place].append(line)
    ids = [place[1] for place in groups if place[0] == "id"]
    names = [place[1] for place in groups if place[0] == "name"]
    found: dict[tuple, Thread] = {}
    if ids or names:
        found = _locked(agent, Q(pk__in=ids) | Q(external_id__in=names))
    if any(("id", thread_id) not in found for thread_id in ids):
        raise NotFound("There is no such conversation.")
    organization_id = agent.organization_id
    missing = sorted(name for name in names if ("name", name) not in found)
    loose = {
        place: Thread(organization_id=organization_id, role_agent=agent)
        for place in groups
        if place[0] in {"user", "line"}
    }
    named = [Thread(organization_id=organization_id, role_agent=agent, external_id=name) for name in missing]
    if named or loose:
        Thread.objects.bulk_create([*named, *loose.values()], ignore_conflicts=True)
    if missing:
        found |= _locked(agent, Q(external_id__in=missing))
    new = {thread.pk for thread in [*named, *loose.values()]}
    found |= loose
    return [_Place(found[place], group, is_new=found[place].pk in new) for place, group in groups.items()]


def _locked(agent: RoleAgent, condition: Q) -> dict[tuple, Thread]:
    """By ("id", ...) and by ("name", ...). One whose name is given may also be meant by its id: the same object."""
    rows = Thread.objects.filter(condition, role_agent=agent).order_by("pk").select_for_update(of=("self",))
    found: dict[tuple, Thread] = {}
    for thread in rows:
        found["id", thread.pk] = thread
        if thread.external_id:
            found["name", thread.external_id] = thread
    return found


def _settle_people(agent: RoleAgent, places: list[_Place], people: dict[str, Person]) -> None:
    """Whose thread is it? The first person who speaks in it, for ever; somebody without an id is bound to the thread."""
    nameless: list[Person] = []
    for place in places:
        thread = place.thread
        users = {line.user for line in place.lines if line.user}
        if len(users) > 1 or (users and thread.person_id and people[next(iter(users))].pk != thread.person_id):
            if place.lines[0].draft.thread_id:
                raise NotFound("There is no such conversation.")
            raise Conflict(
                "This conversation belongs to somebody else; nothing was stored. Use one thread for each person.",
                code="thread_of_another_person",
                events=[line.index for line in place.lines],
            )
        if thread.person_id:
            continue
        if users:
            thread.person = people[users.pop()]
        elif any(line.draft.author_kind == AuthorKind.PERSON for line in place.lines):
            thread.person = Person(organization_id=agent.organization_id, role_agent=agent)
            nameless.append(thread.person)
    if nameless:
        Person.objects.bulk_create(nameless)


def _insert(agent: RoleAgent, places: list[_Place], channels: dict[int, Channel | None]) -> set[UUID]:
    """Inserts what no other batch inserted meanwhile; the ids of what is ours."""
    keeps_text = agent.organization.stores_text
    organization: Organization = agent.organization
    now = timezone.now()
    of_line = {line.index: place.thread for place in places for line in place.lines}
    lines = sorted((line for place in places for line in place.lines), key=lambda line: line.index)
    for line in lines:
        thread, draft = of_line[line.index], line.draft
        channel = channels[line.index]
        if channel and thread.channel_id is None:
            thread.channel = channel
        line.event = ChatEvent(
            id=uuid7(),
            organization=organization,
            role_agent=agent,
            thread=thread,
            person_id=thread.person_id,
            kind=draft.kind,
            author_kind=draft.author_kind,
            author=line.author,
            author_user_id=draft.author_user_id,
            verified=draft.verified,
            text=line.text if keeps_text else "",
            payload=line.payload if keeps_text else {},
            idempotency_key=line.key,
            occurred_at=draft.occurred_at or now,
        )
    events = [line.event for line in lines if line.event is not None]
    # In one order everywhere, so that two batches that share keys wait for each other instead of deadlocking.
    ChatEvent.objects.bulk_create(sorted(events, key=lambda event: event.idempotency_key or ""), ignore_conflicts=True)
    keyed = [event.idempotency_key for event in events if event.idempotency_key]
    ours = {event.pk for event in events if not event.idempotency_key}
    if keyed:
        kept = ChatEvent.objects.filter(role_agent=agent, idempotency_key__in=keyed).values_list("pk", flat=True)
        ours |= set(kept) & {event.pk for event in events}
    return ours


def _remove_unused(places: list[_Place], created: set[UUID]) -> None:
    """Threads made for lines that turned out to be somebody else's repetition, and their nameless people."""
    unused = [place.thread for place in places if place.is_new and not _kept(place, created)]
    if unused:
        Thread.objects.filter(pk__in=[thread.pk for thread in unused]).delete()
        nameless = [t.person.pk for t in unused if t.person is not None and t.person.external_user_id is None]
        Person.objects.filter(pk__in=nameless).delete()


_TOUCH = """
    UPDATE agents_thread AS thread
    SET person_id = new.person_id, channel_id = new.channel_id, last_event_at = new.last_event_at
    FROM unnest(%(ids)s::uuid[], %(people)s::uuid[], %(channels)s::uuid[], %(times)s::timestamptz[])
        AS new (id, person_id, channel_id, last_event_at)
    WHERE thread.id = new.id
"""


def _touch(places: list[_Place], created: set[UUID]) -> None:
    threads: dict[UUID, Thread] = {}
    for place in places:
        kept = _kept(place, created)
        if kept:
            times = [event.occurred_at for event in kept]
            thread = threads.setdefault(place.thread.pk, place.thread)
            thread.last_event_at = max(times + ([thread.last_event_at] if thread.last_event_at else []))
    if not threads:
        return
    rows = list(threads.values())
    with connection.cursor() as cursor:  # a bulk_update of 500 threads takes ten times as long to put into words
        cursor.execute(
            _TOUCH,
            {
                "ids": [row.pk for row in rows],
                "people": [row.person_id for row in rows],
                "channels": [row.channel_id for row in rows],
                "times": [row.last_event_at for row in rows],
            },
        )


def _kept(place: _Place, created: set[UUID]) -> list[ChatEvent]:
    return [line.event for line in place.lines if line.event is not None and line.event.pk in created]


def _recorded(
    line: Line, seen: dict[str | None, ChatEvent], mine: dict[str | None, ChatEvent | None], created: set[UUID]
) -> Recorded:
    if line.event is not None and line.event.pk in created:
        return Recorded(line.event, True)
    event = seen.get(line.key) or mine.get(line.key)
    if event is None:  # pragma: no cover - the insert was refused by a key that nobody can see
        raise Conflict("This event was taken by another request that has not finished. Send it again.")
    return Recorded(event, False, conflict=_says_otherwise(line, event))


def _says_otherwise(line: Line, kept: ChatEvent) -> bool:
    """Not to be told where no text was kept. What was redacted then may be sent as it was, and the other way round."""
    return bool(kept.text) and line.text != kept.text and redact(line.text).text != kept.text
