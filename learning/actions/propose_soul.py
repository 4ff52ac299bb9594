"""Proposing how an agent talks: a new soul, or other words for one that there is. It waits in the inbox like everything else."""

from dataclasses import dataclass, field

from django.db import transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import require_admin, require_review
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Denied, Invalid
from digitalworker.common.text import name_within
from digitalworker.common.types import Actor
from learning.choices import ItemKind, MemoryScope, Risk, Source
from learning.models import LearningItem
from learning.policies import refusal_by_hand, require_words
from learning.soul_draft import SoulDraft, soul_draft
from souls.actions.versions import (
    Approved,
    activate,
    checked_code,
    checked_name,
    checked_summary,
    code_taken,
)
from souls.models import Soul
from souls.policies import is_shared, may_read, visible_souls

from ._audited import audited_refs
from ._item import save_pending
from ._owner import lock_owner
from ._screening import pii_kinds, screen

WAITS = "Another pending item says exactly this already. Decide that one instead."
RATIONALE_MOST = 300


@dataclass(frozen=True, slots=True)
class SoulWords:
    """`parts` are the fields of a soul. What it is called is asked for a new one only."""

    parts: dict[str, str]
    code: str = ""
    name: str = ""
    summary: str = ""
    rationale: str = field(default="", kw_only=True)


def propose_soul(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    words: SoulWords,
    soul: Soul | None = None,
    source: Source = Source.MANUAL,
    sensitive: bool = False,
) -> LearningItem:
    """A soul, or with `soul` an update of it, that waits for who decides: the agent's manager where nobody else talks by it,
    else an owner or admin. Raises Refused (audited) for what no soul may say, Conflict where it waits already."""
    require_review(actor, role_agent)
    draft = _draft(actor, role_agent, words, soul)
    rationale = name_within(words.rationale, field="rationale", most=RATIONALE_MOST, least=0)
    findings = screen(actor=actor, role_agent=role_agent, payload=draft, beside=[rationale, draft.name, draft.summary])
    with transaction.atomic():
        lock_owner(draft.scope, role_agent, None)
        item = LearningItem(
            organization_id=role_agent.organization_id,
            role_agent=role_agent,
            kind=ItemKind.SOUL_UPDATE,
            soul=soul,
            proposed_payload=draft.as_json(),
            digest=draft.digest,
            dedupe_key=draft.dedupe_key(None),
            source=source,
            proposed_by_label=actor.label,
            proposed_by_id=actor.user_id,
            rationale=rationale,
            risk=Risk.MEDIUM if draft.scope == MemoryScope.ORGANIZATION else Risk.LOW,
            sensitive=sensitive
            or bool(findings)
            or bool(soul and soul.active_version and soul.active_version.sensitive),
            findings=findings,
            pii_entities=pii_kinds(draft),
        )
        save_pending(item, actor, "proposed", WAITS)
        record(
            verb=Verb.LEARNING_PROPOSED,
            actor=actor,
            obj=item,
            role_agent=role_agent,
            source_refs=audited_refs(item),
            details={"scope": draft.scope, **({"soul": soul.pk} if soul else {})},
        )
    return item


def create_soul(*, actor: Actor, words: SoulWords, sensitive: bool = False) -> Soul:
    """A new soul in an owner's or admin's own words, in use at once for whom it is assigned to. Where nobody approves their
    own words it is proposed for a role-agent instead."""
    require_admin(actor)
    if actor.agent_ids is not None:
        raise Denied("This key is limited to some role-agents, so it can not create a soul for all of them.")
    owner = RoleAgent(organization_id=actor.organization_id, name="The organisation")
    if refusal_by_hand(actor, role_agent=owner, scope=MemoryScope.ORGANIZATION):
        raise Denied(
            f"At {owner.organization.name} nobody approves their own words, so no soul is written by hand. Propose it from a"
            " role-agent’s Soul tab; somebody else approves it.",
            code="second_person_needed",
            may=[],
        )
    draft = _draft(actor, owner, words, None, scope=MemoryScope.ORGANIZATION)
    findings = screen(actor=actor, role_agent=None, payload=draft, beside=[draft.name, draft.summary])
    with transaction.atomic():
        lock_owner(MemoryScope.ORGANIZATION, owner, None)
        require_words(actor, role_agent=owner, scope=MemoryScope.ORGANIZATION, findings=findings)
        approved = Approved(
            parts=draft.parts,
            code=draft.code,
            name=draft.name,
            summary=draft.summary,
            sensitive=sensitive or bool(findings),
            item_id=None,
            proposed_by_label=actor.label,
        )
        return activate(actor=actor, approved=approved, soul=None).soul


def scope_of(soul: Soul | None, role_agent: RoleAgent) -> str:
    """Whose matter a change of it is. What nobody has yet is the agent's that it is proposed for."""
    return MemoryScope.ORGANIZATION if soul and is_shared(soul, role_agent) else MemoryScope.ROLE_AGENT


def _draft(actor: Actor, role_agent: RoleAgent, words: SoulWords, soul: Soul | None, scope: str = "") -> SoulDraft:
    """`words` as a checked draft, of a soul that there is or of a new one."""
    if soul is not None:
        active = soul.active_version
        if active and not may_read(actor, active):
            raise Denied("This soul is sensitive; an owner or an admin proposes changes of it.")
        named = {"code": soul.code, "name": soul.name, "summary": soul.summary}
    else:
        active = None
        named = {
            "code": checked_code(words.code.strip()),
            "name": checked_name(words.name),
            "summary": checked_summary(words.summary),
        }
        if visible_souls(actor).filter(code=named["code"], active_version__isnull=False).exists():
            raise code_taken(named["code"])
    draft = soul_draft(named | words.parts | {"scope": scope or scope_of(soul, role_agent)})
    if active and all(getattr(active, name) == text for name, text in draft.parts.items()):
        message = "This is what it says already."
        raise Invalid(f"tone_rules_md: {message}", errors={"tone_rules_md": [message]})
    return draft
