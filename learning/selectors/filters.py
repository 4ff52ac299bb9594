"""What one address of the inbox shows, and in which order. The console, saved views and the API ask the same way."""

from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import BooleanField, Case, F, Func, IntegerField, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Length
from django.http import QueryDict
from django.utils import timezone

from digitalworker.common.paging import IsOneOf
from digitalworker.common.text import clean
from digitalworker.common.types import Actor
from learning.choices import ItemKind, ItemStatus, MemoryKind, MemoryScope, Risk, Source
from learning.models import LearningItem
from learning.policies import decidable, may_read_sensitive

AGEING, LATE = timedelta(days=3), timedelta(days=7)  # from here on a pending item is marked, and marked in red
AGES = {"1": "a day", "3": "3 days", "7": "a week", "30": "30 days"}
ME, NOBODY = "me", "nobody"
ANYTHING = "any"
PERSONAL = "personal"
ARCHIVE_MOST = 10_000  # decided ones of each state that are looked through where no index helps, the newest
DECIDED = (ItemStatus.APPROVED, ItemStatus.REJECTED, ItemStatus.SUPERSEDED)
KINDS = {**dict(MemoryKind.choices), **{kind.value: str(kind.label) for kind in ItemKind if kind != ItemKind.MEMORY}}
WORDS_MOST, SEARCH_MOST = 8, 200

# What a reviewer calls what screening found, and the families of rules behind it (the part of a rule's id before the dot).
# Whatever is none of the others tries to steer the agent.
STEERING = "steering"
FINDINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    STEERING: ("Tries to steer the agent", ()),
    "leak": ("Tries to get at data", ("exfiltrate", "reveal", "beacon", "credential")),
    "hidden": ("Hidden or disguised text", ("hidden", "mixed-script", "markup", "comment")),
    "excess": ("Asks for too much", ("excess",)),
    "danger": ("Dangerous procedure", ("danger",)),
    "others": ("Personal data of somebody else", ("pii",)),
    "matters": ("Health, legal or staff matters", ("category",)),
}
FINDING_LABELS = {
    ANYTHING: "Anything found",
    **{name: label for name, (label, _) in FINDINGS.items()},
    PERSONAL: "Personal data",
}
SORTS = {
    "": "Newest first",
    "oldest": "Oldest first",
    "risk": "Highest risk first",
    "size": "Largest first",
}
_RANKS: dict[str, int] = {Risk.LOW: 1, Risk.MEDIUM: 2, Risk.HIGH: 3}


@dataclass(frozen=True, slots=True)
class Filters:
    """Empty means all; `query` gives the address back, and `read` takes it.

    `status` is empty for whatever state (only the API asks so), `assignee` is "me", "nobody" or a user's id, `age` a least
    number of days, `updates` what replaces something, `yours` what the actor may decide, `alike` what is about the same as
    one item (its hash).
    """

    status: str = ItemStatus.PENDING
    agent: str = ""
    kind: str = ""
    scope: str = ""
    risk: str = ""
    sensitive: bool = False
    assignee: str = ""
    age: str = ""
    finding: str = ""
    source: str = ""
    channel: str = ""
    updates: bool = False
    yours: bool = False
    alike: str = ""
    q: str = ""
    sort: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "Filters":
        """From an address; a word that means nothing here is passed over, a bookmark must not break."""

        def known(name: str, values, otherwise: str = "") -> str:
            return value if (value := query.get(name, "")) in values else otherwise

        status = known("status", ItemStatus.values, ItemStatus.PENDING)
        assignee, alike = query.get("assignee", ""), query.get("alike", "")
        return cls(
            status=status,
            agent=clean(query.get("agent", ""))[:40],
            kind=known("kind", KINDS),
            scope=known("scope", MemoryScope.values),
            risk=known("risk", Risk.values),
            sensitive=query.get("sensitive") == "1",
            assignee=assignee if assignee in {ME, NOBODY} or _is_id(assignee) else "",
            age=known("age", AGES) if status == ItemStatus.PENDING else "",
            finding=known("finding", FINDING_LABELS),
            source=known("source", Source.values),
            channel=_uuid(query.get("channel", "")),
            updates=query.get("updates") == "1",
            yours=query.get("yours") == "1" and status == ItemStatus.PENDING,
            alike=alike if len(alike) == 32 and set(alike) <= set("0123456789abcdef") else "",
            q=clean(query.get("q", ""))[:SEARCH_MOST],
            sort=known("sort", SORTS),
        )

    @property
    def query(self) -> str:
        words = {
            name: "1" if value is True else str(value)
            for name, value in self._set()
            if (name, value) != ("status", ItemStatus.PENDING)
        }
        return urlencode(words)

    def _set(self) -> list[tuple[str, Any]]:
        return [(field.name, value) for field in fields(self) if (value := getattr(self, field.name))]

    @property
    def narrowed(self) -> bool:
        """Whether it leaves anything of a status out."""
        return any(name not in {"status", "sort"} for name, _ in self._set())

    @property
    def looks_inside(self) -> bool:
        """Whether a hit tells what an item says or is: then what the actor may not read is left out."""
        inside = (self.kind, self.scope, self.risk, self.finding, self.source, self.channel, self.alike, self.q)
        return any(inside) or self.updates

    @property
    def looks_through(self) -> bool:
        """Whether what was decided has to be read to tell what fits, or in which order: only the newest of it are."""
        plain = {"status", "agent", "sort"}
        read = self.sort in {"risk", "size"} or any(name not in plain for name, _ in self._set())
        return self.status != ItemStatus.PENDING and read

    def but(self, **changes) -> "Filters":
        return replace(self, **changes)

    @property
    def order(self) -> tuple[str, ...]:
        column = {"risk": "-rank", "size": "-room"}.get(self.sort)
        if column:
            return (column, "-id")
        way = "" if self.sort == "oldest" else "-"
        return (f"{way}id",) if self.status not in DECIDED else (f"{way}decided_at", f"{way}id")

    def place(self, actor: Actor, item: LearningItem) -> list | None:
        """The values of `order` for an item that did not come from the list; None where it has no place in it."""
        hidden = item.sensitive and not may_read_sensitive(actor)
        payload = item.proposed_payload
        room = len(payload.get("content") or "") + len(payload.get("key") or "")
        values = {
            "rank": 0 if hidden else _RANKS[item.risk],
            "room": 0 if hidden else room,
            "decided_at": item.decided_at,
            "id": item.pk,
        }
        found = [values[name.lstrip("-")] for name in self.order]
        return None if None in found else found


