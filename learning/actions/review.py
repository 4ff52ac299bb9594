"""Deciding. One person's decision holds; whoever comes second is told who decided what, and nothing happens twice."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Invalid
from digitalworker.common.text import reason_within
from digitalworker.common.types import Actor
from learning.choices import ItemStatus, MemoryStatus, Why
from learning.drafts import payload_of
from learning.models import LearningItem, Memory
from learning.payload import Payload
from learning.policies import Transition, require_second_person
from learning.skill_draft import SkillDraft, files_of

from ._audited import audited_reason, audited_refs
from ._item import find, find_to, note_editor, save_pending, take
from ._let_in import let_in, take_back
from ._let_in import screen_replaced as screen_version_replaced
from ._owner import lock_owner
from ._screening import pii_kinds, screen
from ._withdraw import screen_replaced, withdraw


def approve(
    *,
    actor: Actor,
    item_id: UUID,
    revision: int | None,
    digest_seen: str,
    edited: dict | None = None,
    reason: str = "",
    replaces_seen: str | None = None,
) -> LearningItem:
    """Let a proposal become a memory, or a version of a skill or a soul.

    `digest_seen` is the digest of the text the reviewer read, and `replaces_seen` the memory, skill or soul they read as what
    it replaces ("id:revision", "" for none): anything else is not replaced. None asks nothing.

    `edited` replaces words of it on the way (edit-and-approve); the digest is still of the text as it was
    shown. Screening runs again on the words as they will be known.
    """
    item = find_to(actor, item_id, "approve", revision, digest_seen)
    payload = payload_of(item, edited)
    findings = screen(actor=actor, role_agent=item.role_agent, payload=payload, files=files_of(item, payload))
    with transaction.atomic():
        lock_owner(payload.scope, item.role_agent, item.person)
        item, transition = take(actor, item, "approve", revision, digest_seen, findings, payload.content)
        if isinstance(payload, Payload) and replaces_seen and payload.key != item.proposed_payload["key"]:
            replaces_seen = ""  # what was shown stood under the other key
        was_edited = payload.digest != item.digest
        require_second_person(actor, item, edits=was_edited)
        made = let_in(actor, item, payload, replaces_seen)
        item.proposed_payload, item.digest = payload.as_json(), payload.digest
        item.edited = item.edited or was_edited
        if isinstance(payload, SkillDraft):
            item.risk = payload.risk
        if was_edited:
            note_editor(item, actor)
        _decide(item, transition, actor, reason)
        record(
            verb=Verb.APPROVED,
            actor=actor,
            obj=item,
            role_agent=item.role_agent,
            reason=audited_reason(item, reason),
            source_refs=audited_refs(item),
            details={**made, "edited": was_edited},
        )
    return item


@transaction.atomic
def reject(
    *,
    actor: Actor,
    item_id: UUID,
    revision: int | None,
    digest_seen: str | None = None,
    why: str = "",
    reason: str = "",
) -> LearningItem:
    """Do not learn it. `why` is one of the usual reasons, `reason` words of the reviewer's own; both may be empty."""
    if why and why not in Why.values:
        message = f"Use one of: {', '.join(Why.values)}."
        raise Invalid(f"why: {message}", errors={"why": [message]})
    said = ": ".join(part for part in (str(Why(why).label) if why else "", reason) if part)
    item, transition = take(actor, find(actor, item_id), "reject", revision, digest_seen)
    _decide(item, transition, actor, said)
    record(
        verb=Verb.REJECTED,
        actor=actor,
        obj=item,
        role_agent=item.role_agent,
        reason=audited_reason(item, said),
        source_refs=audited_refs(item),
        details={"why": why} if why else {},
    )
    return item


def edit(*, actor: Actor, item_id: UUID, revision: int | None, changes: dict) -> LearningItem:
    """Change what is proposed, and leave it pending: whoever had it open must read it again before deciding."""
    item = find_to(actor, item_id, "edit", revision)
    payload = payload_of(item, changes)
    findings = screen(actor=actor, role_agent=item.role_agent, payload=payload, files=files_of(item, payload))
    with transaction.atomic():
        item, _ = take(actor, item, "edit", revision, None, findings, payload.content)
        if payload.digest == item.digest:
            return item
        item.proposed_payload, item.digest, item.edited = payload.as_json(), payload.digest, True
        item.pii_entities = pii_kinds(payload)
        if isinstance(payload, SkillDraft):
            item.risk = payload.risk
        item.dedupe_key = payload.dedupe_key(item.person_id)
        note_editor(item, actor)
        item.revision += 1
        save_pending(item, actor, "edited", "Another pending item says exactly this already. Decide that one instead.")
        record(verb=Verb.ITEM_EDITED, actor=actor, obj=item, role_agent=item.role_agent)
    return item


def reopen(*, actor: Actor, item_id: UUID, revision: int | None) -> LearningItem:
    """Undo a decision: the item waits again, and a memory it had made leaves every prompt. What that had replaced is known
    again, if it passes what is looked for today."""
    seen = find(actor, item_id)
    made = _made_by(seen)
    if made or seen.skill_version_id or seen.soul_version_id:
        with transaction.atomic():  # screening refuses, and that is audited: not where there is nothing to undo
            take(actor, seen, "reopen", revision)
    screened, version_screened = screen_replaced(made, actor=actor), screen_version_replaced(actor, seen)
    with transaction.atomic():
        if seen.memory_id:
            lock_owner(seen.proposed_payload["scope"], seen.role_agent, seen.person)
        item, transition = take(actor, seen, "reopen", revision)
        withdrawn = _made_by(item)
        if withdrawn:
            withdraw(withdrawn, actor=actor, what="approval", screened=screened)
        gone = {"withdrawn": withdrawn.pk} if withdrawn else take_back(actor, item, version_screened)
        item.status, item.memory = transition.target, None
        item.decided_by_id, item.decided_by_label, item.decided_at, item.decision_reason = None, "", None, ""
        item.revision += 1
        save_pending(item, actor, "reopened", "The same thing was proposed again meanwhile. Decide that one instead.")
        record(
            verb=Verb.REOPENED,
            actor=actor,
            obj=item,
            role_agent=item.role_agent,
            details=gone,
        )
    return item


def _made_by(item: LearningItem) -> Memory | None:
    """The memory that this approval made, if it is not gone already."""
    memory = item.memory
    if item.status != ItemStatus.APPROVED or memory is None or memory.item_id != item.pk:
        return None
    return None if memory.status == MemoryStatus.DELETED else memory


def _decide(item: LearningItem, transition: Transition, actor: Actor, reason: str) -> None:
    item.status = transition.target
    item.decided_by_id, item.decided_by_label, item.decided_at = actor.user_id, actor.label, timezone.now()
    item.decision_reason = reason_within(reason)
    item.revision += 1
    history.save(item, actor, transition.past)
