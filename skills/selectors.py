"""Skills as people and prompts read them."""

from uuid import UUID

from django.db.models import F, Q

from .choices import SkillStatus
from .document import parse
from .models import Skill, SkillFile, SkillVersion
from .package import File, Package


def package_of(version: SkillVersion) -> Package:
    """The version as it can be exported: the exact document and files."""
    files = [
        File(file.path, bytes(file.content), file.executable) for file in SkillFile.objects.filter(version=version)
    ]
    document = parse(version.document)
    return Package(document.name, document, tuple(files))


def usable(organization_id: UUID, role_agent_id: UUID):
    """What this agent may be given: active, its own or the whole organisation's. Where both have a name, the organisation's
    comes first and wins."""
    skills = Skill.objects.filter(
        Q(role_agent=role_agent_id) | Q(role_agent=None), organization_id=organization_id, status=SkillStatus.ACTIVE
    )
    return skills.select_related("active_version").order_by(F("role_agent").asc(nulls_first=True), "name", "id")
