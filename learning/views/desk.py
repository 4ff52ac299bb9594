"""What the inbox page shows for one request: the list, the open item, or both."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.tabs import agents_seen
from digitalworker.common.once import once_a_request
from digitalworker.common.paging import Page
from digitalworker.console.addresses import with_query
from digitalworker.console.reveal import reveal
from learning import words
from learning.choices import ItemStatus, Why
from learning.models import LearningItem, SavedView
from learning.policies import TRANSITIONS, allowed_actions
from learning.selectors import inbox, views
from learning.selectors.filters import AGEING, ARCHIVE_MOST, ME, Filters
from learning.selectors.groups import Group
from learning.selectors.inbox import ALIKE_COUNTED, COUNTED_MOST, Place

from . import pane
from .labels import labels

LAST_DECISION = "last_decision"  # session key: [item id, revision, organisation] of what Undo takes back
LAST_BULKS = (
    "last_bulks"  # session key: what came of the latest bulk decisions, by the word that names each in an address
)
VIEWS = "Views"
LEFT_MOST = 20  # links to items that a bulk decision left
TICKED_MOST = 200  # rows on a page of a list that comes ticked


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
        return cls(request, Filters.read(request.GET), inbox.inbox_agents(request.actor, agents_seen(request)))

    @property
    def cursor(self) -> str:
        """The page of the list that is shown; a form brings it along, as the list's own address may have gone on."""
        return self.request.POST.get("cursor") or self.request.GET.get("cursor", "")

    @property
    def ticked(self) -> bool:
        """Whether the list comes with all its rows ticked, and with as many as can be decided at once."""
        return self.request.GET.get("ticked") == "1"

    @property
    def size(self) -> int:
        return TICKED_MOST if self.ticked else inbox.PAGE_SIZE

    # --- addresses ------------------------------------------------------------------------------------------------
    def href(self, filters: Filters | None = None, /, **more: str) -> str:
        filters = filters or self.filters
        if self.base:
            return with_query(self.base, _joined(filters.but(agent="").query, more))
        # Without any word the inbox opens with the view somebody chose for it, where they did.
        plain = "status=pending" if self.default_view and not filters.query else filters.query
        return with_query(reverse("learning:inbox"), _joined(plain, more))

    def item_href(self, item_id, action: str = "item") -> str:
        """An address of an item that keeps the list beside it: its filters and its page."""
        page = {"cursor": self.cursor} if self.cursor else {}
        return with_query(reverse(f"learning:{action}", args=[item_id]), _joined(self.filters.query, page))

    @property
    def page_kept(self) -> dict[str, str]:
        """What leads back to the same page of the list."""
        return ({"cursor": self.cursor} if self.cursor else {}) | ({"ticked": "1"} if self.ticked else {})

    def page_href(self, name: str, **more: str) -> str:
        """An address beside the list that comes back to it: its filters and its page go along."""
        return with_query(reverse(f"learning:{name}"), _joined(self.filters.query, self.page_kept | more))

    @property
    def side_hrefs(self) -> dict[str, str]:
        """What is done to the list as a whole. `all` shows as many rows as can be decided at once, ticked."""
        names = ("filter", "groups", "views", "bulk")
        return {name: self.page_href(name) for name in names} | {"all": self.href(ticked="1")}

    @property
    def home(self) -> str:
        return self.base or reverse("learning:inbox")

    @cached_property
    def hrefs(self) -> dict[str, str]:
        """The addresses of the open item, by what they do; `older` and `newer` are its neighbours."""
        if self.item is None:
            return {}
        hrefs = {"here": self.item_href(self.item.pk)}
        hrefs |= {name: self.item_href(self.item.pk, name) for name in TRANSITIONS}
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
        chips = words.row_chips(item, hidden=hidden, pending_list=self.filters.status == ItemStatus.PENDING)
        alike = 0 if hidden else getattr(item, "alike_count", 0)
        if alike > 1:
            chips.append(
                words.chip(f"{alike} alike" if alike <= ALIKE_COUNTED else f"{ALIKE_COUNTED}+ alike", plain=True)
            )
        return {
            "id": f"row-{item.pk}",
            "href": self.item_href(item.pk),
            "title": "Sensitive proposal" if hidden else reveal(words.shortened(item.title, 140)),
            "text": words.row_text(item, self.request.organization.name, hidden=hidden),
            "at": item.created_at if item.is_pending else item.decided_at,
            "chips": chips,
            "current": self.item is not None and self.item.pk == item.pk,
            "value": self._tick(item),
        }

    def group_row(self, group: Group) -> dict[str, Any]:
        """One of a group, its newest, standing for all: the link leads to every one of them, ticked."""
        item = group.newest
        filters = self.filters.but(agent=item.role_agent.code, alike=item.alike, status=ItemStatus.PENDING)
        return self.row(item) | {
            "id": f"group-{item.pk}",
            "href": self.href(filters, ticked="1"),
            "text": words.group_text(item, group.count),
            "at": group.oldest_at,
            "value": "",
        }

    def _tick(self, item: LearningItem) -> str:
        """What a ticked row says was shown; nothing where the actor may not decide the item."""
        if not item.is_pending or not allowed_actions(self.request.actor, item, reviewable=self.reviewable):
            return ""
        return f"{item.pk}.{item.revision}.{item.digest}.{item.replaces_seen}"

    @property
    def tickable(self) -> bool:
        return not self.base and any(self._tick(item) for item in self.page)

    @property
    def chips(self) -> list[dict[str, Any]]:
        """The states, and what is asked of a list most, each with its number of rows: links that switch it on and off."""
        waiting, pending = waiting_of(self.request), self.filters.status == ItemStatus.PENDING
        states = [ItemStatus.PENDING] if pending else [ItemStatus.PENDING, ItemStatus(self.filters.status)]
        chips = [self._status_chip(status) for status in states]
        quick = {
            "For you": ("yours", True) if 0 < waiting.for_me < waiting.all or self.filters.yours else None,
            "Assigned to you": ("assignee", ME),
            "Sensitive": ("sensitive", True),
            "Ageing": ("age", str(AGEING.days)),
        }
        for label, (name, value) in ((label, each) for label, each in quick.items() if each):
            on = getattr(self.filters, name) == value
            count = self.count(self.filters.but(**{name: value})) if pending else None
            if on or count or (name == "sensitive" and not pending):
                target = self.filters.but(**{name: type(value)() if on else value})
                chips.append({"label": label, "href": self.href(target), "count": count, "current": on})
        return chips

    @property
    def active(self) -> list[dict[str, str]]:
        """The filters that are on and have no chip of their own, each as a link that takes it away."""
        return [
            {"label": label, "href": self.href(self.filters.but(**{name: type(getattr(self.filters, name))()}))}
            for name, label in labels(self.filters, self.request.actor).items()
            if not (self.base and name == "agent")
        ]

    def _status_chip(self, status: ItemStatus) -> dict[str, Any]:
        current = self.filters.status == status
        target = self.filters if current else self.filters.but(status=status, age="", yours=False)
        count: int | str | None = None
        if status == ItemStatus.PENDING and not current:
            count = self.count(target)
        elif current:
            count = self.total if isinstance(self.total, int) else f"{COUNTED_MOST:,}+"
        label = "All pending" if status == ItemStatus.PENDING and not self.filters.narrowed else status.label
        return {"label": label, "href": self.href(target), "count": count, "current": current}

    def count(self, filters: Filters) -> int | None:
        """How many pending items these filters leave; None where that is not known without looking."""
        return waiting_of(self.request).count(filters, self.agents)

    # --- what a bulk decision left ----------------------------------------------------------------------------------
    @cached_property
    def left(self) -> list[dict[str, Any]]:
        """The items that the last bulk decision did not decide, with why, as far as the actor still sees them."""
        result = self.request.session.get(LAST_BULKS, {}).get(self.request.GET.get("bulk", ""))
        if not result or not result["left"]:
            return []
        items = inbox.find_items(self.request.actor, list(result["left"])[:LEFT_MOST])
        return [self.row(item) | {"why": result["left"][str(item.pk)]} for item in items]

    # --- views ----------------------------------------------------------------------------------------------------
    @cached_property
    def saved_views(self) -> list[SavedView]:
        return list(views.views_of(self.request.actor)) if self.request.actor.is_person else []

    @property
    def default_view(self) -> SavedView | None:
        return next((view for view in self.saved_views if view.is_default), None)

    @cached_property
    def views(self) -> list[dict[str, Any]]:
        """Those everybody has, then the person's own; the number beside it where it costs nothing."""
        own = [(view.name, Filters.read(QueryDict(view.query))) for view in self.saved_views]
        return [
            {
                "label": label,
                "href": self.href(filters),
                "count": self.count(filters),
                "current": filters == self.filters,
                "first_own": number == len(views.BUILT_IN),
            }
            for number, (label, filters) in enumerate([*views.BUILT_IN.items(), *own])
        ]

    @property
    def view_name(self) -> str:
        return next((view["label"] for view in self.views if view["current"]), VIEWS)

    @property
    def keepable(self) -> bool:
        """Whether these filters are worth a name: some are on, and no view has them yet."""
        return bool(self.filters.query) and self.view_name == VIEWS

    @property
    def described(self) -> list[str]:
        """All filters that are on, in words."""
        return [chip["label"] for chip in self.chips if chip["current"]] + [each["label"] for each in self.active]

    @property
    def agent_choices(self) -> list[dict[str, Any]]:
        """The agents to choose from, once there is a choice."""
        if len(self.agents) < 2 or self.base:
            return []
        return [
            {
                "name": agent.name,
                "href": self.href(self.filters.but(agent=code)),
                "count": self.count(self.filters.but(agent=code)),
                "current": code == self.filters.agent,
            }
            for code, agent in self.agents.items()
        ]

    @property
    def shown(self) -> str:
        """The ids of the rows, for the forms to say which of them the browser has."""
        return " ".join(str(row.pk) for row in self.page)

    @cached_property
    def total(self) -> int | None:
        """How many rows the whole list has; None where there are too many to count."""
        known = self.count(self.filters)
        if known is None and not (self.page.next or self.page.previous or self.cursor):
            known = len(self.page)
        if known is None:
            found = inbox.capped_count(self.request.actor, self.filters)
            known = found if found <= COUNTED_MOST else None
        return known

    reasons = Why.choices

    @property
    def more_than_shown(self) -> str:
        """The words of the link to everything that fits, ticked, as far as it can be decided at once."""
        more = self.page.next or self.page.previous
        if not more or self.ticked:
            return ""
        if self.total is not None and self.total <= TICKED_MOST:
            return f"Tick all {self.total:,} of the list"
        return f"Tick the first {TICKED_MOST} of {self.total or f'{COUNTED_MOST:,}+'}"

    @property
    def pager_words(self) -> tuple[str, str]:
        """What lies before and after a page of this list."""
        return {"oldest": ("Older", "Newer"), "": ("Newer", "Older")}.get(self.filters.sort, ("Back", "On"))

    @property
    def looked_through(self) -> str:
        """Says it where a list does not reach back to the first decision."""
        if not self.filters.looks_through:
            return ""
        return f"Only the {ARCHIVE_MOST:,} {ItemStatus(self.filters.status).label.lower()} last are looked through."

    @property
    def empty(self) -> bool:
        return not len(self.page)

    @property
    def empty_words(self) -> dict[str, str]:
        """Which kind of nothing this is: nothing for this person, no match, all decided, or nothing yet."""
        everybodys = self.filters.but(yours=False)
        pending = self.filters.status == ItemStatus.PENDING
        if pending and (len(self.page) or self.count(everybodys)):
            return words.FOR_OTHERS
        if everybodys.narrowed or not pending:
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
        if last[1] is None:
            return {"href": self.page_href("undo_bulk", bulk=last[0]), "revision": ""}
        return {"href": self.item_href(last[0], "reopen"), "revision": last[1]}


def _joined(query: str, more: dict[str, str]) -> str:
    return "&".join(filter(None, (query, urlencode(more))))


@once_a_request
def waiting_of(request: HttpRequest) -> inbox.Waiting:
    """The pending counts: the badge, the sidebar and the chips share them."""
    return inbox.waiting(request.actor)


def show(desk: Desk, *, status: int = 200, **extra) -> HttpResponse:
    """The whole page, or for htmx the work pane with what changed around it."""
    request = desk.request
    context = {"desk": desk, **extra}
    if desk.item is not None:
        context |= pane.detail(request.actor, desk.item, request.organization.name, actions=desk.actions)
    piece = request.htmx and not request.htmx.history_restore_request
    return render(request, "learning/inbox.html#answer" if piece else "learning/inbox.html", context, status=status)
