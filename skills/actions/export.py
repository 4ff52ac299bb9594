"""Skills that leave as folders and archives in the public format. Handing them out is audited like any other act.

What we ask of a skill besides the public format goes under `metadata`; of one that came from elsewhere every byte is as it
came.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Invalid
from digitalworker.common.types import Actor
from skills.choices import SkillStatus
from skills.document import parse, with_metadata
from skills.models import Skill, SkillVersion
from skills.package import Package
from skills.reading import exportable, find_skill, find_version
from skills.selectors import package_of


@dataclass(frozen=True, slots=True)
class Exported:
    """`withheld` counts skills that the actor may not read."""

    packages: list[Package]
    withheld: int = 0


def export_skill(*, actor: Actor, skill_id: UUID, number: int | None = None) -> Exported:
    """One skill, as the version in use or as version `number` has it. Raises Denied where that is sensitive and not the
    actor's to read."""
    skill = find_skill(actor, skill_id)
    if number is None:
        number = skill.active_version.number if skill.active_version else 0
    version = find_version(actor, skill, number)
    package = portable(version)
    with transaction.atomic():
        record(
            verb=Verb.SKILLS_EXPORTED,
            actor=actor,
            obj=skill,
            role_agent=skill.role_agent,
            details={"version": number, "skill_version": version.pk},
        )
    return Exported([package])


def export_skills(*, actor: Actor, role_agent: RoleAgent) -> Exported:
    """The role-agent's own that are not archived, each as the version in use has it."""
    skills = Skill.objects.filter(role_agent=role_agent).exclude(status=SkillStatus.ARCHIVED)
    versions = exportable(actor, skills)
    packages = [portable(version) for version in versions]
    withheld = skills.count() - len(packages)
    if not packages:
        raise Invalid(f"{role_agent.name} has no skill of its own that you may read.", code="nothing_to_export")
    with transaction.atomic():
        record(
            verb=Verb.SKILLS_EXPORTED,
            actor=actor,
            obj=role_agent,
            role_agent=role_agent,
            label=f"{len(packages)} skill{'s' if len(packages) > 1 else ''} of {role_agent.name}",
            details={"skills": len(packages)},
        )
    return Exported(packages, withheld)


def portable(version: SkillVersion) -> Package:
    package = package_of(version)
    source = with_metadata(package.document.source)
    return package if source == package.document.source else replace(package, document=parse(source))
