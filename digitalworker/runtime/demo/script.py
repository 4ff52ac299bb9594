"""The words the stories are written in: what was said, what was known, what was proposed, decided and asked."""

from dataclasses import dataclass, field

from digitalworker.agents.choices import AuthorKind, EventKind
from learning.choices import MemoryKind, MemoryScope, Risk


@dataclass(frozen=True, slots=True)
class Line:
    kind: str
    author_kind: str
    text: str
    author: str = ""


def says(text: str) -> Line:
    """The person whose conversation it is."""
    return Line(EventKind.MESSAGE, AuthorKind.PERSON, text)


def answers(text: str) -> Line:
    return Line(EventKind.REPLY, AuthorKind.AGENT, text)


def corrects(author: str, text: str) -> Line:
    """A colleague puts the agent right."""
    return Line(EventKind.CORRECTION, AuthorKind.STAFF, text, author)


def edits(author: str, text: str) -> Line:
    """What a colleague made of the agent's draft."""
    return Line(EventKind.DRAFT_EDIT, AuthorKind.STAFF, text, author)


def runs(tool: str, text: str) -> Line:
    return Line(EventKind.TOOL_RUN, AuthorKind.SYSTEM, text, tool)


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation. `hours` is how long ago it began; its lines are a minute or two apart."""

    person: str
    hours: float
    channel: str
    lines: tuple[Line, ...]
    name: str = ""
    verified: bool = True

    @property
    def key(self) -> str:
        return f"{self.channel}/{self.person}/{self.hours:g}"


@dataclass(frozen=True, slots=True)
class Known:
    """A memory written by hand. `then` is what happened to it: each later wording replaces it, `deleted` takes it out."""

    by: str
    content: str
    key: str | None = None
    kind: str = MemoryKind.FACT
    scope: str = MemoryScope.ROLE_AGENT
    risk: str = Risk.LOW
    sensitive: bool = False
    days: float = 20
    then: tuple[str, ...] = ()
    deleted: str = ""  # the reason


@dataclass(frozen=True, slots=True)
class Suggested:
    """A proposal the agent makes because of a conversation: `talk` is its key, `quote` the words it rests on."""

    talk: str
    quote: str
    content: str
    key: str | None = None
    kind: str = MemoryKind.FACT
    scope: str = MemoryScope.ROLE_AGENT
    risk: str = Risk.LOW
    sensitive: bool = False
    rationale: str = ""
    confidence: float = 0.8


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of the proposal whose title is, or begins with, `title`."""

    title: str
    by: str
    approved: bool
    reason: str = ""
    edited: str = ""  # the wording it was approved in


@dataclass(frozen=True, slots=True)
class Looked:
    """What became of a memory that was saved without asking, and begins with `title`."""

    title: str
    by: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was answered here, with a run that can be looked at."""

    by: str
    person: str
    question: str
    hours: float


@dataclass(frozen=True, slots=True)
class Skilled:
    """A skill that somebody wrote. Each of `documents` is proposed, and approved by `approved_by`; `waits` is one more that
    nobody has decided. `code` is the role-agent's."""

    code: str
    by: str
    approved_by: str
    documents: tuple[str, ...] = ()
    waits: str = ""
    why: str = ""  # the last one
    hours: float = 24 * 12


@dataclass(frozen=True, slots=True)
class Story:
    code: str
    known: tuple[Known, ...] = ()
    talks: tuple[Talk, ...] = ()
    suggested: tuple[Suggested, ...] = ()
    decided: tuple[Decided, ...] = ()
    looked: tuple[Looked, ...] = ()
    asked: tuple[Asked, ...] = field(default_factory=tuple)
