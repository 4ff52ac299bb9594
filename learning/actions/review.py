"""Deciding. One person's decision holds; whoever comes second is told who decided what, and nothing happens twice."""

from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from digitalworker.audit.actions import record
from digitalworker.audit.selectors import last_event_of
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, NotFound
from digitalworker.common.locking import lock
from digitalworker.common.text import within
from digitalworker.common.types import Actor
from learning.choices import ItemKind, ItemStatus, MemoryStatus, Source
from learning.models import LearningItem, Memory
from learning.payload import Payload, checked
from learning.policies import Transition, require_decision, require_transition, visible_items

from ._owner import lock_owner
from ._screening import screen
from .remember import Origin, write

ONE_PENDING = "item_proposed_once"  # the constraint's name


def approve(
    *,
    actor: Actor,
    item_id: UUID,
    revision: int | None,
    digest_seen: str,
    edited: dict | None = None,
    reason: str = "",
) -> LearningItem:
    """Let a proposal become a memory. `digest_seen` is the digest of the text the reviewer read.

    `edited` replaces `kind`, `key` or `content` on the way (edit-and-approve); the digest is still of the text as it was
    shown. Screening runs again on the words as they will be known.
    """
    item = _visible(actor, item_id)
    payload = _payload(item, edited)
    findings = screen(actor=actor, role_agent=item.role_agent, payload=payload)
    with transaction.atomic():
        lock_owner(payload.scope, item.role_agent, item.person)
        item, transition = _lock(actor, item, "approve", revision, digest_seen, findings)
        was_edited = payload.digest != item.digest
        memory = write(
            actor=actor,
            role_agent=item.role_agent,
            person=item.person,
            payload=payload,
            origin=Origin(
                source=Source(item.source),
                item=item,
                event=item.event,
                confidence=item.confidence,
                risk=item.risk,
                sensitive=item.sensitive,
                pii_entities=item.pii_entities,
                proposed_by_label=item.proposed_by_label,
            ),
            audit=False,
        )
        item.proposed_payload, item.digest = payload.as_json(), payload.digest
        item.memory, item.edited = memory, item.edited or was_edited
        _decide(item, transition, actor, reason)
        record(
            verb=Verb.APPROVED,
            actor=actor,
            obj=item,
            role_agent=item.role_agent,
            reason=reason,
            source_refs=item.source_refs,
            details={"memory": memory.pk, "edited": was_edited},
        )
    return item


@transaction.atomic
def reject(
    *, actor: Actor, item_id: UUID, revision: int | None, digest_seen: str | None = None, reason: str = ""
) -> LearningItem:
    item, transition = _lock(actor, _visible(actor, item_id), "reject", revision, digest_seen)
    _decide(item, transition, actor, reason)
    record(
        verb=Verb.REJECTED,
        actor=actor,
        obj=item,
        role_agent=item.role_agent,
        reason=reason,
        source_refs=item.source_refs,
    )
    return item


def edit(*, actor: Actor, item_id: UUID, revision: int | None, changes: dict) -> LearningItem:
    """Change what is proposed, and leave it pending: whoever had it open must read it again before deciding."""
    item = _visible(actor, item_id)
    payload = _payload(item, changes)
    findings = screen(actor=actor, role_agent=item.role_agent, payload=payload)
    with transaction.atomic():
        item, _ = _lock(actor, item, "edit", revision, None, findings)
        if payload.digest == item.digest:
            return item
        item.proposed_payload, item.digest, item.edited = payload.as_json(), payload.digest, True
        item.dedupe_key = payload.dedupe_key(item.person_id)
        item.revision += 1
        _save_pending(item, actor, "edited", "Another pending item says exactly this already. Decide that one instead.")
        record(verb=Verb.ITEM_EDITED, actor=actor, obj=item, role_agent=item.role_agent)
    return item


