"""A list of memories with its filters, for one role-agent or for the organisation."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest
from django.urls import reverse

from digitalworker.agents.choices import Role
from digitalworker.agents.models import RoleAgent
from digitalworker.common.paging import Page
from digitalworker.console.addresses import with_query
from digitalworker.console.reveal import reveal
from learning import words
from learning.choices import MemoryKind, MemoryScope, MemoryStatus, Risk
from learning.library_forms import FinerForm
from learning.models import Memory
from learning.selectors import library as memories
from learning.selectors.library import COUNTED_MOST, Facets, MemoryFilters


@dataclass
class Library:
    """`alike`: no memory holds the words that were searched for; these are spelled much like them."""

    request: HttpRequest
    agent: RoleAgent | None
    filters: MemoryFilters
    page: Page[Memory]
    facets: Facets
    alike: list[Memory] = field(default_factory=list)

    @classmethod
    def of(cls, request: HttpRequest, agent: RoleAgent | None) -> "Library":
        """The page, and the counts of its filters; where a search finds nothing, also what is spelled much like it."""
        filters, cursor = MemoryFilters.read(request.GET), request.GET.get("cursor", "")
        page = memories.memories_page(request.actor, agent, filters, cursor)
        facets = memories.facets(request.actor, agent, filters)
        missed = filters.search and not page.rows and not cursor
        alike = memories.look_alikes(request.actor, agent, filters) if missed else []
        return cls(request, agent, filters, page, facets, alike)

    # --- addresses ------------------------------------------------------------------------------------------------
    @property
    def home(self) -> str:
        return self._href("memory")

    def _href(self, name: str) -> str:
        if self.agent is None:
            return reverse(f"learning:organization_{name}")
        return reverse(f"learning:agent_{name}", args=[self.agent.code])

    @property
    def may_add(self) -> bool:
        """Whoever sees an agent and is no auditor is an admin or manages it."""
        actor = self.request.actor
        return actor.is_admin or (self.agent is not None and actor.role == Role.MEMBER)

    @property
    def add_href(self) -> str:
        """Where to write one by hand, or propose it; empty for who may not."""
        if not self.may_add:
            return ""
        if self.agent is None:
            if self.request.organization.separation_of_duties:  # there is nobody to propose it to
                return ""
            return reverse("learning:add_organization_memory")
        return reverse("learning:add_agent_memory", args=[self.agent.code])

    @property
    def import_href(self) -> str:
        is_offered = self.may_add and not self.request.organization.separation_of_duties
        return self._href("memory_import") if is_offered else ""

    @property
    def export_href(self) -> str:
        return self._href("memory_export")

    def href(self, filters: MemoryFilters) -> str:
        return with_query(self.home, filters.query)

    # --- filters --------------------------------------------------------------------------------------------------
    @property
    def asked(self) -> list[tuple[str, str]]:
        return list(self.filters.asked.items())

    @property
    def kept_by_search(self) -> list[tuple[str, str]]:
        """What a search carries along from the address."""
        return list(self.filters.but(search="").asked.items())

    @property
    def kept_by_finer(self) -> list[tuple[str, str]]:
        return [(name, word) for name, word in self.asked if name not in FinerForm.base_fields]

    @property
    def finer(self) -> FinerForm:
        return FinerForm.of(self.filters)

    @property
    def unfiltered(self) -> str:
        """This status with nothing else asked."""
        return self.href(MemoryFilters(status=self.filters.status))

    @property
    def chips(self) -> list[dict[str, Any]]:
        own = self.filters
        chips = [
            {
                "label": status.label,
                "href": self.href(own.but(status=status)),
                "count": self._count(scope=own.scope, kind=own.kind) if status == own.status else None,
                "current": status == own.status,
            }
            for status in MemoryStatus
        ]
        if self.agent is not None:
            scopes = _with(self.facets.scopes, own.scope)
            chips += [self._chip("scope", s, MemoryScope(s).label, scope=s, kind=own.kind) for s in scopes]
        kinds = _with(self.facets.kinds, own.kind)
        chips += [self._chip("kind", k, MemoryKind(k).label, scope=own.scope, kind=k) for k in kinds]
        if own.person:
            shown = next((str(memory.person) for memory in self.page if memory.person), "one person")
            chips.append(
                {"label": f"About {shown}", "href": self.href(own.but(person="")), "count": None, "current": True}
            )
        return chips

    def _count(self, **asked: str) -> str | None:
        if not self.facets.more:
            return intcomma(self.facets.count(**asked))
        return None if any(asked.values()) else f"{COUNTED_MOST:,}+"

    def _chip(self, name: str, value: str, label: str, **counted: str) -> dict[str, Any]:
        current = getattr(self.filters, name) == value
        target = self.filters.but(**{name: "" if current else value})
        return {"label": label, "href": self.href(target), "count": self._count(**counted), "current": current}

    # --- rows -----------------------------------------------------------------------------------------------------
    @property
    def rows(self) -> list[dict[str, Any]]:
        organization = self.request.organization.name
        return [self._row(memory, organization) for memory in (self.alike or self.page)]

    def _row(self, memory: Memory, organization: str) -> dict[str, Any]:
        hidden = words.hidden_from(self.request.actor, memory)
        of_person = self.agent is not None and memory.person_id
        return {
            "memory": memory,
            "hidden": hidden,
            "href": reverse("learning:memory", args=[memory.pk]),
            "title": "Sensitive memory" if hidden else reveal(words.shortened(str(memory), 160)),
            "sub": "An owner or admin can read it" if hidden else words.origin(memory),
            "about": words.about(memory, organization),
            "about_href": self.href(self.filters.but(person=str(memory.person_id))) if of_person else "",
            "kind": "" if hidden else words.KIND_WORDS[MemoryKind(memory.kind)],
            "risk": None
            if hidden
            else (memory.get_risk_display().split()[0].lower(), words.RISK_TONES[Risk(memory.risk)]),
            "sensitive": memory.sensitive,
            "let_in_by": memory.reviewer_label or ("policy" if memory.autosaved and not hidden else ""),
            "pinned": memory.pinned,
            "uses": memory.use_count,
            "last_used_at": memory.last_used_at,
        }

    @property
    def empty_words(self) -> dict[str, str]:
        if self.filters.narrowed:
            return words.NO_MEMORY_MATCHES | {"href": self.unfiltered}
        if self.filters.status == MemoryStatus.SUPERSEDED:
            return NOTHING_REPLACED
        if self.filters.status == MemoryStatus.DELETED:
            return NOTHING_DELETED
        return words.NO_MEMORY_YET | ({"href": self.add_href, "label": "Write the first one"} if self.add_href else {})


NOTHING_REPLACED = {
    "kind": "done",
    "title": "Nothing was replaced",
    "text": "A memory whose key got a newer value stays readable here.",
}
NOTHING_DELETED = {
    "kind": "done",
    "title": "Nothing was deleted",
    "text": "A deleted memory is in no answer, stays readable here and can be restored.",
}


def _with(values: list[str], current: str) -> list[str]:
    """A filter that is on stays visible, also when nothing is left behind it."""
    return values if not current or current in values else [*values, current]
