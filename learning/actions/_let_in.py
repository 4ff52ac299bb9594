"""What an approval makes known, by the kind of proposal, and how that is taken back when the approval is undone.

Called inside the decision's transaction, with the owner and the item locked.
"""

from uuid import UUID

from django.db import transaction

from digitalworker.common.types import Actor
from learning.choices import ItemKind, MemoryScope, Source
from learning.drafts import Draft
from learning.models import LearningItem
from learning.payload import Payload
from learning.policies import require_decision
from learning.queue import embed_soon
from learning.skill_draft import SkillDraft, named, package_of
from skills.actions import activate as skills
from souls.actions import versions as souls
from souls.policies import is_shared, lock_soul

from .remember import Origin, write


def let_in(actor: Actor, item: LearningItem, draft: Draft, replaces_seen: str | None) -> dict[str, UUID]:
    """What was made, by what the audit calls it. It stands on `item` as well."""
    if isinstance(draft, Payload):
        item.memory = write(
            actor=actor,
            role_agent=item.role_agent,
            person=item.person,
            payload=draft,
            origin=Origin(
                source=Source(item.source),
                item=item,
                event=item.event,
                confidence=item.confidence,
                risk=item.risk,
                sensitive=item.sensitive,
                pii_entities=item.pii_entities,
                proposed_by_label=item.proposed_by_label,
                detector=item.detector,
                source_refs=item.source_refs,
                evidence_count=item.evidence_count,
                replaces=item.replaces_id,
            ),
            audit=False,
            replaces_seen=replaces_seen,
        )
        return {"memory": item.memory.pk}
    if isinstance(draft, SkillDraft):
        approved = skills.Approved(
            package=package_of(item, draft),
            role_agent=None if draft.scope == MemoryScope.ORGANIZATION else item.role_agent,
            sensitive=item.sensitive,
            risk=item.risk,
            source=item.source,
            item_id=item.pk,
            proposed_by_label=item.proposed_by_label,
        )
        skill = item.skill
        if skill is None and replaces_seen:  # one of this name came meanwhile, and whoever decides saw it
            skill = named(draft.name, draft.scope, item.role_agent)
        item.skill_version = skills.activate(actor=actor, approved=approved, skill=skill, seen=replaces_seen)
        item.skill = item.skill_version.skill
        transaction.on_commit(embed_soon)  # its words alone choose it until then
        return {"skill": item.skill.pk, "skill_version": item.skill_version.pk}
    _require_soul(actor, item)
    approved_soul = souls.Approved(
        parts=draft.parts,
        code=draft.code,
        name=draft.name,
        summary=draft.summary,
        sensitive=item.sensitive,
        item_id=item.pk,
        proposed_by_label=item.proposed_by_label,
        role_agent=item.role_agent,
    )
    item.soul_version = souls.activate(actor=actor, approved=approved_soul, soul=item.soul, seen=replaces_seen)
    item.soul = item.soul_version.soul
    return {"soul": item.soul.pk, "soul_version": item.soul_version.pk}


def screen_replaced(actor: Actor, item: LearningItem) -> UUID | None:
    """Which version `take_back` would put in use again, None for none. Called before the action's own transaction, like
    `screen`, for who may take it back."""
    if item.soul_version is not None:
        return souls.screen_replaced(actor=actor, version=item.soul_version)
    return skills.screen_replaced(actor=actor, version=item.skill_version) if item.skill_version else None


def take_back(actor: Actor, item: LearningItem, screened: UUID | None) -> dict[str, UUID]:
    """The version that this approval made is in use no more; a memory is `withdraw`n by who screened what it replaced."""
    if item.soul_version is not None and item.soul is not None:
        _require_soul(actor, item)
        gone, item.soul_version = item.soul_version, None
        item.soul = souls.withdraw(actor=actor, soul_id=item.soul.pk, version=gone, screened=screened)
        return {"withdrawn_version": gone.pk}
    if item.skill_version is None or item.skill is None:
        return {}
    version, item.skill_version = item.skill_version, None
    skill = skills.withdraw(actor=actor, skill_id=item.skill.pk, version=version, screened=screened)
    item.skill = skill if item.kind == ItemKind.SKILL_UPDATE else None  # what was new is so again
    return {"withdrawn_version": version.pk}


def _require_soul(actor: Actor, item: LearningItem) -> None:
    """Others may have been given the soul since it was proposed for one agent: then it is the whole organisation's matter.
    Whoever assigns it waits until this is decided."""
    if item.soul is None:
        return
    if is_shared(lock_soul(actor, item.soul.pk), item.role_agent):
        require_decision(actor, role_agent=item.role_agent, scope=MemoryScope.ORGANIZATION, sensitive=item.sensitive)
