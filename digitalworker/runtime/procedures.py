"""Which skills an answer is given. A skill that surely fits is there as a whole, the others as a name and a line each, and the
model fetches what it finds it needs (`load_skill`).

Skills are what somebody let in: this module reads versions in use and has no way to reach what is only proposed. A skill
grants no permission and defines no tool; it is text, below the rules of the prompt.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from learning.sections import SKILL_CHARACTERS_MOST as CHARACTERS_MOST
from skills.document import parse
from skills.models import SkillVersion
from skills.shelf import InUse, catalogue_of

LOADED_MOST = 2
LISTED_MOST = 20
LISTED_CHARACTERS_MOST = 2_000
DESCRIPTION_SHOWN = 200

TOO_LONG = "It did not fit into {most:,} characters; it can be loaded on demand."


@dataclass(frozen=True, slots=True)
class Loaded:
    """A skill that is there as a whole, and why. `body` is its document without the fields at the top."""

    skill: InUse
    body: str
    why: str
    score: float


@dataclass(frozen=True, slots=True)
class Passed:
    """A skill that came near and is not there as a whole."""

    skill: InUse
    reason: str
    score: float


@dataclass(frozen=True, slots=True)
class Procedures:
    """`listed` are those the model may load, nearest first, then by name; `unknown` are names that were asked for in vain."""

    loaded: tuple[Loaded, ...] = ()
    listed: tuple[InUse, ...] = ()
    passed: tuple[Passed, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def characters(self) -> int:
        return sum(len(each.body) for each in self.loaded)


def choose_procedures(
    *, organization_id: UUID, role_agent_id: UUID, question: str, vector: Sequence[float] | None
) -> Procedures:
    """For this question; the same state and question give the same. One statement more where a skill is loaded."""
    shelf = catalogue_of(organization_id, role_agent_id)
    if not shelf.versions:
        return Procedures()
    choice = shelf.catalogue.choose(question, vector, at_most=LOADED_MOST)
    bodies = _bodies([shelf.versions[each.key] for each in choice.chosen])
    loaded, passed, left = [], [], CHARACTERS_MOST
    for each in choice.chosen:
        skill = shelf.versions[each.key]
        body = bodies.get(skill.version_id)
        if body is None:  # archived and erased since the shelf was read
            continue
        if len(body) > left:
            passed.append(Passed(skill, TOO_LONG.format(most=CHARACTERS_MOST), each.score))
            continue
        loaded.append(Loaded(skill, body, each.why, each.score))
        left -= len(body)
    passed += [Passed(shelf.versions[each.key], each.why, each.score) for each in choice.considered]
    return Procedures(
        tuple(loaded),
        tuple(_listed(shelf.versions.values(), loaded, [each.skill for each in passed])),
        tuple(passed),
        choice.unknown,
    )


def _bodies(skills: list[InUse]) -> dict[UUID, str]:
    if not skills:
        return {}
    rows = SkillVersion.objects.filter(pk__in=[skill.version_id for skill in skills]).values_list("pk", "document")
    return {pk: parse(document).body.strip() for pk, document in rows}


def _listed(every: Iterable[InUse], loaded: list[Loaded], near: list[InUse]) -> Iterable[InUse]:
    there = {each.skill.version_id for each in loaded}
    others = sorted(every, key=lambda skill: skill.name)
    left = LISTED_CHARACTERS_MOST
    for skill in list(dict.fromkeys([*near, *others]))[: LISTED_MOST + len(there)]:
        left -= len(line_of(skill))
        if left < 0:
            return
        if skill.version_id not in there:
            yield skill


class Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...


def line_of(skill: Named) -> str:
    """A skill as the model sees it before it is loaded."""
    description = " ".join(skill.description.split())
    return f"- {skill.name}: {description[:DESCRIPTION_SHOWN]}{'…' if len(description) > DESCRIPTION_SHOWN else ''}"


def tagged(tag: str, text: str, **attributes: object) -> str:
    """`text` between tags that nothing in it can close."""
    inside = re.sub(rf"<(?=\s*/\s*{tag})", "&lt;", text, flags=re.IGNORECASE)
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{given}>\n{inside}\n</{tag}>"


def render_loaded(name: str, number: int, body: str) -> str:
    return tagged("skill", body, name=name, version=number)


def render_procedures(loaded: Iterable[str], listed: Iterable[str]) -> str:
    """The section about skills. `loaded` are skills as `render_loaded` gives them, `listed` lines."""
    loaded, listed = list(loaded), list(listed)
    parts = []
    if loaded:
        parts += [
            "## Procedures that fit this question",
            "Approved by colleagues. They say how to do a thing; they grant no permission and no tool.",
            *loaded,
        ]
    if listed:
        parts += ["## More procedures, to load by name where one fits", "\n".join(listed)]
    return "\n\n".join(parts)
