"""What is done to a skill that there is: reverted to an earlier version, paused, resumed, archived.

`revision` is the skill's as whoever acts saw it. Of two who act at once the second is told who was faster and what they did;
nothing is done twice, and no version is put in use over another that nobody looked at.
"""

from uuid import UUID

from django.db import transaction

from digitalworker.audit.actions import record
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, NotFound
from digitalworker.common.locking import lock
from digitalworker.common.text import reason_within
from digitalworker.common.types import Actor
from skills.models import Skill, SkillVersion
from skills.policies import require_change, require_transition, visible_skills
from skills.screens import screen

from .activate import point

_DID = {
    Verb.SKILL_ACTIVATED: "put version {version} in use",
    Verb.SKILL_REVERTED: "reverted it to version {version}",
    Verb.SKILL_PAUSED: "paused it",
    Verb.SKILL_RESUMED: "resumed it",
    Verb.SKILL_ARCHIVED: "archived it",
}


def revert(*, actor: Actor, skill_id: UUID, revision: int | None, number: int, reason: str = "") -> Skill:
    """Agents are given version `number` again, which is not the one in use. The skill is active afterwards."""
    reason = reason_within(reason)
    skill = _find(actor, skill_id)
    version = _version(skill, number)
    _require(actor, skill, version)
    _in_state(skill, "revert", revision)
    screen(actor=actor, skill=skill, version=version)
    with transaction.atomic():
        skill = _take(actor, skill_id, "revert", revision, version)
        if skill.active_version_id == version.pk:
            raise Conflict(f"Version {number} is in use already. Nothing was changed.", code="in_use")
        point(actor, skill, version, Verb.SKILL_REVERTED, "reverted to", reason)
    return skill


def resume(*, actor: Actor, skill_id: UUID, revision: int | None, reason: str = "") -> Skill:
    """Agents are given it again, as it was when it was paused or archived."""
    reason = reason_within(reason)
    skill = _find(actor, skill_id)
    _require(actor, skill)
    _in_state(skill, "resume", revision)
    screen(actor=actor, skill=skill, version=_in_use(skill))
    return _move(actor, skill_id, "resume", revision, Verb.SKILL_RESUMED, reason)


def pause(*, actor: Actor, skill_id: UUID, revision: int | None, reason: str = "") -> Skill:
    """No agent is given it until somebody resumes it."""
    return _move(actor, skill_id, "pause", revision, Verb.SKILL_PAUSED, reason_within(reason))


def archive(*, actor: Actor, skill_id: UUID, revision: int | None, reason: str = "") -> Skill:
    """No agent is given it any more; a proposal of its name begins anew, with its next version."""
    return _move(actor, skill_id, "archive", revision, Verb.SKILL_ARCHIVED, reason_within(reason))


def _move(actor: Actor, skill_id: UUID, name: str, revision: int | None, verb: Verb, reason: str) -> Skill:
    with transaction.atomic():
        skill = _take(actor, skill_id, name, revision)
        version, transition = _in_use(skill), require_transition(skill, name)
        skill.status = transition.target
        skill.revision += 1
        history.save(skill, actor, f"{transition.past}{f': {reason}' if reason else ''}")
        record(
            verb=verb,
            actor=actor,
            obj=skill,
            role_agent=skill.role_agent,
            reason="" if version.sensitive else reason,
            details={"version": version.number, "skill_version": version.pk},
        )
    return skill


def _find(actor: Actor, skill_id: UUID) -> Skill:
    skill = visible_skills(actor).select_related("role_agent", "active_version").filter(pk=skill_id).first()
    if skill is None:
        raise NotFound("There is no such skill.")
    return skill


def _version(skill: Skill, number: int) -> SkillVersion:
    version = SkillVersion.objects.filter(skill=skill, number=number).first()
    if version is None:
        raise NotFound(f"This skill has no version {number}.")
    return version


def _in_use(skill: Skill) -> SkillVersion:
    version = skill.active_version
    assert version is not None  # noqa: S101 - outside the transaction that makes a skill there is one
    return version


def _take(actor: Actor, skill_id: UUID, name: str, revision: int | None, version: SkillVersion | None = None) -> Skill:
    """The skill, locked, if it is what the actor saw, and they may do this to it."""
    # The version in use is read behind the lock: joined, it would be what was in use before somebody else let go of it.
    skill = lock(visible_skills(actor).select_related("role_agent"), pk=skill_id)
    _require(actor, skill, version)
    _in_state(skill, name, revision)
    return skill


def _require(actor: Actor, skill: Skill, version: SkillVersion | None = None) -> None:
    """Both what is in use and what would be is theirs to decide about."""
    sensitive = _in_use(skill).sensitive or (version is not None and version.sensitive)
    require_change(actor, role_agent=skill.role_agent, sensitive=sensitive)


def _in_state(skill: Skill, name: str, revision: int | None) -> None:
    last = _last(skill)
    who = last.who if last else ""
    require_transition(skill, name, who)
    if revision is not None and revision != skill.revision:
        raise Conflict(_changed(last), code="stale_revision", revision=skill.revision, changed_by=who)


def _last(skill: Skill) -> LearningEvent | None:
    """What last became of it."""
    told = LearningEvent.objects.filter(organization_id=skill.organization_id, object_type="skill")
    return told.filter(object_id=str(skill.pk), verb__in=_DID).first()


def _changed(last: LearningEvent | None) -> str:
    if last is None:
        return "This skill is not what you were shown. Look at it again, then decide. Nothing was changed."
    said = _DID[Verb(last.verb)].format(version=last.details.get("version", ""))
    return f"{last.who} {said} meanwhile. Look at it again, then decide. Nothing was changed."
