"""What this app shows in the shell, on home and on a role-agent's pages."""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from digitalworker.agents.choices import Role
from digitalworker.agents.dashboard import Card, register_agent_badge, register_dashboard_card, register_overview_card
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import visible_agents
from digitalworker.agents.tabs import SETTINGS, is_member, sees_agents
from digitalworker.audit.evidence import register_history
from digitalworker.audit.links import href, register_detail, register_link
from digitalworker.common.types import Actor
from digitalworker.console.addresses import with_query
from digitalworker.console.registry import (
    NavItem,
    PaletteEntry,
    Shortcut,
    Tab,
    register_nav,
    register_palette,
    register_shortcuts,
    register_tab,
)

from . import operations_words, words
from .choices import MemoryScope
from .models import LearningItem, Memory
from .policies import may_read_row, reads_operations, visible_items
from .selectors import autosaves, inbox, library, memories, operations, views
from .selectors.filters import Filters
from .views.desk import waiting_of

INBOX = "Learning Inbox"
BADGE_MOST = 999  # as much as fits beside the word


def decides(request: HttpRequest) -> bool:
    return sees_agents(request) and request.actor.role != Role.AUDITOR


def runs_it(request: HttpRequest) -> bool:
    return is_member(request) and reads_operations(request.actor)


def badge(request: HttpRequest) -> int | str:
    """What waits for this person; an auditor decides nothing, so nothing waits for them."""
    number = waiting_of(request).for_me if decides(request) else 0
    return number if number <= BADGE_MOST else f"{BADGE_MOST}+"


def assigned_badge(request: HttpRequest) -> int | str:
    number = waiting_of(request).assigned
    return number if number <= BADGE_MOST else f"{BADGE_MOST}+"


def has_assigned(request: HttpRequest) -> bool:
    return decides(request) and waiting_of(request).assigned > 0


def agent_badges(request: HttpRequest) -> dict[UUID, int]:
    waiting = waiting_of(request)
    return {cell.agent_id: waiting.for_me_of(cell.agent_id) for cell in waiting.cells}


def inbox_count(request: HttpRequest, agent: RoleAgent) -> int | None:
    return waiting_of(request).of_agent(agent.pk) or None


def memory_count(request: HttpRequest, agent: RoleAgent) -> int | str | None:
    return library.live_count(request.actor, agent) or None


# --- cards --------------------------------------------------------------------------------------------------------
def waiting_stat(request: HttpRequest) -> Card:
    if not decides(request):
        return None
    waiting = waiting_of(request)
    note = "open the inbox" if waiting.for_me else "all decided"
    return "components/stat.html", {
        "label": "Waiting for your review",
        "value": f"{waiting.for_me:,}",
        "note": note,
        "href": reverse("learning:inbox"),
    }


def autosaved_stat(request: HttpRequest) -> Card:
    """What policy let in and nobody has looked at, for who answers for it; no card while there is nothing."""
    number = autosaves.not_looked_at(request.actor) if decides(request) else 0
    if not number:
        return None
    return "components/stat.html", {
        "label": "Saved without asking",
        "value": f"{number:,}" if number <= autosaves.COUNTED_MOST else f"{autosaves.COUNTED_MOST:,}+",
        "note": "not looked at yet",
        "href": reverse("learning:autosaved"),
    }


def waiting_card(request: HttpRequest) -> Card:
    """The newest proposals, for who decides."""
    if not decides(request) or not waiting_of(request).for_me:
        return None
    return "learning/cards/waiting.html", {"rows": _rows(request, Filters(), 5), "href": reverse("learning:inbox")}


def decided_card(request: HttpRequest) -> Card:
    """What was approved lately, by whom."""
    if not sees_agents(request):
        return None
    filters = Filters(status="approved")
    rows = _rows(request, filters, 5)
    return ("learning/cards/decided.html", {"rows": rows, "href": _inbox(filters)}) if rows else None


def agent_waiting_stat(request: HttpRequest, agent: RoleAgent) -> Card:
    waiting = waiting_of(request)
    return "components/stat.html", {
        "label": "Waiting for review",
        "value": f"{waiting.of_agent(agent.pk):,}",
        "note": "open its inbox" if waiting.of_agent(agent.pk) else "nothing waits",
        "href": reverse("learning:agent_inbox", args=[agent.code]),
    }


def agent_triage_stat(request: HttpRequest, agent: RoleAgent) -> Card:
    """How little of what is said costs a closer look."""
    lately = operations.lately_of_agent(agent)
    if not lately.looked_at:
        return None
    return "components/stat.html", {
        "label": "Set aside at first sight",
        "value": operations_words.triage_share(lately),
        "note": f"of the last {lately.looked_at:,} messages",
    }


def agent_memory_card(request: HttpRequest, agent: RoleAgent) -> Card:
    found = memories.most_used(request.actor, agent)
    if not found:
        return None
    href = reverse("learning:agent_memory", args=[agent.code]) + "?sort=used"
    return "learning/cards/most_used.html", {"memories": found, "href": href, "organization": request.organization.name}


