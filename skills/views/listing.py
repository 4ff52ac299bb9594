"""The tab Skills of a role-agent."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.page import agent_page
from digitalworker.agents.web import member_required
from digitalworker.common.paging import Page
from digitalworker.console.addresses import with_query
from skills import reading, words
from skills.actions.export import export_skills
from skills.choices import SkillStatus
from skills.models import Skill
from skills.reading import Filters

from .files import zipped


@require_GET
@member_required
def agent_skills(request: HttpRequest, code: str) -> HttpResponse:
    context = agent_page(request, code, "skills")
    return render(request, "skills/agent_skills.html", context | {"list": Listed.of(request, context["agent"])})


@require_POST
@member_required
def export_agent(request: HttpRequest, code: str) -> HttpResponse:
    """Its own skills as an archive. A POST, because handing them out is itself audited."""
    agent = agent_page(request, code, "skills")["agent"]
    return zipped(export_skills(actor=request.actor, role_agent=agent), f"skills-{agent.code}")


@dataclass(frozen=True, slots=True)
class Listed:
    request: HttpRequest
    agent: RoleAgent
    filters: Filters
    page: Page[Skill]
    counts: dict[str, int]

    @classmethod
    def of(cls, request: HttpRequest, agent: RoleAgent) -> "Listed":
        filters, cursor = Filters.read(request.GET), request.GET.get("cursor", "")
        page = reading.skills_page(request.actor, agent, filters, cursor)
        return cls(request, agent, filters, page, reading.counts(request.actor, agent, filters))

    def href(self, filters: Filters) -> str:
        return with_query(reverse("skills:agent_skills", args=[self.agent.code]), filters.query)

    @property
    def chips(self) -> list[dict[str, Any]]:
        return [
            {
                "label": status.label,
                "href": self.href(self.filters.but(status=status)),
                "count": f"{self.counts.get(status, 0):,}",
                "current": status == self.filters.status,
            }
            for status in SkillStatus
        ]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [words.row(self.request.actor, skill, self.request.organization.name) for skill in self.page]

    @property
    def empty_words(self) -> dict[str, str]:
        if self.filters.search:
            return words.NONE_MATCHES | {"href": self.href(self.filters.but(search="")), "label": "Show all"}
        if self.filters.status == SkillStatus.PAUSED:
            return words.NONE_PAUSED
        if self.filters.status == SkillStatus.ARCHIVED:
            return words.NONE_ARCHIVED
        return words.NONE_YET
