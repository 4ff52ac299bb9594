"""Proposing a skill, new or other words for one: the one way in, whoever wrote it. Nothing here is ever used unasked; what is
in use or waiting already in exactly these words is answered instead of a twin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from digitalworker.agents.models import ChatEvent, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, NotFound
from digitalworker.common.text import digest, within
from digitalworker.common.types import Actor, ActorKind
from learning.choices import ItemKind, MemoryScope, Outcome, Source
from learning.models import ItemFile, LearningItem
from learning.policies import may_read_sensitive, require_decision, said_by
from learning.policy import Listening
from learning.skill_draft import RATIONALE_MOST, SkillDraft, named, skill_draft
from skills.choices import SkillStatus
from skills.document import parse
from skills.models import Skill
from skills.package import File, Package
from skills.selectors import package_of

from ._audited import audited_refs
from ._owner import lock_owner
from ._same import add_evidence, pending_with_evidence, turned_down_lately
from ._screening import pii_kinds, screen
from .propose import Proposed, listening

HEARD = frozenset({Source.DETECTED, Source.TOOL})  # nobody wrote these by hand, so they follow the agent's switches


@dataclass(frozen=True, slots=True)
class SkillProposal:
    """`document` is the exact SKILL.md. `foreign`: it came from elsewhere, so our sections may be missing, and whom it is for
    is said here and not by it. `files` None: those that the version in use has. `source_refs` are the messages it rests on, as
    `LearningItem.source_refs`."""

    document: str
    files: Sequence[File] | None = None
    scope: str = MemoryScope.ROLE_AGENT
    source: Source = Source.MANUAL
    rationale: str = ""
    source_refs: Sequence[dict] = ()
    event: ChatEvent | None = None
    foreign: bool = False
    sensitive: bool = False
    confidence: float | None = None
    detector: str = ""
    proposed_by: str = ""  # where it is not who sends it

    @property
    def is_heard(self) -> bool:
        return self.source in HEARD


def propose_skill(
    *, actor: Actor, role_agent: RoleAgent, proposal: SkillProposal, skill: Skill | None = None
) -> Proposed:
    """The item that waits: a new skill, or an update of `skill` or of the one that has its name already.

    Raises Invalid with the line of each fault, Refused (audited) where screening finds a secret or a plain attempt to steer
    the agent, and Conflict where it is in use in just these words, or where somebody turned them down lately. What was heard
    raises neither: nobody is there to be told, so there is only an outcome.
    """
    if not proposal.is_heard:
        require_decision(actor, role_agent=role_agent, scope=proposal.scope, sensitive=False)
    if skill is not None and not _is_of(skill, role_agent, proposal.scope):
        raise NotFound("There is no such skill for this role-agent.")
    files = _files(proposal, skill or named(parse(proposal.document).name, proposal.scope, role_agent))
    draft = skill_draft(
        proposal.document,
        scope=proposal.scope,
        agent=role_agent.code,
        foreign=proposal.foreign,
        name=skill.name if skill else "",
        files=files,
    )
    rationale = within(proposal.rationale, field="rationale", most=RATIONALE_MOST, least=0)
    findings = screen(actor=actor, role_agent=role_agent, payload=draft, beside=[rationale], files=files)
    with transaction.atomic():
        lock_owner(proposal.scope, role_agent, None)
        agent = RoleAgent.objects.select_related("organization").get(pk=role_agent.pk)
        if proposal.is_heard and not (listening(agent) == Listening.ON and agent.skill_learning_enabled):
            return Proposed(None, None, Outcome.NOT_LEARNING)
        held = _held(skill, draft, agent)
        blind = actor.is_person and not may_read_sensitive(actor)
        active = held.active_version if held else None
        hidden = active is not None and active.sensitive and blind
        if (
            active is not None
            and not hidden
            and active.digest == Package(draft.name, parse(draft.document), files).digest
        ):
            return _known(proposal, f"The skill {draft.name} says exactly this already.", "known_already")
        if waiting := _waiting(agent, draft, proposal.source_refs, blind=blind):
            return Proposed(waiting, None, Outcome.KNOWN)
        if turned_down_lately(draft, agent, None, draft.dedupe_key(None), blind=blind):
            words = "These words were turned down within the last month. Undo that decision instead."
            return _known(proposal, words, "turned_down")
        item = _item(actor, agent, proposal, draft, held, findings)
        item.rationale = rationale
        item.sensitive = proposal.sensitive or bool(findings) or bool(active and active.sensitive)
        return _saved(actor, item, draft, files, blind=blind)


def _is_of(skill: Skill, role_agent: RoleAgent, scope: str) -> bool:
    owner = None if scope == MemoryScope.ORGANIZATION else role_agent.pk
    return skill.organization_id == role_agent.organization_id and skill.role_agent_id == owner


def _held(skill: Skill | None, draft: SkillDraft, agent: RoleAgent) -> Skill | None:
    """The skill as it is now, its owner locked; one that was archived meanwhile is none."""
    if skill is None:
        return named(draft.name, draft.scope, agent)
    held = Skill.objects.select_related("active_version").get(pk=skill.pk)
    if held.status == SkillStatus.ARCHIVED:
        raise Conflict("This skill is archived. Resume it first, then propose what it should say.", code="archived")
    return held


def _files(proposal: SkillProposal, skill: Skill | None) -> tuple[File, ...]:
    if proposal.files is not None:
        return tuple(proposal.files)
    return package_of(skill.active_version).files if skill and skill.active_version else ()


def _known(proposal: SkillProposal, why: str, code: str) -> Proposed:
    if proposal.is_heard:
        return Proposed(None, None, Outcome.KNOWN)
    raise Conflict(why, code=code)


def _waiting(agent: RoleAgent, draft: SkillDraft, refs: Iterable[dict], *, blind: bool) -> LearningItem | None:
    """The pending item that says just this, with these messages as more evidence for it."""
    found = pending_with_evidence(agent, draft.dedupe_key(None), None, blind=blind)
    if found is not None:
        for ref in refs:
            add_evidence(found, ref)
    return found


def _item(
    actor: Actor,
    agent: RoleAgent,
    proposal: SkillProposal,
    draft: SkillDraft,
    held: Skill | None,
    findings: list[dict],
) -> LearningItem:
    by = agent.name if actor.kind == ActorKind.WORKER else actor.label
    return LearningItem(
        organization_id=agent.organization_id,
        role_agent=agent,
        kind=ItemKind.SKILL_UPDATE if held else ItemKind.SKILL,
        skill=held,
        proposed_payload=draft.as_json(),
        digest=draft.digest,
        dedupe_key=draft.dedupe_key(None),
        source_refs=list(proposal.source_refs),
        evidence_count=max(1, len(proposal.source_refs)),
        event=proposal.event,
        thread_id=proposal.event.thread_id if proposal.event else None,
        source=proposal.source,
        proposed_by_label=proposal.proposed_by or by,
        proposed_by_id=actor.user_id or said_by(proposal.event),
        risk=draft.risk,
        findings=findings,
        pii_entities=pii_kinds(draft),
        confidence=proposal.confidence,
        detector=proposal.detector,
    )


def _saved(actor: Actor, item: LearningItem, draft: SkillDraft, files: tuple[File, ...], *, blind: bool) -> Proposed:
    try:
        with transaction.atomic():
            history.save(item, actor, "proposed", force_insert=True)
    except IntegrityError:  # a reviewer edited another item into these words between our look and our insert
        if waiting := _waiting(item.role_agent, draft, item.source_refs, blind=blind):
            return Proposed(waiting, None, Outcome.KNOWN)
        if not blind:
            raise
        item.dedupe_key = digest(item.dedupe_key, str(item.pk))  # beside a twin that they may not know of
        history.save(item, actor, "proposed", force_insert=True)
    ItemFile.objects.bulk_create(
        ItemFile(
            organization_id=item.organization_id,
            item=item,
            path=file.path,
            content=file.content,
            size=len(file.content),
            digest=file.digest,
            executable=file.executable,
        )
        for file in files
    )
    record(
        verb=Verb.LEARNING_PROPOSED,
        actor=actor,
        obj=item,
        role_agent=item.role_agent,
        source_refs=audited_refs(item),
        details={} if item.sensitive else {"scope": draft.scope, "files": len(files)},
    )
    return Proposed(item, None, Outcome.SENSITIVE if item.sensitive else Outcome.PROPOSED)