def _rows(request: HttpRequest, filters: Filters, most: int) -> list[dict]:
    """Proposals as short lines; of a sensitive one only that it exists, for who may not read it."""
    rows = []
    for item in inbox.inbox_page(request.actor, filters, size=most):
        hidden = words.hidden_from(request.actor, item)
        rows.append(
            {
                "href": with_query(reverse("learning:item", args=[item.pk]), filters.query),
                "title": "Sensitive proposal" if hidden else words.shortened(item.title, 100),
                "text": words.row_text(item, request.organization.name, hidden=hidden),
                "at": item.created_at if item.is_pending else item.decided_at,
            }
        )
    return rows


def _inbox(filters: Filters) -> str:
    return with_query(reverse("learning:inbox"), filters.query)


# --- palette ------------------------------------------------------------------------------------------------------
def in_palette(request: HttpRequest, query: str) -> list[PaletteEntry]:
    """The lists of the inbox by name. Words inside proposals are for the inbox and memory pages, not for here."""
    if not sees_agents(request):
        return []
    return [
        PaletteEntry("Approved proposals", _inbox(Filters(status="approved")), hint=INBOX, keywords="decided learned"),
        PaletteEntry("Rejected proposals", _inbox(Filters(status="rejected")), hint=INBOX, keywords="decided refused"),
        PaletteEntry("Sensitive proposals", _inbox(Filters(sensitive=True)), hint=INBOX, keywords="guarded"),
        PaletteEntry("Ageing proposals", _inbox(views.BUILT_IN["Ageing"]), hint=INBOX, keywords="late old"),
        PaletteEntry("Similar proposals, together", reverse("learning:groups"), hint=INBOX, keywords="groups alike"),
        PaletteEntry("Views of the inbox", reverse("learning:views"), hint=INBOX, keywords="saved filters"),
    ]


def linkable(actor: Actor) -> QuerySet[Memory]:
    """`visible_memories` for who reads an audit, and so sees an agent: that they do is not asked once more."""
    own = Q(role_agent__in=visible_agents(actor).values("pk")) | Q(scope=MemoryScope.ORGANIZATION)
    return Memory.objects.filter(own, organization_id=actor.organization_id)


register_nav(NavItem(INBOX, "learning:inbox", "inbox", 10, sees_agents, badge, go="i"))
register_nav(NavItem("Assigned to you", "learning:assigned", "user", 11, has_assigned, assigned_badge))
register_nav(NavItem("Saved without asking", "learning:autosaved", "bookmark", 20, sees_agents))
register_nav(
    NavItem("Memory of everyone", "learning:organization_memory", "book-open", 505, sees_agents, section=SETTINGS)
)
register_nav(NavItem("Operations", "learning:operations", "bolt", 560, runs_it, section=SETTINGS))
register_agent_badge(agent_badges)
register_palette(in_palette)
register_tab(Tab("memory", "Memory", "learning:agent_memory", 30, count=memory_count))
register_tab(Tab("inbox", INBOX, "learning:agent_inbox", 50, count=inbox_count))
register_dashboard_card(10, waiting_stat, "stat")
register_dashboard_card(15, autosaved_stat, "stat")
register_dashboard_card(10, waiting_card)
register_dashboard_card(60, decided_card, "side")
register_overview_card(10, agent_waiting_stat, "stat")
register_overview_card(20, agent_memory_card)
register_overview_card(30, agent_triage_stat, "stat")
register_link("memory", lambda pk: reverse("learning:memory", args=[pk]), linkable)
register_link("detection", lambda pk: href("event", pk))
register_link("learningitem", lambda pk: reverse("learning:item", args=[pk]), visible_items)
for name in ("memory", "superseded", "withdrawn", "restored"):
    register_detail(name, "memory")
register_history(Memory, may_read_row, without=("pii_entities", "source_refs", "detector", "confidence"))
register_history(LearningItem, may_read_row, without=("source_refs", "findings", "confidence", "pii_entities"))
register_shortcuts(
    Shortcut("a", "Approve and go on", INBOX),
    Shortcut("e", "Edit before approval", INBOX),
    Shortcut("r", "Reject, with a reason if you like", INBOX),
    Shortcut("z", "Undo the last decision", INBOX),
    Shortcut("s", "Mark as sensitive", INBOX),
    Shortcut("j", "Next", INBOX),
    Shortcut("k", "Previous", INBOX),
    Shortcut("/", "Filter", INBOX),
    Shortcut("x", "Tick, or untick", INBOX),
    Shortcut("Shift+X", "Tick all on this page", INBOX),
    Shortcut("Shift+A", "Approve the ticked", INBOX),
    Shortcut("Shift+R", "Reject the ticked", INBOX),
    Shortcut("Shift+S", "Mark the ticked as sensitive", INBOX),
    Shortcut("Ctrl+Enter", "Send what you are typing in", INBOX),
)
