"""What the inbox page shows for one request: the list, the open item, or both."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from digitalworker.agents.models import RoleAgent
from digitalworker.common.once import once_a_request
from digitalworker.common.paging import Page
from digitalworker.console.addresses import with_query
from digitalworker.console.reveal import reveal
from learning import words
from learning.choices import ItemStatus, MemoryKind
from learning.models import LearningItem
from learning.policies import allowed_actions, may_read_sensitive
from learning.selectors import evidence, inbox
from learning.selectors.inbox import COUNTED_MOST, Filters, Place

LAST_DECISION = "last_decision"  # session key: [item id, revision, organisation] of what Undo takes back


@dataclass
class Desk:
    """Computed once for a request; the template reads it and runs no query of its own."""

    request: HttpRequest
    filters: Filters
    agents: dict[str, RoleAgent]
    item: LearningItem | None = None
    page: Page[LearningItem] = field(default_factory=lambda: Page([], None, None))
    place: Place = field(default_factory=Place)
    base: str = ""  # the address of the list, where it is a tab of a role-agent's page

    @classmethod
    def of(cls, request: HttpRequest) -> "Desk":
        return cls(request, Filters.read(request.GET), inbox.inbox_agents(request.actor))

    @property
    def cursor(self) -> str:
        """The page of the list that is shown; a form brings it along, as the list's own address may have gone on."""
        return self.request.POST.get("cursor") or self.request.GET.get("cursor", "")

    # --- addresses ------------------------------------------------------------------------------------------------
    def href(self, filters: Filters | None = None) -> str:
        filters = filters or self.filters
        if self.base:
            return with_query(self.base, filters.but(agent="").query)
        return with_query(reverse("learning:inbox"), filters.query)

    def item_href(self, item_id, action: str = "item") -> str:
        """An address of an item that keeps the list beside it: its filters and its page."""
        page = urlencode({"cursor": self.cursor}) if self.cursor else ""
        return with_query(
            reverse(f"learning:{action}", args=[item_id]), "&".join(filter(None, (self.filters.query, page)))
        )

    @property
    def home(self) -> str:
        return self.base or reverse("learning:inbox")

    @property
    def hrefs(self) -> dict[str, str]:
        """The addresses of the open item, by what they do; `older` and `newer` are its neighbours."""
        if self.item is None:
            return {}
        hrefs = {"here": self.item_href(self.item.pk)}
        hrefs |= {name: self.item_href(self.item.pk, name) for name in ("approve", "reject", "edit", "reopen")}
        if self.place.older:
            hrefs["older"] = self.item_href(self.place.older)
        if self.place.newer:
            hrefs["newer"] = self.item_href(self.place.newer)
        return hrefs

    # --- the list -------------------------------------------------------------------------------------------------
    @property
    def reviewable(self) -> frozenset:
        return inbox.reviewable(self.request.actor, self.agents)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [self.row(item) for item in self.page]

    def row(self, item: LearningItem) -> dict[str, Any]:
        hidden = words.hidden_from(self.request.actor, item)
        return {
            "id": f"row-{item.pk}",
            "href": self.item_href(item.pk),
            "title": "Sensitive proposal" if hidden else reveal(words.shortened(item.title, 140)),
            "text": words.row_text(item, self.request.organization.name, hidden=hidden),
            "at": item.created_at if item.is_pending else item.decided_at,
            "chips": words.row_chips(item, hidden=hidden, pending_list=self.filters.status == ItemStatus.PENDING),
            "current": self.item is not None and self.item.pk == item.pk,
        }

    @property
    def chips(self) -> list[dict[str, Any]]:
        """Each filter as a link with the number of rows behind it; decided lists are long, so only their total is counted."""
        pending = self.filters.status == ItemStatus.PENDING
        chips = [self._status_chip(status) for status in (ItemStatus.PENDING, *inbox.DECIDED)]
        for name, label in (("sensitive", "Sensitive"), ("mine", "Mine"), ("older", "Older than a day")):
            on = getattr(self.filters, name)
            target = self.filters.but(**{name: not on})
            count = self._waiting(self.filters.but(**{name: True})) if pending else None
            if on or (count if pending else name == "sensitive"):
                chips.append({"label": label, "href": self.href(target), "count": count, "current": on})
        return chips

    def _status_chip(self, status: ItemStatus) -> dict[str, Any]:
        current = self.filters.status == status
        count: int | str | None = None
        if status == ItemStatus.PENDING:
            count = self._waiting(self.filters.but(status=status, older=False) if not current else self.filters)
        elif current:
            number = inbox.decided_count(self.request.actor, self.filters)
            count = f"{COUNTED_MOST:,}+" if number > COUNTED_MOST else number
        target = self.filters if current else self.filters.but(status=status, older=False)
        return {"label": status.label, "href": self.href(target), "count": count, "current": current}

    def _waiting(self, filters: Filters) -> int:
        return waiting_of(self.request).count(filters, self.agents)

    @property
    def agent_choices(self) -> list[dict[str, Any]]:
        """The agents to choose from, once there is a choice."""
        if len(self.agents) < 2 or self.base:
            return []
        return [
            {
                "code": code,
                "name": agent.name,
                "count": self._count_of_agent(code),
                "current": code == self.filters.agent,
            }
            for code, agent in self.agents.items()
        ]

    def _count_of_agent(self, code: str) -> int | None:
        return self._waiting(self.filters.but(agent=code)) if self.filters.status == ItemStatus.PENDING else None

    @property
    def kind_choices(self) -> list[dict[str, Any]]:
        pending = self.filters.status == ItemStatus.PENDING
        kinds = waiting_of(self.request).kinds if pending else MemoryKind.values
        if self.filters.kind and self.filters.kind not in kinds:
            kinds = [*kinds, self.filters.kind]
        return [
            {
                "value": kind,
                "label": MemoryKind(kind).label,
                "count": self._waiting(self.filters.but(kind=kind)) if pending else None,
                "current": kind == self.filters.kind,
            }
            for kind in kinds
        ]

    @property
    def shown(self) -> str:
        """The ids of the rows, for the forms to say which of them the browser has."""
        return " ".join(str(row.pk) for row in self.page)

    @property
    def total(self) -> int | None:
        return self._waiting(self.filters) if self.filters.status == ItemStatus.PENDING else None

    @property
    def empty(self) -> bool:
        return not len(self.page)

    @property
    def empty_words(self) -> dict[str, str]:
        """Which kind of nothing this is: nothing for this person, no match, all decided, or nothing yet."""
        if self.filters.status == ItemStatus.PENDING and self._waiting(self.filters):
            return words.FOR_OTHERS
        if self.filters.narrowed or self.filters.status != ItemStatus.PENDING:
            return words.NOTHING_MATCHES | {"href": self.home}
        if inbox.anything_decided(self.request.actor):
            return words.ALL_DECIDED | {"href": self.href(self.filters.but(status=ItemStatus.APPROVED))}
        return words.NOTHING_YET

    @property
    def agent(self) -> RoleAgent | None:
        return self.agents.get(self.filters.agent)

    # --- the open item --------------------------------------------------------------------------------------------
    @property
    def actions(self) -> dict[str, Any]:
        if self.item is None:
            return {}
        return {t.name: t for t in allowed_actions(self.request.actor, self.item, reviewable=self.reviewable)}

    @property
    def undo(self) -> dict[str, str] | None:
        """The last decision of this person in this session, if it is not the item that is open."""
        last = self.request.session.get(LAST_DECISION)
        if not last or last[2] != str(self.request.actor.organization_id):
            return None
        if self.item is not None and str(self.item.pk) == last[0]:
            return None
        return {"href": self.item_href(last[0], "reopen"), "revision": last[1]}


