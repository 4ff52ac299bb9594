"""Writing what is known. Every path that ends in a memory, approved or by hand, ends in `write`."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from digitalworker.agents.models import ChatEvent, Person, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, Invalid, NotFound
from digitalworker.common.ids import uuid7
from digitalworker.common.locking import check_revision, lock
from digitalworker.common.types import Actor
from learning.choices import ItemStatus, MemoryKind, MemoryScope, MemoryStatus, Risk, Source
from learning.models import LearningItem, Memory
from learning.payload import Payload, checked, checked_risk
from learning.policies import (
    is_own_word,
    own_words,
    require_by_hand,
    require_decision,
    require_second_person,
    require_words,
    visible_memories,
)
from learning.queue import embed_soon

from ._audited import audited_reason, because
from ._owner import live_memories, lock_owner, require_room
from ._screening import pii_kinds, rules_in, screen, unjudged, unlooked


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory comes from and who let it in."""

    source: Source = Source.MANUAL
    item: LearningItem | None = None
    event: ChatEvent | None = None
    confidence: float | None = None
    risk: str = Risk.LOW
    sensitive: bool = False
    findings: list[dict] = field(default_factory=list)  # by hand: what screening found that nobody has judged
    pii_entities: list[str] = field(default_factory=list)
    proposed_by_label: str = ""
    detector: str = ""
    source_refs: list[dict] = field(default_factory=list)
    evidence_count: int = 1
    policy: str = ""  # the row of the policy that let it in, where no person did
    replaces: UUID | None = None  # what it says otherwise than, where no key tells


def remember(
    *,
    actor: Actor,
    role_agent: RoleAgent | None,
    content: str,
    key: str | None = None,
    kind: str = MemoryKind.FACT,
    scope: str = MemoryScope.ROLE_AGENT,
    person: Person | None = None,
    risk: str = Risk.LOW,
    sensitive: bool = False,
    source: Source = Source.MANUAL,
    event: ChatEvent | None = None,
) -> Memory:
    """Save a memory by hand. With a key it is an upsert: what the key held is superseded and stays in history. Where screening
    finds something in it, it is sensitive, and only who may decide that may write it (`require_by_hand`).

    `role_agent` may be None for what the whole organisation will know.
    """
    payload = checked(scope=scope, kind=kind, key=key, content=content)
    checked_risk(risk)
    findings = screen(actor=actor, role_agent=role_agent, payload=payload)
    origin = Origin(source=source, event=event, risk=risk, sensitive=sensitive, findings=findings)
    return hold(actor=actor, role_agent=role_agent, person=person, payload=payload, origin=origin)


def hold(
    *, actor: Actor, role_agent: RoleAgent | None, person: Person | None, payload: Payload, origin: Origin
) -> Memory:
    """Save what a person may decide, after its words were screened. What is known under its key, or in these words, was judged
    already, as for `edit_memory`: the same words again are no more sensitive than they were."""
    owner = role_agent or RoleAgent(organization_id=actor.organization_id, name="The organisation")
    with transaction.atomic():
        lock_owner(payload.scope, owner, person)
        found = origin.findings
        if found and (before := _before(owner, person, payload)):
            found = unjudged(found, payload, before)
        require_by_hand(actor, role_agent=owner, scope=payload.scope, sensitive=origin.sensitive, findings=found)
        origin = replace(origin, sensitive=origin.sensitive or bool(found), findings=found)
        return write(actor=actor, role_agent=owner, person=person, payload=payload, origin=origin)


def _before(owner: RoleAgent, person: Person | None, payload: Payload) -> Memory | None:
    """What its key holds, or, of two without one that say it, the one that is not sensitive."""
    live = live_memories(payload.scope, owner, person)
    same = live.filter(key=payload.key) if payload.key else live.filter(key=None, digest=payload.digest)
    return same.order_by("sensitive").first()


