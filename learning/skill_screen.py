"""A skill's version, screened again before it is put in use once more."""

from django.db import transaction

from digitalworker.agents.models import Organization
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Refused
from digitalworker.common.types import Actor
from learning.actions._screening import named, screen
from learning.choices import MemoryScope
from learning.models import LearningItem
from learning.payload import searched
from learning.screening.sensitive import is_sensitive
from learning.skill_draft import SkillDraft
from skills.models import Skill, SkillVersion
from skills.selectors import package_of


def screen_version(*, actor: Actor, skill: Skill, version: SkillVersion) -> None:
    """Raises Refused for a secret, for what plainly steers the agent, and for whatever steers it or is dangerous and nobody
    judged when the version was let in: rules that came later found it. That somebody may be ill in it is no danger."""
    package = package_of(version)
    scope = MemoryScope.ROLE_AGENT if skill.role_agent_id else MemoryScope.ORGANIZATION
    draft = SkillDraft(scope, version.document, skill.name, version.description, foreign=bool(version.lacks))
    findings = screen(actor=actor, role_agent=skill.role_agent, payload=draft, files=package.files)
    judged = _judged(version)
    unjudged = [
        finding
        for finding, name in zip(findings, named(findings, draft.content), strict=True)
        if name not in judged and not is_sensitive(finding["rule"])
    ]
    if not unjudged:
        return
    with transaction.atomic():
        record(
            verb=Verb.LEARNING_REFUSED,
            actor=actor,
            obj=skill.role_agent or Organization.objects.get(pk=actor.organization_id),
            role_agent=skill.role_agent,
            label=f"version {version.number} of a skill, in which screening found something new",
            details={"kinds": sorted({finding["rule"] for finding in unjudged}), "skill_version": version.pk},
        )
    raise Refused(
        f"Screening finds something in version {version.number} that nobody judged when it was let in: {unjudged[0]['why']}. "
        "It was not put in use. Propose a change, so that somebody reads it first.",
        code="unjudged",
        kinds=sorted({finding["rule"] for finding in unjudged}),
    )


def _judged(version: SkillVersion) -> set[tuple[str, str]]:
    item = LearningItem.objects.filter(pk=version.item_id).first() if version.item_id else None
    return set(named(item.findings, searched(item.proposed_payload))) if item else set()