@transaction.atomic
def reopen(*, actor: Actor, item_id: UUID, revision: int | None) -> LearningItem:
    """Undo a decision: the item waits again, and a memory it had made leaves every prompt."""
    seen = _visible(actor, item_id)
    if seen.memory_id:
        lock_owner(seen.proposed_payload["scope"], seen.role_agent, seen.person)
    item, transition = _lock(actor, seen, "reopen", revision, None)
    withdrawn = _withdraw(item, actor)
    item.status, item.memory = transition.target, None
    item.decided_by_id, item.decided_by_label, item.decided_at, item.decision_reason = None, "", None, ""
    item.revision += 1
    _save_pending(item, actor, "reopened", "The same thing was proposed again meanwhile. Decide that one instead.")
    record(
        verb=Verb.REOPENED,
        actor=actor,
        obj=item,
        role_agent=item.role_agent,
        details={"withdrawn": withdrawn.pk} if withdrawn else {},
    )
    return item


def _save_pending(item: LearningItem, actor: Actor, reason: str, taken: str) -> None:
    """Saves an item that waits. The database is asked whether another says the same: one look before would miss what is
    written at the same moment."""
    try:
        with transaction.atomic():
            history.save(item, actor, reason)
    except IntegrityError as error:
        if ONE_PENDING not in str(error):
            raise
        raise Conflict(taken, code="same_as_other") from None


def _withdraw(item: LearningItem, actor: Actor) -> Memory | None:
    """Take back the memory this approval made, and give its key back to the one it had superseded.

    Where a newer one holds the key by now, this one leaves the line between them: else undoing the newer one as well
    would bring back words whose own approval is undone.
    """
    memory = item.memory
    if (
        item.status != ItemStatus.APPROVED
        or memory is None
        or memory.status == MemoryStatus.DELETED
        or memory.item_id != item.pk
    ):
        return None
    newer = memory.superseded_by_id
    memory.status, memory.deleted_at, memory.superseded_by_id = MemoryStatus.DELETED, timezone.now(), None
    memory.revision += 1
    history.save(memory, actor, "approval undone")
    for before in Memory.objects.filter(superseded_by=memory, status=MemoryStatus.SUPERSEDED):
        before.superseded_by_id = newer
        if newer is None:
            before.status = MemoryStatus.ACTIVE
        before.revision += 1
        history.save(before, actor, "the approval that replaced it was undone")
    return memory


def _visible(actor: Actor, item_id: UUID) -> LearningItem:
    item = (
        visible_items(actor)
        .select_related("role_agent", "person", "event", "memory")
        .filter(pk=item_id, kind=ItemKind.MEMORY)
        .first()
    )
    if item is None:
        raise NotFound("There is no such learning item.")
    return item


def _payload(item: LearningItem, changes: dict | None) -> Payload:
    """The proposal with `changes` to kind, key or content. The scope and the person never change by editing."""
    allowed = {name: value for name, value in (changes or {}).items() if name in {"kind", "key", "content"}}
    return checked(**item.proposed_payload | allowed)


def _lock(
    actor: Actor,
    seen: LearningItem,
    name: str,
    revision: int | None,
    digest_seen: str | None,
    findings: list[dict] | None = None,
) -> tuple[LearningItem, Transition]:
    """The item, locked, and what may be done to it. `findings` about the words it will have go onto it."""
    item = lock(visible_items(actor).select_related("role_agent", "person", "event", "memory"), pk=seen.pk)
    if findings is not None:
        item.findings = findings
    require_decision(actor, role_agent=item.role_agent, scope=item.proposed_payload["scope"], sensitive=item.sensitive)
    transition = require_transition(item, name)
    stale = revision is not None and revision != item.revision
    if stale or (digest_seen is not None and digest_seen != item.digest):
        raise Conflict(_who_changed(item), code="stale_revision", revision=item.revision, digest=item.digest)
    return item, transition


def _who_changed(item: LearningItem) -> str:
    last = last_event_of(item)
    if last is None:
        return "This item is not what you were shown. Read it again, then decide. Nothing was changed."
    did = {Verb.ITEM_EDITED: "edited", Verb.REOPENED: "reopened"}.get(Verb(last.verb), "changed")
    return f"{last.actor_label} {did} this meanwhile. Read it again, then decide. Nothing was changed."


def _decide(item: LearningItem, transition: Transition, actor: Actor, reason: str) -> None:
    item.status = transition.target
    item.decided_by_id, item.decided_by_label, item.decided_at = actor.user_id, actor.label, timezone.now()
    item.decision_reason = within(reason, field="reason", most=500, least=0)
    item.revision += 1
    history.save(item, actor, transition.past)