def apply(actor: Actor, items: QuerySet[LearningItem], filters: Filters) -> QuerySet[LearningItem]:
    """Of `items`, which the actor sees, those that fit, with what the order needs."""
    if filters.agent:
        items = items.filter(role_agent__code=filters.agent)
    if filters.looks_through:
        items = items.filter(_lately(items, filters.status))
    plain = {
        "status": filters.status,
        "proposed_payload__scope": filters.scope,
        "risk": filters.risk,
        "source": filters.source,
        "thread__channel_id": filters.channel,
        "alike": filters.alike,
        "sensitive": filters.sensitive,
    }
    items = items.filter(**{name: value for name, value in plain.items() if value})
    if filters.kind in MemoryKind.values:
        items = items.filter(kind=ItemKind.MEMORY, proposed_payload__kind=filters.kind)
    elif filters.kind:
        items = items.filter(kind=filters.kind)
    if filters.assignee:
        items = items.filter(_assigned(actor, filters.assignee))
    if filters.age:
        items = items.filter(created_at__lt=timezone.now() - timedelta(days=int(filters.age)))
    if filters.finding:
        items = items.filter(_found(filters.finding))
    if filters.updates:
        items = items.filter(UPDATES)
    for word in filters.q.split()[:WORDS_MOST]:
        items = items.filter(_says(word))
    if filters.yours:
        items = decidable(actor, items)
    reads_all = may_read_sensitive(actor)
    if filters.looks_inside and not reads_all:
        items = items.filter(sensitive=False)
    return _with_order(items, filters, reads_all)


UPDATES = Q(replaces__isnull=False) | Q(kind__in=[ItemKind.SKILL_UPDATE, ItemKind.SOUL_UPDATE])


def _lately(items: QuerySet[LearningItem], status: str) -> IsOneOf:
    """The newest decided ones, and whatever waits, of those that the actor sees and of the agent that is asked for."""

    def newest(state: str) -> QuerySet:
        found = items.filter(status=state).values("pk")
        return found.order_by("-decided_at", "-id")[:ARCHIVE_MOST] if state in DECIDED else found

    first, *others = map(newest, [status] if status else ItemStatus.values)
    return IsOneOf("pk", first.union(*others, all=True) if others else first)


def _assigned(actor: Actor, assignee: str) -> Q:
    if assignee == NOBODY:
        return Q(assigned_to__isnull=True)
    return Q(assigned_to_id=actor.user_id if assignee == ME else int(assignee))


def _found(finding: str) -> Q:
    if finding == ANYTHING:
        return ~Q(findings=[])
    if finding == PERSONAL:
        return ~Q(pii_entities=[])
    others = [family for _, names in FINDINGS.values() for family in names]
    families = "|".join(FINDINGS[finding][1] or others)
    fits = f'@.rule like_regex "^({families})([.]|$)"'
    return Q(
        Func(
            F("findings"),
            Value(f"$[*] ? (!({fits}))" if finding == STEERING else f"$[*] ? ({fits})"),
            template="jsonb_path_exists(%(expressions)s::jsonpath)",
            output_field=BooleanField(),
        )
    )


def _says(word: str) -> Q:
    columns = [f"proposed_payload__{name}" for name in ("content", "key", "name", "description")]
    columns += ["person__external_user_id", "person__display_name"]
    says = Q()
    for column in columns:
        says |= Q(**{f"{column}__icontains": word})
    return says


def _with_order(items: QuerySet[LearningItem], filters: Filters, reads_all: bool) -> QuerySet[LearningItem]:
    """Where the order would tell how grave or how long something unreadable is, that counts as nothing."""
    if filters.sort not in {"risk", "size"}:
        return items
    unread = [] if reads_all else [When(sensitive=True, then=Value(0))]
    if filters.sort == "risk":
        ranks = [When(risk=risk, then=Value(rank)) for risk, rank in _RANKS.items()]
        return items.annotate(rank=Case(*unread, *ranks, output_field=IntegerField()))
    words = (Coalesce(Length(Cast(KT(f"proposed_payload__{name}"), TextField())), 0) for name in ("content", "key"))
    return items.annotate(room=Case(*unread, default=sum(words, Value(0)), output_field=IntegerField()))


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        return ""