def write(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    person: Person | None,
    payload: Payload,
    origin: Origin,
    audit: bool = True,
    replaces_seen: str | None = None,
) -> Memory:
    """The memory of `payload`, inside the caller's transaction, after `lock_owner` and the permission check.

    The same words under the same key change nothing and return the row that holds them; where policy saved it without
    asking, a person who says them agrees, as by `keep_autosave`. `replaces_seen` is the memory the actor was shown as what
    this replaces (`Memory.as_seen`), "" for none; None asks nothing.
    """
    live = live_memories(payload.scope, role_agent, person)
    if payload.key:
        held = live.filter(key=payload.key).first()
    else:  # the same words, sensitive and not, are two memories: who may not read the one is not told of it by the other
        keyless = live.filter(key=None)
        held = keyless.filter(digest=payload.digest, sensitive=origin.sensitive).first()
        if held is None and origin.replaces:
            held = keyless.filter(pk=origin.replaces).first()
    if held and held.sensitive and not origin.sensitive:
        # Taking its key would replace what the actor may not even read; asked first, because whether the words are
        # the same tells what it says.
        require_decision(actor, role_agent=role_agent, scope=payload.scope, sensitive=True)
    if held and held.digest == payload.digest and (held.sensitive or not origin.sensitive):
        if held.autosaved and held.reviewed_at is None and actor.user_id and not origin.policy:
            mark_kept(held, actor=actor)
        return held
    if replaces_seen is not None:
        _require_seen(held, replaces_seen)
    return _put(
        actor=actor, role_agent=role_agent, person=person, payload=payload, origin=origin, held=held, audit=audit
    )


def _require_seen(held: Memory | None, seen: str) -> None:
    """Nothing is replaced that nobody read."""
    if seen == (held.as_seen if held else ""):
        return
    if held is None:
        what = "What this was to replace is gone meanwhile. Read it again, then decide."
    elif seen:
        what = "What this would replace changed meanwhile. Read it again, then decide."
    else:
        what = (
            "This would replace something you were not shown. Read it again, then decide; if you changed the key, save it"
            " and keep it pending first."
        )
    holder = str(held.pk) if held else None
    raise Conflict(f"{what} Nothing was changed.", code="replaces_changed", holder=holder)


def _put(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    person: Person | None,
    payload: Payload,
    origin: Origin,
    held: Memory | None,
    audit: bool = True,
    reason: str = "",
) -> Memory:
    """A new memory, in the place of `held` or, without it, where there is room."""
    fresh = Memory(
        id=uuid7(),
        organization_id=role_agent.organization_id,
        role_agent=None if payload.scope == MemoryScope.ORGANIZATION else role_agent,
        person=person if payload.scope == MemoryScope.PERSON else None,
        **payload.as_json(),
        digest=payload.digest,
        risk=origin.risk,
        sensitive=origin.sensitive,
        pii_entities=pii_kinds(payload, origin.pii_entities),
        confidence=origin.confidence,
        source=origin.source,
        created_by_label=origin.proposed_by_label or actor.label,
        autosaved=bool(origin.policy),
        pinned=bool(held and held.pinned),  # what stands first by a person's wish stays first in its newer wording
        detector=origin.detector,
        source_refs=origin.source_refs,
        evidence_count=origin.evidence_count,
        item=origin.item,
        event=origin.event,
        thread_id=origin.event.thread_id if origin.event else None,
        reviewer_id=actor.user_id,
        reviewer_label=actor.label if actor.user_id else "",
        reviewed_at=timezone.now() if actor.user_id else None,
    )
    if held:
        mark_superseded(held, by=fresh, actor=actor)
    else:
        require_room(payload.scope, role_agent, person)
    done = "replaced an older memory" if held else "saved"
    history.save(fresh, actor, because(done, reason), force_insert=True)
    if audit:
        by_hand = Verb.MEMORY_SUPERSEDED if held else Verb.MEMORY_SAVED
        details = {"superseded": held.pk} if held else {}
        record(
            verb=Verb.MEMORY_AUTO_SAVED if origin.policy else by_hand,
            actor=actor,
            obj=fresh,
            role_agent=fresh.role_agent,  # none for the organisation's own, whichever agent it came through
            reason=audited_reason(fresh, reason),
            source_refs=[{"type": "event", "id": origin.event.pk}] if origin.event and not fresh.sensitive else [],
            details=details | rules_in(origin.findings) | ({"policy": origin.policy} if origin.policy else {}),
        )
    transaction.on_commit(embed_soon)
    return fresh


