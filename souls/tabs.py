"""What this app shows in the shell, on a role-agent's pages and in the audit."""

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.tabs import SETTINGS, sees_agents
from digitalworker.audit.evidence import register_history
from digitalworker.audit.links import register_detail, register_link
from digitalworker.common.types import Actor
from digitalworker.console.registry import NavItem, PaletteEntry, Tab, register_nav, register_palette, register_tab

from .models import Soul, SoulAssignment, SoulVersion
from .policies import may_read_sensitive


def paused(request: HttpRequest, agent: RoleAgent) -> str | None:
    return "paused" if agent.soul_paused else None


def linkable(actor: Actor) -> QuerySet[Soul]:
    """`visible_souls` for who reads an audit, and so sees an agent: that they do is not asked once more."""
    return Soul.objects.filter(organization_id=actor.organization_id)


def linkable_versions(actor: Actor) -> QuerySet[SoulVersion]:
    return SoulVersion.objects.filter(organization_id=actor.organization_id)


def may_read_row(actor: Actor, row) -> bool:
    """A history row of a soul: a name goes with the words of its versions, then and now."""
    if may_read_sensitive(actor):
        return True
    now = Soul.objects.filter(pk=row.id).values("active_version")
    return not SoulVersion.objects.filter(Q(pk=row.active_version_id) | Q(pk__in=now), sensitive=True).exists()


def in_palette(request: HttpRequest, query: str) -> list[PaletteEntry]:
    if not query.strip() or not sees_agents(request):
        return []
    found = linkable(request.actor)
    for word in query.split()[:5]:
        found = found.filter(Q(name__icontains=word) | Q(code__icontains=word))
    if not may_read_sensitive(request.actor):
        found = found.exclude(active_version__sensitive=True)
    return [PaletteEntry(soul.name, _href(soul), kind="Soul", keywords=soul.code) for soul in found[:8]]


def _href(soul: Soul) -> str:
    return reverse("souls:soul", args=[soul.code])


register_nav(NavItem("Souls", "souls:list", "sparkles", 506, sees_agents, section=SETTINGS))
register_palette(in_palette)
register_tab(Tab("soul", "Soul", "souls:agent_soul", 20, count=paused))
register_link("soul", lambda pk: reverse("souls:by_id", args=[pk]), linkable)
register_link("soulversion", lambda pk: reverse("souls:by_version", args=[pk]), linkable_versions)
register_detail("soul", "soul")
register_detail("soul_version", "soulversion")
register_history(Soul, may_read_row)
register_history(SoulAssignment, lambda actor, row: True)  # of an event they may read
