"""Which version of a skill agents are given: letting in a new one, and pointing back at an earlier one.

Whoever calls has decided that it may be: approving is the inbox's matter. Everything here runs inside that decision's own
transaction, so a version is known and its proposal decided, or neither.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict
from digitalworker.common.locking import lock
from digitalworker.common.types import Actor
from skills.choices import SkillStatus
from skills.models import Skill, SkillFile, SkillVersion
from skills.package import Package
from skills.policies import require_change, visible_skills
from skills.reading import find_skill
from skills.screens import screen

ONE_OF_A_NAME = "skill_name_once"  # the constraint's name


@dataclass(frozen=True, slots=True)
class Approved:
    """What was let in, and where it came from. `role_agent` is None for the whole organisation."""

    package: Package
    role_agent: RoleAgent | None
    sensitive: bool
    risk: str  # as judged, which may be higher than what the document says of itself
    source: str
    item_id: UUID | None
    proposed_by_label: str


def activate(*, actor: Actor, approved: Approved, skill: Skill | None, seen: str | None = None) -> SkillVersion:
    """The next version of `skill`, or the first of a new one, in use from now on.

    `seen` names the skill as whoever decided saw it (`as_seen`), "" where they saw none; None asks nothing. Raises Conflict
    where another version is in use by now, or where the name is taken meanwhile.
    """
    document = approved.package.document
    held = _held(actor, approved, skill, document.name)
    in_use = held is not None and held.status != SkillStatus.ARCHIVED  # an archived one nobody sees in its place
    if seen is not None and seen != (as_seen(held) if held and (skill or in_use) else ""):
        raise Conflict(
            "Another version of this skill is in use by now. Look at what changed, then decide. Nothing was changed.",
            code="stale_revision",
            revision=held.revision if held else 0,
        )
    if held is None:
        held = _new(actor, approved, document.name)
    last = SkillVersion.objects.filter(skill=held).order_by("-number").values_list("number", flat=True).first()
    version = SkillVersion.objects.create(
        organization_id=actor.organization_id,
        skill=held,
        number=(last or 0) + 1,
        document=document.source,
        digest=approved.package.digest,
        description=document.description,
        when_to_use=document.sections.get("when_to_use", ""),
        risk=approved.risk,
        lacks=list(document.lacks),
        sensitive=approved.sensitive,
        source=approved.source,
        item_id=approved.item_id,
        proposed_by_label=approved.proposed_by_label,
        approved_by_user_id=actor.user_id,
        approved_by_label=actor.label,
    )
    SkillFile.objects.bulk_create(
        SkillFile(
            organization_id=actor.organization_id,
            version=version,
            path=file.path,
            content=file.content,
            size=len(file.content),
            digest=file.digest,
            executable=file.executable,
        )
        for file in approved.package.files
    )
    point(actor, held, version, Verb.SKILL_ACTIVATED, "activated")
    return version


def point(
    actor: Actor,
    skill: Skill,
    version: SkillVersion,
    verb: Verb,
    did: str,
    reason: str = "",
    status: str = SkillStatus.ACTIVE,
) -> None:
    """From now on `version` is the one in use. `skill` is locked."""
    before = skill.active_version_id
    skill.active_version, skill.status = version, status
    skill.revision += 1
    history.save(skill, actor, f"{did} version {version.number}{f': {reason}' if reason else ''}")
    record(
        verb=verb,
        actor=actor,
        obj=skill,
        role_agent=skill.role_agent,
        reason="" if version.sensitive else reason,  # why may tell what it says
        details={"version": version.number, "skill_version": version.pk, "instead_of": before},
    )


def screen_replaced(*, actor: Actor, version: SkillVersion) -> UUID | None:
    """Which version `withdraw` of this one would put in use again, None for none: it passes what is looked for today. Called
    outside a transaction, as `screen`, and for who may take `version` back."""
    skill = find_skill(actor, version.skill_id)
    before = _replaced(skill, version)
    if before is None or before[1] != SkillStatus.ACTIVE:
        return None
    require_change(actor, role_agent=skill.role_agent, sensitive=before[0].sensitive)
    screen(actor=actor, skill=skill, version=before[0])
    return before[0].pk


def withdraw(*, actor: Actor, skill_id: UUID, version: SkillVersion, screened: UUID | None) -> Skill:
    """As if `version` had not been let in: the skill is again what it was, in the state it was in, and one that was nothing
    before is archived. Where another version is in use by now, nothing changes. `screened` is what `screen_replaced` answered.
    """
    skill = lock(visible_skills(actor), pk=skill_id)
    if skill.active_version_id != version.pk or skill.status == SkillStatus.ARCHIVED:
        return skill
    before = _replaced(skill, version)
    if before is not None:
        earlier, status = before
        if status == SkillStatus.ACTIVE and earlier.pk != screened:
            raise Conflict(
                "What this had replaced changed meanwhile. Try again. Nothing was changed.", code="stale_revision"
            )
        verb = Verb.SKILL_ARCHIVED if status == SkillStatus.ARCHIVED else Verb.SKILL_REVERTED
        point(actor, skill, earlier, verb, f"took back an approval, so it is {status} with", status=status)
        return skill
    skill.status = SkillStatus.ARCHIVED
    skill.revision += 1
    history.save(skill, actor, "approval undone")
    record(verb=Verb.SKILL_ARCHIVED, actor=actor, obj=skill, role_agent=skill.role_agent)
    return skill


def _replaced(skill: Skill, version: SkillVersion) -> tuple[SkillVersion, str] | None:
    """What was in use when `version` was last put in its place, and the skill's state then."""
    before = history.before(skill, "active_version_id") if skill.active_version_id == version.pk else None
    if before is None:
        return None
    return SkillVersion.objects.get(skill=skill, pk=before.active_version_id), before.status


def as_seen(skill: Skill) -> str:
    """What names a skill with the version in use: whoever replaces that sends it back."""
    return f"{skill.pk}:{skill.revision}"


def _held(actor: Actor, approved: Approved, skill: Skill | None, name: str) -> Skill | None:
    """The skill to add a version to, locked: the given one, or one of this name that was archived."""
    if skill is not None:
        held = lock(visible_skills(actor), pk=skill.pk)
        if held.name != name:
            raise Conflict(f"This skill is named {held.name}, and stays so.", code="other_name")
        return held
    owned = visible_skills(actor).filter(role_agent=approved.role_agent, name=name)
    archived = owned.select_for_update(of=("self",), no_key=True).first()
    if archived is not None and archived.status != SkillStatus.ARCHIVED:
        raise _taken(name)
    return archived


def _new(actor: Actor, approved: Approved, name: str) -> Skill:
    skill = Skill(organization_id=actor.organization_id, role_agent=approved.role_agent, name=name)
    try:
        with transaction.atomic():
            skill.save_without_historical_record(force_insert=True)  # type: ignore[attr-defined]  # simple-history's
    except IntegrityError as error:
        if ONE_OF_A_NAME not in str(error):
            raise
        raise _taken(name) from None
    return skill


def _taken(name: str) -> Conflict:
    return Conflict(
        f"There is a skill named {name} already. Propose an update of it, or choose another name. Nothing was changed.",
        code="name_taken",
    )
