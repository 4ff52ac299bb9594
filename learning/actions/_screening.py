"""Screening as an action sees it: a refusal is audited by its kind, and the words go nowhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from django.db import transaction

from digitalworker.agents.models import Organization, RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Refused
from digitalworker.common.text import digest
from digitalworker.common.types import Actor
from learning.choices import MemoryScope
from learning.drafts import Draft
from learning.models import Memory
from learning.payload import Payload, searched
from learning.sameness import normal
from learning.screening import find_injections, refuse_secrets
from learning.screening.personal import kinds_of
from learning.screening.procedures import READ_MOST, find_in_document, find_in_files
from learning.screening.sensitive import find_sensitive, is_sensitive
from learning.skill_draft import SkillDraft
from learning.soul_draft import SoulDraft
from skills.package import File
from souls.limits import refuse_beyond_tone

_TRIED = {"injection": "tried to steer the agent", "beyond_tone": "asked for more than a tone"}  # by why it was refused


def screen(
    *,
    actor: Actor,
    role_agent: RoleAgent | None,
    payload: Draft,
    beside: Iterable[str] = (),
    files: Sequence[File] = (),
) -> list[dict]:
    """What a reviewer must know of `payload`'s words, and of the `files` a skill comes with: findings as JSON, with places in
    `content` or the file they are in.

    Words with any are sensitive, proposed or written by hand. Raises Refused where it, or
    what is stored `beside` it, holds a secret, or where it plainly tries to steer the agent. Called before the action's own
    transaction, so that the audit row stays.
    """
    try:
        for words in (payload.key or "", *beside):
            refuse_secrets(words)
        refuse_secrets(payload.content, under=payload.key or "")
        if isinstance(payload, SoulDraft):
            refuse_beyond_tone(payload.parts)
        about_person = payload.scope == MemoryScope.PERSON
        is_skill = isinstance(payload, SkillDraft)
        read = payload.content[:READ_MOST] if is_skill else payload.content
        matters = find_sensitive(read, key=payload.key or "", about_person=about_person)
        findings = [*_steering(read, key=payload.key or ""), *map(asdict, matters)]
        if is_skill:
            findings += [*find_in_document(payload.content), *find_in_files(files)]
        return findings
    except Refused as refusal:
        kinds = refusal.extra.get("kinds", [])
        what = _TRIED.get(refusal.code) or "held " + (", ".join(kinds) or "a secret")
        with transaction.atomic():
            record(
                verb=Verb.LEARNING_REFUSED,
                actor=actor,
                obj=role_agent or Organization.objects.get(pk=actor.organization_id),
                role_agent=role_agent,
                label=f"a text that {what}",
                details={"kinds": kinds},
            )
        raise


def steers(findings: list[dict]) -> bool:
    """Whether any says that the words may be an attempt to steer the agent."""
    return any(not is_sensitive(finding["rule"]) for finding in findings)


def place_of(finding: dict) -> tuple[int, int]:
    """Where in the words a stored finding is; one that is about them as a whole names no place."""
    return finding.get("start", 0), finding.get("end", 0)


def named(findings: Iterable[dict], text: str) -> Iterator[tuple[str, str]]:
    """Each finding by its rule and a digest of what it is about."""
    for finding in findings:
        start, end = place_of(finding)
        words = [finding["file"], finding.get("excerpt", "")] if "file" in finding else [normal(text[start:end])]
        yield finding["rule"], digest(*words)


def unjudged(findings: list[dict], payload: Payload, before: Memory) -> list[dict]:
    """Of `findings` about `payload` those of which `before`, in whose place it comes, does not say the same already."""
    if not findings or before.sensitive:
        return findings
    key = before.key or ""
    matters = find_sensitive(before.content, key=key, about_person=before.scope == MemoryScope.PERSON)
    known = map(asdict, [*find_injections(before.content), *matters])
    judged = set(named(known, before.content))
    return [one for one, name in zip(findings, named(findings, payload.content), strict=True) if name not in judged]


def unlooked(findings: list[dict], memory: Memory) -> list[dict]:
    """Of `findings` about the words `memory` has, those that nobody judged when its proposal was approved: rules that came
    later found them. Words that were sensitive and are not any more somebody judged as a whole."""
    if memory.sensitive or not findings or memory.history.filter(digest=memory.digest, sensitive=True).exists():
        return []
    item = memory.item
    judged = set(named(item.findings, searched(item.proposed_payload))) if item else set()
    return [one for one, name in zip(findings, named(findings, memory.content), strict=True) if name not in judged]


def rules_in(findings: list[dict]) -> dict[str, list[str]]:
    """For the audit: which rules say that words try to steer. That somebody is ill is not for every reader of the audit."""
    steering = sorted({finding["rule"] for finding in findings if not is_sensitive(finding["rule"])})
    return {"findings": steering} if steering else {}


def pii_kinds(payload: Draft, known: Iterable[str] = ()) -> list[str]:
    """The kinds of personal data in its words that have a form, and those that are known already. A worker finds the rest
    (`pii.look_through`)."""
    return sorted({*kinds_of(payload.content), *known})


def _steering(content: str, *, key: str) -> list[dict]:
    findings = find_injections(content)
    # What is graded so has no honest place in a memory; the rest people also write who mean no harm, so a person reads it.
    grave = [finding for finding in (*find_injections(key), *findings) if finding.severity == "high"]
    if grave:
        raise Refused(
            f"This reads like an attempt to steer the agent: {grave[0].why}. It was not stored.",
            code="injection",
            kinds=sorted({finding.rule for finding in grave}),
        )
    return [asdict(finding) for finding in findings]
