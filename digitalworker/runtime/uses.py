"""Which skills an answer loaded, counted where it is known: in the pack, or when the model asked."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from skills.models import Skill, SkillVersion
from skills.shelf import InUse

from .models import AgentRun, RunSkill


@transaction.atomic
def count_skills(run: AgentRun, loaded: Sequence[tuple[InUse, str]]) -> None:
    """Each once for a run, however often it is loaded. Rows are locked in one order, so that two answers never wait for each
    other in a circle; what was erased meanwhile is passed over."""
    if not loaded:
        return
    whys = {skill.version_id: why for skill, why in loaded}
    skills = Skill.objects.filter(pk__in=[skill.skill_id for skill, _ in loaded]).order_by("pk")
    there = set(skills.select_for_update(no_key=True).values_list("pk", flat=True))
    known = set(RunSkill.objects.filter(run=run, version__in=whys).values_list("version_id", flat=True))
    new = [skill for skill, _ in loaded if skill.version_id not in known and skill.skill_id in there]
    Skill.objects.filter(pk__in=[skill.skill_id for skill in new]).update(
        use_count=F("use_count") + 1, last_used_at=timezone.now()
    )
    last = RunSkill.objects.filter(run=run).aggregate(last=Max("position"))["last"]
    RunSkill.objects.bulk_create(
        RunSkill(
            organization_id=run.organization_id,
            run=run,
            version_id=skill.version_id,
            position=position,
            digest=skill.digest,
            why=whys[skill.version_id],
        )
        for position, skill in enumerate(new, 0 if last is None else last + 1)
    )


def in_use(version: SkillVersion) -> InUse:
    skill = version.skill
    return InUse(skill.pk, version.pk, version.number, version.digest, skill.name, version.description)
