"""A memory written up as a skill, and a skill proposal's text as it is checked, edited and made a memory again.

A draft is sorted from what was said and from nothing else: what nobody said yet is left open for the reviewer, and named so.
"""

import json
import re
from dataclasses import asdict, dataclass

from django.utils.text import slugify

from digitalworker.common.errors import Invalid
from digitalworker.common.text import digest, one_line, within

from .choices import ItemKind, MemoryKind
from .models import LearningItem
from .models.memory import CONTENT_MOST
from .payload import Payload, checked
from .sections import line_of

DOCUMENT_MOST = 20_000
NAME_MOST = 64  # as in the public Agent Skills format
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FIELDS = ("name", "description", "scope", "agent", "risk")
SECTIONS = ("When To Use", "Procedure", "Do Not Do", "Verification")
OPEN = "Still to be written."

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CONDITION = re.compile(r"((?:when|whenever|if|before|after|once|as soon as)\b[^,]{3,}),\s*(.+)", re.I | re.S)
_NEVER = re.compile(r"\b(never|do not|don['’]t|must not|may not)\b", re.I)
_VERIFY = re.compile(r"(verify|confirm|make sure|ensure|afterwards|finally,? check)\b", re.I)


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """What a skill proposal says. `memory` is the proposal it was written from and `made` the digest of the document as it
    was written then; both are empty for a skill that was proposed as one."""

    scope: str
    document: str
    name: str
    description: str
    memory: dict | None = None
    made: str = ""

    key = None  # screening reads key and content, as of a memory

    @property
    def content(self) -> str:
        return self.document

    @property
    def digest(self) -> str:
        return digest("skill", self.scope, self.document)

    @property
    def is_as_written(self) -> bool:
        return self.memory is not None and digest(self.document) == self.made

    def dedupe_key(self, person_id) -> str:
        """While nobody changed the draft it stands for the memory: the same thing said again is evidence for it."""
        if self.memory is not None and self.is_as_written:
            return Payload(**self.memory).dedupe_key(person_id)
        return digest("skill", self.scope, self.document.casefold())

    def as_json(self) -> dict:
        return asdict(self)


def payload_of(item: LearningItem, changes: dict | None = None) -> Payload | SkillDraft:
    """What the item proposes, with `changes` to its words. The scope and the person never change by editing.

    Raises Invalid where the words do not fit, and where they are not of this kind of proposal.
    """
    changes = changes or {}
    if item.kind == ItemKind.SKILL:
        if changes and "document" not in changes:
            raise _wrong_field("A skill is changed as a whole: send its document.")
        return edited(item, changes.get("document", item.proposed_payload["document"]))
    if "document" in changes:
        raise _wrong_field("Only a skill has a document. Send kind, key or content.")
    allowed = {name: value for name, value in changes.items() if name in {"kind", "key", "content"}}
    return checked(**item.proposed_payload | allowed)


def _wrong_field(message: str) -> Invalid:
    return Invalid(message, errors={"document": [message]})


def draft_of(payload: Payload, *, agent: str, risk: str) -> SkillDraft:
    """`payload` written up as a skill document; `agent` is the role-agent's code."""
    description = line_of(payload.key, payload.content)
    name = _name_of(payload)
    values = (name, json.dumps(description, ensure_ascii=False), payload.scope, agent, risk)
    head = "\n".join(f"{field}: {value}" for field, value in zip(FIELDS, values, strict=True))
    sections = "\n\n".join(f"## {title}\n\n{text}" for title, text in _sorted(payload).items())
    document = f"---\n{head}\n---\n\n{sections}"
    return SkillDraft(payload.scope, document, name, description, payload.as_json(), digest(document))


