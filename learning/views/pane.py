"""What stands beside one proposal on the reviewer's desk."""

from typing import Any

from digitalworker.agents.models import User
from digitalworker.common.types import Actor
from learning import pane_words as words
from learning import slots
from learning.choices import ItemKind, Why
from learning.models import LearningItem
from learning.payload import searched, text_of
from learning.policies import Transition, may_read_sensitive, possible_reviewers
from learning.selectors import evidence
from learning.words import hidden_from

REVIEWERS_SHOWN = 200


def detail(actor: Actor, item: LearningItem, organization: str, *, actions: dict[str, Transition]) -> dict[str, Any]:
    """Everything about the open item; nothing of a sensitive one for somebody who may not read it."""
    deciders = _deciders(item)
    if hidden_from(actor, item):
        return {"item": item, "hidden": True, "summary": words.hidden_summary(item, deciders)}
    found = evidence.evidence_of(item)
    known = evidence.known_beside(item) if item.is_pending and item.kind == ItemKind.MEMORY else evidence.Known()
    preview = _preview(actor, item, organization, found, known)
    decides = ("approve" if item.kind == ItemKind.MEMORY else "reject") in actions
    return {
        "item": item,
        "deciders": deciders if "reassign" in actions else [],
        "evidence": found,
        "known": known,
        "replaces_seen": known.held.as_seen if known.held else "",
        "preview": preview,
        "reads_all": may_read_sensitive(actor),
        "similar": evidence.similar_memories(actor, item, known),
        "similar_items": evidence.similar_items(actor, item) if item.is_pending else [],
        "steps": evidence.history_of(item),
        "text": text_of(item.proposed_payload),
        "summary": words.summary(item, organization, decides=decides, held=known.held),
        "told_on": words.told_on(item, organization) if "approve" in actions and item.sensitive else "",
        "checks": words.checks(item),
        "findings": words.findings(item),
        "findings_in": searched(item.proposed_payload),
        "facts": words.proposal_facts(item, actor, deciders),
        "budget": words.budget(preview) if preview else None,
        "whys": Why.choices,
    }


def _deciders(item: LearningItem) -> list[User]:
    return list(possible_reviewers(item)[:REVIEWERS_SHOWN]) if item.is_pending else []


def _preview(
    actor: Actor, item: LearningItem, organization: str, found: list[evidence.Evidence], known: evidence.Known
):
    """For the question it was learned from: what else the agent was to know at that moment stands beside it."""
    if not item.is_pending or item.kind != ItemKind.MEMORY:
        return None
    question = next((each.event.text for each in found if each.event.text), item.title)
    replaces = known.held.pk if known.held else None
    return slots.preview(actor, item, question=question, replaces=replaces, organization=organization)
