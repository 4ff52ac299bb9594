"""Lists of memories: what an address or a call asks for, the page of it, and how many each filter would show."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, TrigramWordSimilarity
from django.db import connection
from django.db.models import Case, CharField, DateTimeField, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Collate, Greatest

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.text import clean
from digitalworker.common.types import Actor
from learning.choices import MemoryKind, MemoryScope, MemoryStatus, Risk, Source
from learning.models import Memory
from learning.policies import may_read_sensitive

PAGE_SIZE = 50
COUNTED_MOST = 10_000
SEARCH_MOST = 200  # characters
LOOKED_AT = 5_000  # newest memories that are compared letter by letter, when no word was found
NEAR, NEAREST = 0.3, 100  # share of letter triples that makes it worth a closer look, and how many get one
ALIKE = 0.75  # of two words, as difflib has it: two letters swapped in a word of four leave just that
WORDS_MOST = 16
YES, NO = "yes", "no"

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_AFTER_ALL_KEYS = "~"  # keys are letters, digits and _ . -
_RISK = Case(When(risk=Risk.HIGH, then=2), When(risk=Risk.MEDIUM, then=1), default=0, output_field=IntegerField())
# By name: what a person reads, the order, and what the order needs worked out.
SORTS: Mapping[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "": ("Newest first", ("-created_at", "-id"), {}),
    "used": ("Most used first", ("-use_count", "-id"), {}),
    "last_used": (
        "Last used first",
        ("-used_at", "-id"),
        {"used_at": Coalesce("last_used_at", Value(_NEVER), output_field=DateTimeField())},
    ),
    "key": (
        "By key",
        ("by_key", "id"),
        {"by_key": Collate(Coalesce("key", Value(_AFTER_ALL_KEYS), output_field=CharField()), "C")},
    ),
    "risk": ("Riskiest first", ("-by_risk", "-id"), {"by_risk": _RISK}),
}


@dataclass(frozen=True, slots=True)
class MemoryFilters:
    """What one address of a memory list shows. Empty means all; `query` gives the address back.

    `sensitive`, `autosaved` and `pinned` are "yes", "no" or empty; `unused`: never yet in an answer.
    """

    status: str = MemoryStatus.ACTIVE
    scope: str = ""
    kind: str = ""
    search: str = ""
    person: str = ""
    risk: str = ""
    sensitive: str = ""
    source: str = ""
    autosaved: str = ""
    pinned: str = ""
    unused: bool = False
    reviewer: str = ""
    sort: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "MemoryFilters":
        """From an address. What means nothing there is passed over, so that an old link still opens a list."""

        def known(name: str, values, otherwise: str = "") -> str:
            value = query.get(name, "")
            return value if value in values else otherwise

        return cls(
            status=known("status", MemoryStatus.values, MemoryStatus.ACTIVE),
            scope=known("scope", MemoryScope.values),
            kind=known("kind", MemoryKind.values),
            search=clean(query.get("q", ""))[:SEARCH_MOST],
            person=str(_uuid(query.get("person", "")) or ""),
            risk=known("risk", Risk.values),
            sensitive=known("sensitive", (YES, NO)),
            source=known("source", Source.values),
            autosaved=known("autosaved", (YES, NO)),
            pinned=known("pinned", (YES, NO)),
            unused=query.get("unused") == YES,
            reviewer=clean(query.get("reviewer", ""))[:SEARCH_MOST],
            sort=known("sort", SORTS),
        )

    @property
    def asked(self) -> dict[str, str]:
        """The filters in use by the names they have in an address."""
        words = {
            "status": "" if self.status == MemoryStatus.ACTIVE else str(self.status),
            "scope": self.scope,
            "kind": self.kind,
            "q": self.search,
            "person": self.person,
            "risk": self.risk,
            "sensitive": self.sensitive,
            "source": self.source,
            "autosaved": self.autosaved,
            "pinned": self.pinned,
            "unused": YES if self.unused else "",
            "reviewer": self.reviewer,
            "sort": self.sort,
        }
        return {name: word for name, word in words.items() if word}

    @property
    def query(self) -> str:
        return urlencode(self.asked)

    @property
    def narrowed(self) -> bool:
        """Whether it asks for less than everything in its status."""
        return bool(self.asked.keys() - {"status", "sort"})

    @property
    def finer(self) -> int:
        """How many filters are on that have no chip of their own."""
        return len(self.asked.keys() - {"status", "sort", "scope", "kind", "q", "person"})

    @property
    def tells(self) -> bool:
        """Whether being on this list, or where on it, tells of a hidden memory what is hidden of it."""
        said = self.search or self.kind or self.risk or self.source or self.autosaved
        return bool(said) or self.sort in {"key", "risk"}

    def but(self, **changes) -> "MemoryFilters":
        return replace(self, **changes)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


# --- rows ---------------------------------------------------------------------------------------------------------
def parts_of(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters | None = None) -> list[QuerySet[Memory]]:
    """All an agent may draw on, its people's and the organisation's included; for None the organisation's alone. As parts
    that each have an index: together they are one list.

    The caller has found that the actor sees this agent, or for None any agent.
    """
    asked = filters or MemoryFilters(status="")
    memories = Memory.objects.filter(organization_id=actor.organization_id).defer("tsv")
    everyones = memories.filter(scope=MemoryScope.ORGANIZATION)
    if agent is None or asked.scope == MemoryScope.ORGANIZATION:
        parts = [everyones]
    elif asked.scope or asked.person:
        parts = [memories.filter(role_agent=agent)]
    else:
        parts = [memories.filter(role_agent=agent), everyones]
    return [narrowed(actor, part, asked) for part in parts]


def narrowed(actor: Actor, memories: QuerySet[Memory], filters: MemoryFilters) -> QuerySet[Memory]:
    """Those of `memories` that the filters ask for. Where the answer would tell what a hidden one says, hidden ones are
    left out."""
    same = ("status", "scope", "kind", "risk", "source")
    exact: dict[str, Any] = {name: value for name in same if (value := getattr(filters, name))}
    for name in ("sensitive", "autosaved", "pinned"):
        if value := getattr(filters, name):
            exact[name] = value == YES
    if filters.person:
        exact["person_id"] = filters.person
    if filters.unused:
        exact["use_count"] = 0
    if filters.reviewer:
        exact["reviewer_label__icontains"] = filters.reviewer
    memories = memories.filter(**exact)
    if filters.search:
        memories = memories.filter(tsv=_words(filters.search))
    if filters.tells and not may_read_sensitive(actor):
        memories = memories.filter(sensitive=False)
    return memories


def _words(text: str) -> SearchQuery:
    """All of the words, each of which may be the beginning of a longer one. Quotes keep a phrase together and a minus
    excludes, as people know it; then words are whole."""
    exactly = SearchQuery(text, search_type="websearch", config="english")
    if '"' in text or re.search(r"(^|\s)-\w", text):
        return exactly
    beginnings = " & ".join(f"'{word}':*" for word in re.findall(r"\w+", text)[:WORDS_MOST])
    return exactly | SearchQuery(beginnings, search_type="raw", config="english") if beginnings else exactly


def memories_page(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters, cursor: str = "") -> Page[Memory]:
    first, *also = _sorted(parts_of(actor, agent, filters), filters)
    return page(first, cursor, order=SORTS[filters.sort][1], size=PAGE_SIZE, also=also)


def _sorted(parts: list[QuerySet[Memory]], filters: MemoryFilters) -> list[QuerySet[Memory]]:
    worked_out = SORTS[filters.sort][2]
    return [part.annotate(**worked_out).select_related("person", "role_agent") for part in parts]


def look_alikes(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters) -> list[Memory]:
    """For a search that found no word: what holds it as a piece of text, or is spelled much like it, among the newest.

    Full text sees no part of a word, no script without spaces, no emoji and no slip of the pen.
    """
    found: list[Memory] = []
    text = filters.search
    for part in parts_of(actor, agent, filters.but(search="")):
        if not may_read_sensitive(actor):
            part = part.filter(sensitive=False)
        newest = part.order_by("-created_at", "-id").values("pk")[:LOOKED_AT]
        spelled = Greatest(
            TrigramWordSimilarity(text, "content"),
            TrigramWordSimilarity(text, Coalesce("key", Value(""), output_field=CharField())),
        )
        near = Memory.objects.filter(pk__in=newest).defer("tsv").annotate(near=spelled)
        holds = Q(content__icontains=text) | Q(key__icontains=text) | Q(near__gte=NEAR)
        found += near.filter(holds).select_related("person", "role_agent").order_by("-near", "-id")[:NEAREST]
    alike = [memory for memory in found if _is_alike(text.lower(), f"{memory.key or ''} {memory.content}".lower())]
    return sorted(alike, key=lambda memory: -memory.near)[:PAGE_SIZE]  # type: ignore[attr-defined]  # annotated above


def _is_alike(asked: str, said: str) -> bool:
    """Whether each word that was asked for is there, or one much like it. Letter triples alone take too much for alike."""
    if asked in said:
        return True
    words = set(re.findall(r"[^\W_]+", said))
    asked_words = re.findall(r"[^\W_]+", asked)[:WORDS_MOST]
    return bool(asked_words) and all(get_close_matches(word, words, n=1, cutoff=ALIKE) for word in asked_words)


# --- all of them --------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Exportable:
    """All that the actor may read of what was asked for."""

    parts: list[QuerySet[Memory]]

    @property
    def count(self) -> int:
        return sum(part.count() for part in self.parts)

    def in_batches(self, size: int = 1000) -> Iterator[list[Memory]]:
        """Oldest first, one batch in memory at a time."""
        first, *also = [part.select_related("person") for part in self.parts]
        cursor: str | None = ""
        while cursor is not None:
            found = page(first, cursor, order=("created_at", "id"), size=size, also=also)
            yield found.rows
            cursor = found.next


def exportable(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters) -> Exportable:
    """As `parts_of`; what everyone knows is not for a key that is limited to some role-agents."""
    parts = parts_of(actor, agent, filters)
    if actor.agent_ids is not None:
        if agent is None:
            raise NotFound("This key is limited to some role-agents. Say of which one.")
        parts = [part.exclude(scope=MemoryScope.ORGANIZATION) for part in parts]
    return Exportable(parts if may_read_sensitive(actor) else [part.filter(sensitive=False) for part in parts])


# --- counts -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Facets:
    """How many memories each filter would show, from one grouped query over scope, kind and sensitivity, of the newest
    COUNTED_MOST; `more`: there are more, so that only the sum can be told, as a lower bound."""

    cells: list[tuple[str, str, int]] = field(default_factory=list)
    more: bool = False

    def count(self, *, scope: str = "", kind: str = "") -> int:
        return sum(n for s, k, n in self.cells if (not scope or s == scope) and (not kind or k == kind))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind in MemoryKind.values if any(k == kind for _, k, _ in self.cells)]

    @property
    def scopes(self) -> list[str]:
        return [scope for scope in MemoryScope.values if any(s == scope for s, _, _ in self.cells)]


def facets(actor: Actor, agent: RoleAgent | None, filters: MemoryFilters) -> Facets:
    """Within all filters but scope and kind."""
    rows = _counted(parts_of(actor, agent, filters.but(scope="", kind="")), "scope", "kind", "sensitive")
    reads_all = may_read_sensitive(actor)
    cells = [(scope, kind if reads_all or not hidden else "", number) for scope, kind, hidden, number in rows]
    return Facets(cells, more=sum(number for _, _, number in cells) > COUNTED_MOST)


def live_count(actor: Actor, agent: RoleAgent) -> int | str:
    """For a tab: exact up to COUNTED_MOST."""
    parts = parts_of(actor, agent, MemoryFilters())
    number = sum(number for _, number in _counted(parts, "scope"))
    return f"{COUNTED_MOST:,}+" if number > COUNTED_MOST else number


def _counted(parts: list[QuerySet[Memory]], *names: str) -> list[tuple]:
    """How many rows there are of each value of `names`, looking at the newest COUNTED_MOST + 1 of each part."""
    newest = [part.order_by("-created_at", "-id").values_list(*names)[: COUNTED_MOST + 1] for part in parts]
    # Django groups no union, so it is asked for the union alone.
    sql, parameters = newest[0].union(*newest[1:], all=True).query.sql_with_params()
    columns = ", ".join(names)
    with connection.cursor() as cursor:
        # Made of field names and of what Django wrote; values are parameters.
        cursor.execute(f"SELECT {columns}, count(*) FROM ({sql}) AS newest GROUP BY {columns}", parameters)  # noqa: S608
        return cursor.fetchall()
