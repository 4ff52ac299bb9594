"""What stands beside one proposal on the reviewer's desk."""

from typing import Any

from digitalworker.agents.models import User
from digitalworker.common.types import Actor
from learning import pane_words as words
from learning import recall, slots, soul_pane
from learning.choices import SKILLS, ItemKind, Why
from learning.imagine import ALIKE_MOST, OneMore, recall_with
from learning.models import LearningItem
from learning.payload import searched, text_of
from learning.policies import Transition, may_read_sensitive, others_for, possible_reviewers
from learning.selectors import evidence
from learning.selectors.proposed_skills import ProposedSkill, proposed_skill
from learning.words import hidden_from

REVIEWERS_SHOWN = 200


def detail(actor: Actor, item: LearningItem, organization: str, *, actions: dict[str, Transition]) -> dict[str, Any]:
    """Everything about the open item; nothing of a sensitive one for somebody who may not read it."""
    deciders = _deciders(item)
    if hidden_from(actor, item):
        return {"item": item, "hidden": True, "summary": words.hidden_summary(item, deciders)}
    known, messages = _known(item), evidence.evidence_of(item)
    skill = proposed_skill(actor, item) if item.kind in SKILLS else None
    decides = "approve" in actions
    # Who may reject what they may not approve wrote it.
    instead = others_for(actor, item, deciders) if "reject" in actions and not decides else None
    return {
        "item": item,
        "deciders": deciders if "reassign" in actions else [],
        "evidence": messages,
        "known": known,
        "skill": skill,
        "soul_now": soul_pane.text_in_use(actor, item) if item.kind == ItemKind.SOUL_UPDATE else "",
        "skill_room": words.skill_room(skill) if skill else None,
        "replaces_seen": _seen(item, known, skill),
        "reads_all": may_read_sensitive(actor),
        "steps": evidence.history_of(actor, item),
        "text": text_of(item.proposed_payload),
        "summary": words.summary(item, organization, decides=decides, held=known.held, instead=instead, skill=skill),
        "told_on": words.told_on(item, organization) if "approve" in actions and item.sensitive else "",
        "checks": words.checks(item, messages),
        "findings": words.findings(item),
        "findings_in": searched(item.proposed_payload),
        "facts": words.proposal_facts(item, actor, deciders),
        "whys": Why.choices,
    }


def _seen(item: LearningItem, known: evidence.Known, skill: ProposedSkill | None) -> str:
    """What the reviewer is shown as what an approval replaces."""
    if skill is not None:
        return skill.seen
    if item.kind != ItemKind.MEMORY:
        return item.replaces_seen
    return known.held.as_seen if known.held else ""


def _deciders(item: LearningItem) -> list[User]:
    return list(possible_reviewers(item)[:REVIEWERS_SHOWN]) if item.is_pending else []


def _known(item: LearningItem) -> evidence.Known:
    return evidence.known_beside(item) if _is_proposed_memory(item) else evidence.Known()


def _is_proposed_memory(item: LearningItem) -> bool:
    return item.is_pending and item.kind == ItemKind.MEMORY


def beside(actor: Actor, item: LearningItem, organization: str) -> dict[str, Any]:
    """What takes a ranking to tell: what an answer would hold, and what is much like the item. It comes after the pane.

    The answer is that to what the item was learned from: what else the agent was to know at that moment stands beside it.
    By words alone: to ask an embedding engine would make the reviewer wait.
    """
    owner: dict[str, Any] = {
        "organization_id": item.organization_id,
        "role_agent_id": item.role_agent_id,
        "person_id": item.person_id,
    }
    known, preview = _known(item), None
    message = item.event.text if item.event else ""
    if _is_proposed_memory(item):
        payload, question = item.proposed_payload, message or item.title
        replaces = known.held.pk if known.held else None
        one_more = OneMore(payload["scope"], payload["kind"], payload["key"], payload["content"], replaces)
        found = recall_with(one_more, **owner, question=question)
        preview = slots.preview(actor, item, question=question, found=found, organization=organization)
        alike = found.alike
    else:
        alike = recall.similar(**owner, text=item.title, most=ALIKE_MOST)
    return {
        "item": item,
        "preview": preview,
        "from_message": bool(message),
        "reads_all": may_read_sensitive(actor),
        "budget": words.budget(preview) if preview else None,
        "similar": evidence.similar_memories(actor, item, known, alike),
        "similar_items": evidence.similar_items(actor, item) if item.is_pending else [],
    }
