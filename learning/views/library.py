"""A list of memories with its filters, for one role-agent or for the organisation."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

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
from learning.models import Memory
from learning.selectors import memories
from learning.selectors.memories import Facets, MemoryFilters


@dataclass
class Library:
    request: HttpRequest
    agent: RoleAgent | None
    filters: MemoryFilters
    page: Page[Memory]
    facets: Facets

    @classmethod
    def of(cls, request: HttpRequest, agent: RoleAgent | None) -> "Library":
        """Two queries: the page, and the counts of its filters."""
        filters = MemoryFilters.read(request.GET)
        page = memories.memories_page(request.actor, agent, filters, request.GET.get("cursor", ""))
        return cls(request, agent, filters, page, memories.facets(request.actor, agent, filters))

    @property
    def home(self) -> str:
        if self.agent is None:
            return reverse("learning:organization_memory")
        return reverse("learning:agent_memory", args=[self.agent.code])

    @property
    def add_href(self) -> str:
        """Where to write one by hand; empty for who may not."""
        if self.agent is None:
            return reverse("learning:add_organization_memory") if self.request.actor.is_admin else ""
        allowed = self.request.actor.is_admin or self.request.actor.role == Role.MEMBER
        return reverse("learning:add_agent_memory", args=[self.agent.code]) if allowed else ""

    def href(self, filters: MemoryFilters) -> str:
        return with_query(self.home, filters.query)

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What a search carries along from the address."""
        return parse_qsl(self.filters.but(search="").query)

    @property
    def chips(self) -> list[dict[str, Any]]:
        own = self.filters
        chips = [
            {
                "label": status.label,
                "href": self.href(own.but(status=status)),
                "count": intcomma(self.facets.count(scope=own.scope, kind=own.kind)) if status == own.status else None,
                "current": status == own.status,
            }
            for status in MemoryStatus
        ]
        if self.agent is not None:
            chips += [self._chip("scope", s, MemoryScope(s).label, scope=s, kind=own.kind) for s in self._scopes]
        chips += [self._chip("kind", k, MemoryKind(k).label, scope=own.scope, kind=k) for k in self._kinds]
        most = own.sort == "used"
        chips.append(
            {
                "label": "Most used first",
                "href": self.href(own.but(sort="" if most else "used")),
                "count": None,
                "current": most,
            }
        )
        return chips

    @property
    def _scopes(self) -> list[str]:
        return _with(self.facets.scopes, self.filters.scope)

    @property
    def _kinds(self) -> list[str]:
        return _with(self.facets.kinds, self.filters.kind)

    def _chip(self, name: str, value: str, label: str, **counted: str) -> dict[str, Any]:
        current = getattr(self.filters, name) == value
        target = self.filters.but(**{name: "" if current else value})
        return {
            "label": label,
            "href": self.href(target),
            "count": intcomma(self.facets.count(**counted)),
            "current": current,
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        organization = self.request.organization.name
        return [self._row(memory, organization) for memory in self.page]

    def _row(self, memory: Memory, organization: str) -> dict[str, Any]:
        hidden = words.hidden_from(self.request.actor, memory)
        return {
            "href": reverse("learning:memory", args=[memory.pk]),
            "title": "Sensitive memory" if hidden else reveal(words.shortened(str(memory), 160)),
            "sub": "An owner or admin can read it" if hidden else words.origin(memory),
            "about": words.about(memory, organization),
            "kind": "" if hidden else words.KIND_WORDS[MemoryKind(memory.kind)],
            "risk": None
            if hidden
            else (memory.get_risk_display().split()[0].lower(), words.RISK_TONES[Risk(memory.risk)]),
            "sensitive": memory.sensitive,
            "let_in_by": memory.reviewer_label,
            "uses": memory.use_count,
            "last_used_at": memory.last_used_at,
        }

    @property
    def empty_words(self) -> dict[str, str]:
        if self.filters.narrowed or self.filters.status != MemoryStatus.ACTIVE:
            return words.NO_MEMORY_MATCHES | {"href": self.home}
        return words.NO_MEMORY_YET | ({"href": self.add_href, "label": "Write the first one"} if self.add_href else {})


def _with(values: list[str], current: str) -> list[str]:
    """A filter that is on stays visible, also when nothing is left behind it."""
    return values if not current or current in values else [*values, current]