def supersede(*, actor: Actor, memory_id: UUID, content: str, revision: int | None, reason: str = "") -> Memory:
    """A new memory in the place of an old one, which stays readable as superseded."""
    old = find(actor, memory_id)
    payload = checked(scope=old.scope, kind=old.kind, key=old.key, content=content)
    findings = screen(actor=actor, role_agent=old.role_agent, payload=payload)
    with transaction.atomic():
        old, origin = _take(actor, old, revision, payload, findings)
        if old.digest == payload.digest:
            raise Invalid(
                "content: this is what it says already.", errors={"content": ["This is what it says already."]}
            )
        return _put(
            actor=actor,
            role_agent=agent_of(old),
            person=old.person,
            payload=payload,
            origin=origin,
            held=old,
            reason=reason,
        )


def edit_memory(*, actor: Actor, memory_id: UUID, content: str, revision: int | None) -> Memory:
    """Mend the wording in place: same memory, same provenance, the old words in history."""
    memory = find(actor, memory_id)
    payload = checked(scope=memory.scope, kind=memory.kind, key=memory.key, content=content)
    findings = screen(actor=actor, role_agent=memory.role_agent, payload=payload)
    with transaction.atomic():
        memory, origin = _take(actor, memory, revision, payload, findings)
        if memory.digest == payload.digest:
            return memory
        memory.sensitive = origin.sensitive
        memory.content, memory.digest, memory.pii_entities = payload.content, payload.digest, pii_kinds(payload)
        memory.reviewer_id, memory.reviewer_label, memory.reviewed_at = actor.user_id, actor.label, timezone.now()
        memory.revision += 1
        history.save(memory, actor, "edited")
        found = rules_in(origin.findings)
        record(verb=Verb.MEMORY_EDITED, actor=actor, obj=memory, role_agent=memory.role_agent, details=found)
        transaction.on_commit(embed_soon)
    return memory


def _take(
    actor: Actor, memory: Memory, revision: int | None, payload: Payload, findings: list[dict]
) -> tuple[Memory, Origin]:
    """The memory, locked, if the actor may put `payload`'s words in its place, and what that makes of them."""
    memory = lock_live(actor, memory, revision)
    found = unjudged(findings, payload, memory)
    require_by_hand(actor, role_agent=agent_of(memory), scope=memory.scope, sensitive=memory.sensitive, findings=found)
    return memory, Origin(risk=memory.risk, sensitive=memory.sensitive or bool(found), findings=found)


@transaction.atomic
def delete_memory(*, actor: Actor, memory_id: UUID, revision: int | None, reason: str = "") -> Memory:
    """Out of every prompt from now on; recoverable by `restore_memory`."""
    memory = lock_live(actor, find(actor, memory_id), revision)
    memory.status, memory.deleted_at, memory.pinned = MemoryStatus.DELETED, timezone.now(), False
    memory.revision += 1
    history.save(memory, actor, because("deleted", reason))
    told = audited_reason(memory, reason)
    record(verb=Verb.MEMORY_DELETED, actor=actor, obj=memory, role_agent=memory.role_agent, reason=told)
    return memory


def restore_memory(*, actor: Actor, memory_id: UUID, revision: int | None) -> Memory:
    """A deleted or superseded memory is live again, by the word of who restores it. Its key must be free, and there must be
    room; its words must pass what is looked for today; and an approval that was undone is not made good by it."""
    seen = find(actor, memory_id)
    require_decision(actor, role_agent=agent_of(seen), scope=seen.scope, sensitive=seen.sensitive)
    payload = checked(scope=seen.scope, kind=seen.kind, key=seen.key, content=seen.content)
    findings = screen(actor=actor, role_agent=seen.role_agent, payload=payload)
    with transaction.atomic():
        # The words that were just screened: who gives no revision means the one they would have seen.
        return _restore(actor, seen, seen.revision if revision is None else revision, findings)