def edited(item: LearningItem, document: str) -> SkillDraft:
    """The item's draft with this document, or Invalid with the line of each fault."""
    held = item.proposed_payload
    document = within(document, field="document", most=DOCUMENT_MOST)
    fields, faults = _read(document)
    for field, must in {"scope": held["scope"], "agent": item.role_agent.code}.items():
        if fields.get(field, must) != must:
            faults.append(f"{field}: it stays {must}.")
    if faults:
        raise Invalid(f"document: {faults[0]}", errors={"document": faults})
    return SkillDraft(
        held["scope"], document, fields["name"], fields["description"], held.get("memory"), held.get("made", "")
    )


def memory_of(draft: SkillDraft) -> Payload:
    """The draft as a memory: what it was written from, where nobody changed it, else a fact from its description."""
    if draft.memory is not None and draft.is_as_written:
        return Payload(**draft.memory)
    return checked(scope=draft.scope, kind=MemoryKind.FACT, key=None, content=draft.description)


def _name_of(payload: Payload) -> str:
    words = slugify((payload.key or payload.content).replace("_", " ")).split("-")
    name = ""
    for word in words[:7]:
        if len(name) + len(word) < NAME_MOST:
            name = f"{name}-{word}".strip("-")
    return name or "new-skill"


def _sorted(payload: Payload) -> dict[str, str]:
    """What was said, by section: a condition in front says when, a "never" what not, a "make sure" how to verify."""
    found: dict[str, list[str]] = {title: [] for title in SECTIONS}
    prefix = f"{payload.key}: " if payload.key else ""
    for sentence in (one_line(part) for part in _SENTENCE.split(prefix + payload.content)):
        condition = _CONDITION.fullmatch(sentence)
        if condition:
            found["When To Use"].append(f"{_capital(condition[1])}.")
            sentence = _capital(condition[2])
        if _NEVER.search(sentence):
            found["Do Not Do"].append(sentence)
        elif _VERIFY.match(sentence):
            found["Verification"].append(sentence)
        elif sentence:
            found["Procedure"].append(sentence)
    return {title: _listed(title, lines) for title, lines in found.items()}


def _listed(title: str, lines: list[str]) -> str:
    if not lines:
        return OPEN
    if title == "When To Use":
        return "\n".join(lines)
    return "\n".join(
        f"{number}. {line}" if title == "Procedure" else f"- {line}" for number, line in enumerate(lines, 1)
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _read(document: str) -> tuple[dict[str, str], list[str]]:
    """The fields of the front matter, and what is wrong with the document, each with its line."""
    lines = document.split("\n")
    if lines[0].rstrip() != "---" or "---" not in (line.rstrip() for line in lines[1:]):
        return {}, ["line 1: begin with the fields of the skill between two lines of ---."]
    end = next(number for number, line in enumerate(lines) if number and line.rstrip() == "---")
    fields: dict[str, str] = {}
    faults: list[str] = []
    for number, line in enumerate(lines[1:end], 2):
        name, colon, value = line.partition(":")
        name = name.strip()
        if not line.strip():
            continue
        if not colon or name not in FIELDS:
            faults.append(f"line {number}: use only {', '.join(FIELDS)}, each as name: value.")
        elif name in fields:
            faults.append(f"line {number}: {name} is there twice.")
        else:
            fields[name] = _value(value.strip())
    faults += [f"line {end + 1}: {name} is missing." for name in FIELDS if not fields.get(name)]
    if fields.get("name") and (len(fields["name"]) > NAME_MOST or not NAME.fullmatch(fields["name"])):
        faults.append(f"name: use small letters, digits and single -, at most {NAME_MOST}.")
    if len(fields.get("description", "")) > CONTENT_MOST:
        faults.append(f"description: at most {CONTENT_MOST:,} characters fit.")
    headings = [line[3:].strip() for line in lines[end + 1 :] if line.startswith("## ")]
    faults += [f"line {len(lines)}: the section ## {title} is missing." for title in SECTIONS if title not in headings]
    return fields, faults


def _value(text: str) -> str:
    try:
        value = json.loads(text) if text.startswith('"') else text
    except ValueError:
        return text
    return one_line(value)
