"""What an item proposes, whatever its kind, with changes to its words."""

from digitalworker.common.errors import Invalid

from .choices import ItemKind
from .models import LearningItem
from .payload import Payload, checked
from .skill_draft import SkillDraft, edited
from .soul_draft import SoulDraft, soul_draft
from .soul_text import PARTS

type Draft = Payload | SkillDraft | SoulDraft

# By which words a proposal is changed, and what is said to who sends others.
_SOUL = "A soul is changed by its parts: send " + ", ".join(PARTS) + "."
_SKILL = "A skill is changed as a whole: send its document."
_CHANGED_BY = {
    ItemKind.MEMORY: "Only a skill has a document. Send kind, key or content.",
    ItemKind.SKILL: _SKILL,
    ItemKind.SKILL_UPDATE: _SKILL,
    ItemKind.SOUL_UPDATE: _SOUL,
}
_FIELDS = {
    ItemKind.MEMORY: ("kind", "key", "content"),
    ItemKind.SKILL: ("document",),
    ItemKind.SKILL_UPDATE: ("document",),
    ItemKind.SOUL_UPDATE: tuple(PARTS),
}


def payload_of(item: LearningItem, changes: dict | None = None) -> Draft:
    """What the item proposes, with `changes` to its words. The scope and the person never change by editing.

    Raises Invalid where the words do not fit, and where they are not of this kind of proposal.
    """
    kind, held = ItemKind(item.kind), item.proposed_payload
    changes = changes or {}
    others = {name for fields in _FIELDS.values() for name in fields}.difference(_FIELDS[kind])
    if wrong := sorted(others & changes.keys()):
        message = _CHANGED_BY[kind]
        raise Invalid(message, errors={wrong[0] if kind == ItemKind.MEMORY else _FIELDS[kind][0]: [message]})
    allowed = {name: value for name, value in changes.items() if name in _FIELDS[kind]}
    if kind == ItemKind.MEMORY:
        return checked(**held | allowed)
    if kind == ItemKind.SOUL_UPDATE:
        return soul_draft(held | allowed)
    return edited(item, allowed.get("document", held["document"]))