def _restore(actor: Actor, seen: Memory, revision: int, findings: list[dict]) -> Memory:
    memory = lock_memory(actor, seen, revision)
    if memory.is_live:
        raise Conflict("This memory is live already.", code="already_live")
    _require_approval(actor, memory)
    found = unlooked(findings, memory)
    agent = agent_of(memory)
    require_words(actor, role_agent=agent, scope=memory.scope, findings=found)
    live = live_memories(memory.scope, agent, memory.person)
    same = {"key": memory.key} if memory.key else {"key": None, "digest": memory.digest, "sensitive": memory.sensitive}
    if holder := live.filter(**same).first():
        raise Conflict(
            f"“{memory.key}” has a newer value. Delete that one first, then restore this."
            if memory.key
            else "This is known already, in another memory.",
            code="key_taken" if memory.key else "known_already",
            holder=str(holder.pk),
        )
    require_room(memory.scope, agent, memory.person)
    memory.status, memory.deleted_at, memory.superseded_by = MemoryStatus.ACTIVE, None, None
    memory.sensitive = memory.sensitive or bool(found)
    memory.reviewer_id, memory.reviewer_label, memory.reviewed_at = actor.user_id, actor.label, timezone.now()
    memory.revision += 1
    history.save(memory, actor, "restored")
    record(verb=Verb.MEMORY_RESTORED, actor=actor, obj=memory, role_agent=memory.role_agent)
    transaction.on_commit(embed_soon)
    return memory


def _require_approval(actor: Actor, memory: Memory) -> None:
    """What came from a proposal is known by its approval; and where duties are separated, nobody restores their own words."""
    item = memory.item
    if item is not None:
        if item.status != ItemStatus.APPROVED or item.memory_id != memory.pk:
            raise Conflict(
                "The approval this came from was undone. Decide about the proposal instead.",
                code="approval_undone",
                item=str(item.pk),
            )
        require_second_person(actor, item, edits=False)
    if is_own_word(actor, memory):
        raise own_words(actor, memory)
    if memory.organization.separation_of_duties and _wrote(actor, memory):
        raise own_words(actor, memory, did="wrote")


def _wrote(actor: Actor, memory: Memory) -> bool:
    """Whether the actor put these words there by hand, as they could while duties were not separated."""
    if actor.user_id is None or (memory.item and memory.item.digest == memory.digest):
        return False
    of_agent = memory.supersedes.filter(scope=MemoryScope.ROLE_AGENT, content=memory.content)
    if memory.scope == MemoryScope.ORGANIZATION and of_agent.exists():
        return False  # promoted: the words were a role-agent's before
    first = memory.history.filter(digest=memory.digest).order_by("history_id").first()
    return first is not None and first.history_user_id == actor.user_id


def find(actor: Actor, memory_id: UUID) -> Memory:
    memory = visible_memories(actor).select_related("role_agent", "person", "organization").filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("There is no such memory.")
    return memory


def agent_of(memory: Memory) -> RoleAgent:
    """The role-agent, or for an organisation's memory a stand-in that only names the organisation."""
    return memory.role_agent or RoleAgent(organization_id=memory.organization_id, name=str(memory.organization))


def lock_memory(actor: Actor, memory: Memory, revision: int | None) -> Memory:
    lock_owner(memory.scope, agent_of(memory), memory.person)
    locked = lock(visible_memories(actor).select_related("role_agent", "person", "organization"), pk=memory.pk)
    require_decision(actor, role_agent=agent_of(locked), scope=locked.scope, sensitive=locked.sensitive)
    check_revision(locked, revision)
    return locked


def lock_live(actor: Actor, memory: Memory, revision: int | None) -> Memory:
    locked = lock_memory(actor, memory, revision)
    if not locked.is_live:
        raise Conflict(f"This memory is {locked.get_status_display().lower()} already.", code="not_live")
    return locked


def mark_kept(memory: Memory, *, actor: Actor) -> None:
    """A person agrees with what was saved without asking: it counts as approved. The caller has locked the owner."""
    memory.reviewer_id, memory.reviewer_label, memory.reviewed_at = actor.user_id, actor.label, timezone.now()
    memory.revision += 1
    history.save(memory, actor, "kept")
    record(verb=Verb.AUTOSAVE_KEPT, actor=actor, obj=memory, role_agent=memory.role_agent)


def mark_superseded(old: Memory, *, by: Memory, actor: Actor) -> None:
    # The pointer is set before the new row exists: the foreign key is checked at commit, the unique key at once.
    old.status, old.superseded_by_id, old.pinned = MemoryStatus.SUPERSEDED, by.pk, False
    old.revision += 1
    history.save(old, actor, "superseded")
