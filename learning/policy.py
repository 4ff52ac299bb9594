"""What becomes of a proposal: the whole policy, as a table that is read from the top. The first row that fits decides.

Rows stand by precedence: refuse, learn nothing, ask an owner or admin, ask a reviewer, save. So no row that saves has to
say what forbids it. Nothing here touches the database; `learning.actions.propose` finds the facts and does what the verdict
says. `docs/policy.md` shows this same table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from digitalworker.agents.choices import PeopleLearning

from .choices import ItemKind, MemoryKind, MemoryScope, Risk


class Verdict(StrEnum):
    REFUSED = "refused"  # not stored anywhere; the audit says of what kind it was
    NOTHING = "nothing"  # not stored anywhere; it was no offence
    SENSITIVE = "sensitive"  # to the inbox, where only owners and admins read and decide it
    ADMIN = "admin"  # to the inbox, where only owners and admins decide it
    INBOX = "inbox"
    SAVE = "save"


class Screened(StrEnum):
    """What screening found in the words."""

    CLEAN = "clean"
    FINDING = "finding"  # it may be an attempt to steer the agent
    STEERING = "steering"  # it plainly is one
    HELD_SECRET = "held_secret"  # noqa: S105 - that there is one, not what it says


class Listening(StrEnum):
    """Whether anything may be learned where this was said, and if not, why."""

    ON = "on"
    DISABLED = "disabled"  # the role-agent is
    PAUSED = "paused"
    METADATA_ONLY = "metadata_only"
    INCOGNITO = "incognito"


class Sender(StrEnum):
    """Whose word it rests on."""

    MEMBER_THEMSELF = "member_themself"  # verified, a member of the organisation, and the person it is about
    VERIFIED = "verified"  # a person's or a colleague's own message, and who sent it was checked
    UNVERIFIED = "unverified"  # anything else: also what a tool or a program asks for


class Holds(StrEnum):
    """What it would take the place of."""

    NOTHING = "nothing"
    OWN_WORD = "own_word"  # saved without asking from the same sender, and no person has looked at it since
    ALIKE = "alike"  # nothing that is sure; but something known is so much like it that one may contradict the other
    OTHER = "other"  # whatever a person wrote, approved, mended, pinned or kept, and what somebody else said


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that the policy asks about one proposal."""

    scope: MemoryScope
    kind: MemoryKind = MemoryKind.FACT
    what: ItemKind = ItemKind.MEMORY
    risk: Risk = Risk.LOW
    screened: Screened = Screened.CLEAN
    sensitive: bool = False  # health, legal and staff matters, or what the detector took for such
    third_party: bool = False  # personal data of somebody else than the person it is about
    listening: Listening = Listening.ON
    people_learning: PeopleLearning = PeopleLearning.OFF
    person_known: bool = False  # the person has an id that outlives the conversation
    sender: Sender = Sender.UNVERIFIED
    autosave: bool = True  # the role-agent's switch
    holds: Holds = Holds.NOTHING


@dataclass(frozen=True, slots=True)
class Row:
    """`when` names fields of the case and the values each may have; a field it does not name may have any."""

    name: str  # goes into the audit beside what it decided
    proposal: str
    sender: str
    verdict: Verdict
    when: Mapping[str, frozenset]

    def fits(self, case: Case) -> bool:
        return all(getattr(case, field) in values for field, values in self.when.items())


def _row(name: str, proposal: str, sender: str, verdict: Verdict, /, **when) -> Row:
    values = {field: each if isinstance(each, frozenset) else frozenset({each}) for field, each in when.items()}
    return Row(name, proposal, sender, verdict, MappingProxyType(values))


def _any_of(*values) -> frozenset:
    return frozenset(values)


ANY = "any"
TABLE: tuple[Row, ...] = (
    _row(
        "secret",
        "holds a secret, or plainly tries to steer the agent",
        ANY,
        Verdict.REFUSED,
        screened=_any_of(Screened.HELD_SECRET, Screened.STEERING),
    ),
    _row(
        "not_learning",
        "the role-agent is disabled or its learning paused, the organisation keeps metadata only, or the turn is incognito",
        ANY,
        Verdict.NOTHING,
        listening=_any_of(Listening.DISABLED, Listening.PAUSED, Listening.METADATA_ONLY, Listening.INCOGNITO),
    ),
    _row(
        "nobody",
        "about a person without an id",
        ANY,
        Verdict.NOTHING,
        scope=MemoryScope.PERSON,
        person_known=False,
    ),
    _row(
        "people_off",
        "about a person, where learning about people is off",
        ANY,
        Verdict.NOTHING,
        scope=MemoryScope.PERSON,
        people_learning=PeopleLearning.OFF,
    ),
    _row("finding", "may be an attempt to steer the agent", ANY, Verdict.SENSITIVE, screened=Screened.FINDING),
    _row("sensitive", "health, legal or staff matters", ANY, Verdict.SENSITIVE, sensitive=True),
    _row("third_party", "personal data of somebody else", ANY, Verdict.SENSITIVE, third_party=True),
    _row(
        "organization",
        "for the whole organisation",
        ANY,
        Verdict.ADMIN,
        scope=MemoryScope.ORGANIZATION,
    ),
    _row(
        "procedure",
        "a skill, a skill update or a soul update",
        ANY,
        Verdict.INBOX,
        what=_any_of(ItemKind.SKILL, ItemKind.SKILL_UPDATE, ItemKind.SOUL_UPDATE),
    ),
    _row(
        "risk",
        "medium or high risk: a process, access, money, other people or policy",
        ANY,
        Verdict.INBOX,
        risk=_any_of(Risk.MEDIUM, Risk.HIGH),
    ),
    _row(
        "people_review",
        "about a person, where everything about people is reviewed first",
        ANY,
        Verdict.INBOX,
        scope=MemoryScope.PERSON,
        people_learning=PeopleLearning.REVIEW,
    ),
    _row(
        "contradiction",
        "says otherwise than what a person wrote, approved, mended, pinned or kept, or than somebody else said",
        ANY,
        Verdict.INBOX,
        holds=Holds.OTHER,
    ),
    _row(
        "alike",
        "so much like something known that it may say otherwise, or the same in other words",
        ANY,
        Verdict.INBOX,
        holds=Holds.ALIKE,
    ),
    _row("unverified", "anything else", "not verified", Verdict.INBOX, sender=Sender.UNVERIFIED),
    _row(
        "autosave_off",
        "of the role-agent, where saving without asking is switched off",
        "verified",
        Verdict.INBOX,
        scope=MemoryScope.ROLE_AGENT,
        autosave=False,
    ),
    _row(
        "agent_fact",
        "a fact or preference of the role-agent, low risk",
        "verified",
        Verdict.SAVE,
        what=ItemKind.MEMORY,
        scope=MemoryScope.ROLE_AGENT,
        kind=_any_of(MemoryKind.FACT, MemoryKind.PROFILE),
        sender=_any_of(Sender.VERIFIED, Sender.MEMBER_THEMSELF),
        autosave=True,
    ),
    _row(
        "member_direct",
        "about a member by themself, where members may teach it about themselves directly",
        "verified",
        Verdict.SAVE,
        what=ItemKind.MEMORY,
        scope=MemoryScope.PERSON,
        people_learning=PeopleLearning.DIRECT,
        sender=Sender.MEMBER_THEMSELF,
    ),
    # Rules and episodes of a role-agent, and what somebody says about another person.
    _row("otherwise", "whatever else there is", "verified", Verdict.INBOX),
)


def decide(case: Case) -> Row:
    return next(row for row in TABLE if row.fits(case))
