"""What this app shows in the shell."""

from collections.abc import Callable
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from digitalworker.audit.evidence import register_history
from digitalworker.audit.links import register_link
from digitalworker.common.once import answered, once_a_request
from digitalworker.common.types import Actor
from digitalworker.console.registry import (
    NavItem,
    PaletteEntry,
    SidebarLink,
    SidebarSection,
    Tab,
    register_nav,
    register_organization_switch,
    register_palette,
    register_sidebar,
    register_tab,
)

from . import policies
from .choices import Role
from .dashboard import agent_badges
from .models import ApiKey, FeatureAccess, Membership, Organization, PromptTemplate, RoleAgent

SETTINGS = "Settings"
AGENTS_IN_SIDEBAR = 12


def is_member(request: HttpRequest) -> bool:
    return getattr(request, "actor", None) is not None


def is_admin(request: HttpRequest) -> bool:
    return is_member(request) and request.actor.is_admin


def sees_agents(request: HttpRequest) -> bool:
    """Owners, admins, auditors, and members who manage a role-agent."""
    if not is_member(request):
        return False
    return is_admin(request) or request.actor.role == Role.AUDITOR or bool(sidebar_agents(request))


@once_a_request
def agents_seen(request: HttpRequest) -> list[RoleAgent]:
    """All role-agents this person sees, by name, with what names them: for a page that offers each, or counts by them."""
    return list(policies.visible_agents(request.actor).only("id", "code", "name", "organization_id"))


@once_a_request
def sidebar_agents(request: HttpRequest) -> list[RoleAgent]:
    """The first of them, and one more if there are more; without a query where the page asked for all."""
    most = AGENTS_IN_SIDEBAR + 1
    known = answered(request, agents_seen)
    return known[:most] if known is not None else list(policies.visible_agents(request.actor)[:most])


@once_a_request
def waiting(request: HttpRequest) -> dict[UUID, int]:
    """What waits for this person, by role-agent. An auditor decides nothing, so nothing waits."""
    return {} if request.actor.role == Role.AUDITOR else agent_badges(request)


def agents_section(request: HttpRequest) -> SidebarSection | None:
    if not is_member(request) or not sidebar_agents(request):
        return None
    role, numbers = request.actor.role, waiting(request)
    current = getattr(request, "current_agent", None)
    links = [
        SidebarLink(
            agent.name,
            reverse("agents:agent", args=[agent.code]),
            badge=numbers.get(agent.pk),
            hot=role == Role.MEMBER,
            current=agent == current,
        )
        for agent in sidebar_agents(request)[:AGENTS_IN_SIDEBAR]
    ]
    if len(sidebar_agents(request)) > AGENTS_IN_SIDEBAR:
        links.append(SidebarLink("All role-agents", reverse("agents:list")))
    return SidebarSection("Your agents" if role == Role.MEMBER else "Role-agents", links)


def agents_in_palette(request: HttpRequest, query: str) -> list[PaletteEntry]:
    if not is_member(request):
        return []
    agents = policies.visible_agents(request.actor)
    for word in query.split()[:5]:
        agents = agents.filter(name__icontains=word) | agents.filter(code__icontains=word)
    return [
        PaletteEntry(agent.name, reverse("agents:agent", args=[agent.code]), kind="Role-agent", keywords=agent.code)
        for agent in agents.order_by("name", "id")[:8]
    ]


register_nav(NavItem("Home", "agents:home", "home", 0, is_member, go="h"))
register_nav(NavItem("Audit", "agents:audit", "clipboard-document-list", 90, sees_agents, go="a"))
register_nav(NavItem("Role-agents", "agents:list", "cpu-chip", 500, is_admin, section=SETTINGS))
register_nav(NavItem("Members", "agents:members", "users", 510, is_admin, section=SETTINGS))
register_nav(NavItem("API keys", "agents:keys", "key", 520, is_admin, section=SETTINGS))
register_nav(NavItem("AI access", "agents:access", "adjustments-horizontal", 530, is_admin, section=SETTINGS))
register_nav(NavItem("Prompts", "agents:prompts", "chat-bubble-bottom-center-text", 540, is_admin, section=SETTINGS))
register_nav(NavItem("Organisation", "agents:organization", "building-office", 550, is_admin, section=SETTINGS))
register_sidebar(200, agents_section)
register_palette(agents_in_palette)
register_organization_switch("agents:switch")

register_tab(Tab("overview", "Overview", "agents:agent", 0))
register_tab(Tab("channels", "Assigned Channels", "agents:channels", 10))
register_tab(Tab("audit", "Audit", "agents:agent_audit", 80))
register_tab(Tab("settings", "Settings", "agents:agent_settings", 90))


# --- what the audit names -----------------------------------------------------------------------------------------
def for_admins(model: type[Model]) -> Callable[[Actor], QuerySet]:
    """Rows of the organisation whose pages only owners and admins open."""
    rows = model._default_manager

    def visible(actor: Actor) -> QuerySet:
        return rows.filter(organization_id=actor.organization_id) if actor.is_admin else rows.none()

    return visible


def own_organization(actor: Actor) -> QuerySet:
    return Organization.objects.filter(pk=actor.organization_id) if actor.is_admin else Organization.objects.none()


register_link("roleagent", lambda pk: reverse("agents:by_id", args=[pk]), policies.visible_agents)
register_link("membership", lambda pk: reverse("agents:member", args=[pk]), for_admins(Membership))
register_link("organization", lambda pk: reverse("agents:organization"), own_organization)
register_link("apikey", lambda pk: reverse("agents:keys"), for_admins(ApiKey))
register_link("featureaccess", lambda pk: reverse("agents:access"), for_admins(FeatureAccess))
register_link("prompttemplate", lambda pk: reverse("agents:prompts"), for_admins(PromptTemplate))
register_link("actor", lambda label: f"{reverse('agents:audit')}?{urlencode({'actor': label})}")
register_history(RoleAgent, lambda actor, row: True)  # of an event they may read
