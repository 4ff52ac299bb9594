"""What this app shows in the shell, on a role-agent's pages and in the audit."""

from django.db.models import Q, QuerySet
from django.urls import reverse

from digitalworker.agents.policies import visible_agents
from digitalworker.audit.evidence import register_history
from digitalworker.audit.links import register_detail, register_link
from digitalworker.common.types import Actor
from digitalworker.console.registry import Tab, register_tab

from .models import Skill, SkillVersion
from .policies import may_read_sensitive


def linkable(actor: Actor) -> QuerySet[Skill]:
    """`visible_skills` for who reads an audit, and so sees an agent: that they do is not asked once more."""
    own = Q(role_agent__in=visible_agents(actor).values("pk"))
    return Skill.objects.filter(own if actor.agent_ids is not None else own | Q(role_agent=None)).filter(
        organization_id=actor.organization_id
    )


def linkable_versions(actor: Actor) -> QuerySet[SkillVersion]:
    return SkillVersion.objects.filter(skill__in=linkable(actor))


def may_read_row(actor: Actor, row) -> bool:
    """A history row of a skill that the actor sees: its name is words of its versions, then and now."""
    if may_read_sensitive(actor):
        return True
    now = Skill.objects.filter(pk=row.id).values_list("active_version", flat=True)
    return not SkillVersion.objects.filter(
        Q(pk=row.active_version_id) | Q(pk__in=now), skill=row.id, sensitive=True
    ).exists()


register_tab(Tab("skills", "Skills", "skills:agent_skills", 40))
register_link("skill", lambda pk: reverse("skills:skill", args=[pk]), linkable)
register_link("skillversion", lambda pk: reverse("skills:version", args=[pk]), linkable_versions)
register_detail("skill", "skill")
for name in ("skill_version", "instead_of", "withdrawn_version"):
    register_detail(name, "skillversion")
register_history(Skill, may_read_row)
