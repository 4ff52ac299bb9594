"""A memory written up as a skill, and a skill proposal's text as it is checked, edited and made a memory again.

A draft is sorted from what was said and from nothing else: what nobody said yet is left open for the reviewer, and named so.
"""

import re
from dataclasses import asdict, dataclass

from django.utils.text import slugify

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import Invalid
from digitalworker.common.text import digest, one_line
from skills.choices import SkillStatus
from skills.document import NAME_MOST, SIZE_MOST, Document, compose, parse
from skills.models import Skill
from skills.package import File, Package

from .choices import ItemKind, MemoryKind, MemoryScope, Risk
from .models import ItemFile, LearningItem
from .payload import Payload, checked
from .risk import risk_of
from .sections import line_of

DOCUMENT_MOST = SIZE_MOST
RATIONALE_MOST = 300  # characters of why it is proposed
OPEN = "Still to be written."

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CONDITION = re.compile(r"((?:when|whenever|if|before|after|once|as soon as)\b[^,]{3,}),\s*(.+)", re.I | re.S)
_NEVER = re.compile(r"\b(never|do not|don['’]t|must not|may not)\b", re.I)
_VERIFY = re.compile(r"(verify|confirm|make sure|ensure|afterwards|finally,? check)\b", re.I)


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """What a skill proposal says. `foreign`: it came from elsewhere, so our sections may be missing. `files` is the digest of
    the package with its files, "" where it has none. `memory` is the proposal it was written from and `made` the digest of the
    document as it was written then; both are empty for a skill that was proposed as one."""

    scope: str
    document: str
    name: str
    description: str
    memory: dict | None = None
    made: str = ""
    foreign: bool = False
    files: str = ""

    key = None  # screening reads key and content, as of a memory

    @property
    def content(self) -> str:
        return self.document

    @property
    def digest(self) -> str:
        return digest("skill", self.scope, self.document, self.files)

    @property
    def risk(self) -> str:
        """What the document says, and never less than its words tell."""
        said = parse(self.document).risk
        return max(said, risk_of(self.scope, MemoryKind.RULE, None, self.document), key=Risk.values.index)

    @property
    def is_as_written(self) -> bool:
        return self.memory is not None and digest(self.document) == self.made

    def dedupe_key(self, person_id) -> str:
        """While nobody changed the draft it stands for the memory: the same thing said again is evidence for it."""
        if self.memory is not None and self.is_as_written:
            return Payload(**self.memory).dedupe_key(person_id)
        return self.digest

    def as_json(self) -> dict:
        return asdict(self)


def skill_draft(
    document: str, *, scope: str, agent: str, foreign: bool = False, name: str = "", files: tuple[File, ...] = ()
) -> SkillDraft:
    """`document` as a proposal for this scope and the agent of this code, or Invalid with the line of each fault.

    `name`: it is for a skill that has this name already.
    """
    read = parse(document, strict=not foreign)
    faults = [str(fault) for fault in read.errors]
    if read.is_valid:
        faults += _misplaced(read, scope=scope, agent=agent, name=name, foreign=foreign)
    if faults:
        raise Invalid(f"document: {faults[0]}", errors={"document": faults})
    return SkillDraft(
        scope,
        document,
        read.name,
        read.description,
        foreign=foreign,
        files=Package(read.name, read, files).digest if files else "",
    )


def edited(item: LearningItem, document: str) -> SkillDraft:
    """The item's draft with this document, or Invalid with the line of each fault."""
    held = item.proposed_payload
    document = as_typed(document, held["document"])
    draft = skill_draft(
        document,
        scope=held["scope"],
        agent=item.role_agent.code,
        foreign=held.get("foreign", False),
        name=item.skill.name if item.kind == ItemKind.SKILL_UPDATE and item.skill else "",
        files=held_files(item) if held.get("files") else (),
    )
    return SkillDraft(**asdict(draft) | {"memory": held.get("memory"), "made": held.get("made", "")})


def named(name: str, scope: str, role_agent: RoleAgent) -> Skill | None:
    """The owner's skill of this name, unless it is archived: then the name is free again."""
    owner = None if scope == MemoryScope.ORGANIZATION else role_agent
    skills = Skill.objects.filter(organization_id=role_agent.organization_id, role_agent=owner, name=name)
    return skills.exclude(status=SkillStatus.ARCHIVED).select_related("active_version").first()


def as_typed(document: str, before: str) -> str:
    """What a browser sends back of `before`, changed or not: it writes every line end as two characters."""
    plain = document.replace("\r\n", "\n")
    if plain == before.replace("\r\n", "\n").replace("\r", "\n"):
        return before  # also where its line ends are mixed
    return document if "\r\n" in before else plain


def held_files(item: LearningItem) -> tuple[File, ...]:
    return tuple(File(file.path, bytes(file.content), file.executable) for file in ItemFile.objects.filter(item=item))


def files_of(item: LearningItem, draft: object) -> tuple[File, ...]:
    """The files of a skill that comes with some; of anything else none, without a query."""
    return held_files(item) if isinstance(draft, SkillDraft) and draft.files else ()


def package_of(item: LearningItem, draft: SkillDraft) -> Package:
    """What an approval of `draft`, the item's words, lets in."""
    return Package(draft.name, parse(draft.document), files_of(item, draft))


def _misplaced(read: Document, *, scope: str, agent: str, name: str, foreign: bool) -> list[str]:
    """What a proposal can not change: whose it is, and the name of a skill that there is."""
    stays = {"name": (read.name, name or read.name)}
    if not foreign:  # whom one from elsewhere is for, who proposes it says
        stays |= {"scope": (read.scope, scope), "agent": (read.agent or agent, agent)}
    return [f"{field}: it stays {must}." for field, (is_now, must) in stays.items() if is_now != must]


def draft_of(payload: Payload, *, agent: str, risk: str) -> SkillDraft:
    """`payload` written up as a skill document; `agent` is the role-agent's code."""
    description, name = line_of(payload.key, payload.content), _name_of(payload)
    of_one = "" if payload.scope == MemoryScope.ORGANIZATION else agent
    document = compose(name, description, **_sorted(payload), scope=payload.scope, agent=of_one, risk=risk)
    return SkillDraft(payload.scope, document, name, description, payload.as_json(), digest(document))


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
    found: dict[str, list[str]] = {"when_to_use": [], "procedure": [], "do_not_do": [], "verification": []}
    prefix = f"{payload.key}: " if payload.key else ""
    for sentence in (one_line(part) for part in _SENTENCE.split(prefix + payload.content)):
        condition = _CONDITION.fullmatch(sentence)
        if condition:
            found["when_to_use"].append(f"{_capital(condition[1])}.")
            sentence = _capital(condition[2])
        if _NEVER.search(sentence):
            found["do_not_do"].append(sentence)
        elif _VERIFY.match(sentence):
            found["verification"].append(sentence)
        elif sentence:
            found["procedure"].append(sentence)
    return {section: _listed(section, lines) for section, lines in found.items()}


def _listed(section: str, lines: list[str]) -> str:
    if not lines:
        return OPEN
    if section == "when_to_use":
        return "\n".join(lines)
    return "\n".join(
        f"{number}. {line}" if section == "procedure" else f"- {line}" for number, line in enumerate(lines, 1)
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
