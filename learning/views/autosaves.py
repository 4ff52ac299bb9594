"""What was saved without asking, for the manager's weekly look: kept or undone where it stands."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.web import member_required, revision_of
from digitalworker.common.errors import Conflict, Refused
from digitalworker.common.paging import Page
from digitalworker.console.addresses import local, with_query
from digitalworker.console.toasts import toast
from learning import words
from learning.actions.autosave import keep_autosave, undo_autosave
from learning.models import Memory
from learning.policies import may_change, memory_actions
from learning.selectors import autosaves, inbox
from learning.selectors.autosaves import COUNTED_MOST, LABELS, NEW, Saved, SavedFilters
from learning.selectors.evidence import Evidence

NOTHING_YET = {
    "kind": "new",
    "title": "Nothing was saved without asking",
    "text": "Low-risk facts of a role-agent from senders whose identity was checked will be listed here, week by week.",
}
ALL_SEEN = {
    "kind": "done",
    "title": "All looked at",
    "text": "Nothing that was saved without asking waits for a look.",
    "label": "Look at what was kept",
}
NONE_SUCH = {
    "kind": "filter",
    "title": "Nothing matches",
    "text": "Nothing that was saved without asking is like this.",
    "label": "Show what is not looked at",
}


@require_GET
@member_required
def autosaved(request: HttpRequest) -> HttpResponse:
    return render(request, "learning/autosaved.html", {"review": Review.of(request)})


@require_POST
@member_required
def undo(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    done = "Undone. No answer uses it any more, and the same words are not saved again for a month."
    return _act(request, memory_id, undo_autosave, done, back="learning:restore_memory")


@require_POST
@member_required
def keep(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    return _act(request, memory_id, keep_autosave, "Kept. From now on nothing replaces it without asking.")


def _act(
    request: HttpRequest, memory_id: UUID, action: Callable[..., Memory], done: str, *, back: str = ""
) -> HttpResponse:
    here = local(request, request.POST.get("next", ""), reverse("learning:memory", args=[memory_id]))
    try:
        memory = action(actor=request.actor, memory_id=memory_id, revision=revision_of(request))
    except (Conflict, Refused) as error:
        toast(request, error.detail, tone="warn")
        return redirect(here)
    undo = reverse(back, args=[memory.pk]) + f"?revision={memory.revision}" if back else ""
    toast(request, done, tone="ok", undo=undo, label="Restore")
    return redirect(here)


@dataclass
class Review:
    """The page for one request: four queries, and the template runs none."""

    request: HttpRequest
    filters: SavedFilters
    agents: dict[str, RoleAgent]
    page: Page[Memory]
    counts: dict[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, request: HttpRequest) -> "Review":
        filters, agents = SavedFilters.read(request.GET), inbox.inbox_agents(request.actor)
        page = autosaves.saved_page(request.actor, filters, request.GET.get("cursor", ""))
        return cls(request, filters, agents, page, autosaves.counts(request.actor))

    def href(self, filters: SavedFilters) -> str:
        return with_query(reverse("learning:autosaved"), filters.query)

    def _count(self, state: str, agent: str) -> str:
        """A least number where there are more than are counted."""
        number = sum(n for (code, s), n in self.counts.items() if s == state and agent in {"", code})
        counted = sum(n for (_, s), n in self.counts.items() if (s == NEW) == (state == NEW))
        return intcomma(min(number, COUNTED_MOST)) + ("+" if counted > COUNTED_MOST else "")

    @property
    def chips(self) -> list[dict[str, Any]]:
        own = self.filters
        return [
            {
                "label": label,
                "href": self.href(own.but(state=state)),
                "count": self._count(state, own.agent),
                "current": state == own.state,
            }
            for state, label in LABELS.items()
        ]

    @property
    def agent_chips(self) -> list[dict[str, Any]]:
        """The agents there is anything of, once there is a choice."""
        own = self.filters
        codes = [code for code in self.agents if any(key[0] == code for key in self.counts) or code == own.agent]
        if len(codes) < 2 and not own.agent:
            return []
        named = [(self.agents[code].name, code) for code in codes]
        return [
            {
                "label": label,
                "href": self.href(own.but(agent=code)),
                "count": self._count(own.state, code),
                "current": code == own.agent,
            }
            for label, code in [("All agents", ""), *named]
        ]

    @property
    def weeks(self) -> list[dict[str, Any]]:
        return [
            {"title": _week(monday), "rows": [self._row(saved) for saved in rows]}
            for monday, rows in autosaves.by_week(self.page.rows)
        ]

    @property
    def _first(self) -> UUID | None:
        """Where a person goes on after a decision: the row that took the place of the decided one."""
        rows = self.page.rows
        decided = self.request.GET.get("after", "")
        return (
            next((row.pk for row in rows if str(row.pk) < decided), rows[-1].pk if rows else None) if decided else None
        )

    def _row(self, saved: Saved) -> dict[str, Any]:
        memory = saved.memory
        memory.organization = self.request.organization
        hidden = words.hidden_from(self.request.actor, memory)
        event = memory.event
        refs = {str(ref.get("id")): ref for ref in memory.source_refs}
        ref = refs.get(str(memory.event_id), {})
        spans = [(ref["start"], ref["end"])] if "start" in ref and "end" in ref else []
        return {
            "memory": memory,
            "hidden": hidden,
            "name": "the sensitive memory" if hidden else words.plain(str(memory)),
            "href": reverse("learning:memory", args=[memory.pk]),
            "about": words.about(memory, self.request.organization.name),
            "evidence": Evidence(event, spans) if event else None,
            "more": memory.evidence_count - 1,
            "replaced": [old for old in saved.replaced if not words.hidden_from(self.request.actor, old)],
            "looked": memory.reviewer_label if memory.reviewed_at else "",
            "may_keep": not hidden and "keep" in memory_actions(self.request.actor, memory),
            "may_undo": not hidden and may_change(self.request.actor, memory) and saved.state != autosaves.UNDONE,
            "next": self._address_after(memory),
            "focus": memory.pk == self._first,
        }

    def _address_after(self, memory: Memory) -> str:
        address = self.request.GET.copy()
        address["after"] = str(memory.pk)
        return with_query(reverse("learning:autosaved"), address.urlencode())

    @property
    def empty_words(self) -> dict[str, str]:
        if not self.counts:
            return NOTHING_YET
        if self.filters.state == NEW and not self.filters.agent:
            return ALL_SEEN | {"href": self.href(SavedFilters(state=autosaves.KEPT))}
        return NONE_SUCH | {"href": self.href(SavedFilters())}


def _week(monday: date) -> str:
    today = timezone.localdate()
    ago = (today - timedelta(days=today.weekday()) - monday).days // 7
    if ago < 2:
        return "Last week" if ago else "This week"
    return f"Week of {date_format(monday, 'j F Y' if monday.year != today.year else 'j F')}"