@once_a_request
@once_a_request
def waiting_of(request: HttpRequest) -> inbox.Waiting:
    """The pending counts: the badge, the sidebar and the chips share them."""
    return inbox.waiting(request.actor)


def show(desk: Desk, *, status: int = 200, **extra) -> HttpResponse:
    """The whole page, or for htmx the work pane with what changed around it."""
    request = desk.request
    context = {"desk": desk, **extra}
    if desk.item is not None:
        context |= detail(desk, desk.item)
    piece = request.htmx and not request.htmx.history_restore_request
    return render(request, "learning/inbox.html#answer" if piece else "learning/inbox.html", context, status=status)


def detail(desk: Desk, item: LearningItem) -> dict[str, Any]:
    """Everything about the open item; nothing of a sensitive one for somebody who may not read it."""
    actor = desk.request.actor
    if words.hidden_from(actor, item):
        return {"item": item, "hidden": True, "summary": words.hidden_summary(item)}
    organization = desk.request.organization.name
    pending = item.is_pending
    known = evidence.known_beside(actor, item, organization) if pending else None
    held = known.held if known else None
    return {
        "item": item,
        "evidence": evidence.evidence_of(item),
        "known": known,
        "reads_all": may_read_sensitive(actor),
        "similar": evidence.similar_memories(actor, item, known),
        "summary": words.summary(item, organization, decides="approve" in desk.actions, held=held),
        "checks": words.checks(item),
        "facts": words.proposal_facts(item, actor),
        "budget": words.budget(item, known, organization) if known else None,
    }
