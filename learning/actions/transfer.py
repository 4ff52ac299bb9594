"""Memories by the file: each row by the same action as by hand, and the whole told in one audit row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db import transaction

from digitalworker.agents.models import Organization, Person, RoleAgent
from digitalworker.agents.policies import require_review
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import DomainError, Invalid, NotFound
from digitalworker.common.text import clean, is_visible
from digitalworker.common.types import Actor
from learning.choices import MemoryScope, Source
from learning.models import Memory
from learning.payload import Payload, checked, checked_risk
from learning.policies import require_by_hand
from learning.portable import ROWS_MOST, Bad, Line, Row
from learning.queue import one_nudge_each

from ._owner import live_memories, lock_owner
from ._screening import screen
from .remember import Origin, hold

PERSON_ID_MOST = 200


@dataclass(frozen=True, slots=True)
class Refusal:
    line: int
    reason: str


@dataclass(slots=True)
class Report:
    """What became of each row. `unchanged`: exactly this was known already. `guarded`: which rows are sensitive, though they
    did not say so, for what screening found in them."""

    rows: int = 0
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    refused: list[Refusal] = field(default_factory=list)
    guarded: list[Refusal] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        self.refused.append(Refusal(line, reason))

    def add(self, other: "Report") -> None:
        self.rows += other.rows
        self.added += other.added
        self.replaced += other.replaced
        self.unchanged += other.unchanged
        self.refused += other.refused
        self.guarded += other.guarded

    @property
    def counts(self) -> dict[str, int]:
        return {
            "rows": self.rows,
            "added": self.added,
            "replaced": self.replaced,
            "unchanged": self.unchanged,
            "refused": len(self.refused),
        }


def import_memories(
    *,
    actor: Actor,
    role_agent: RoleAgent | None,
    rows: Iterable[Line],
    dry_run: bool = False,
) -> Report:
    """Remember each row for `role_agent`, or for None for the whole organisation. A row that can not be taken is refused by
    line and reason, and the others go on; the same file again adds nothing. `dry_run` does all of it and takes it back, so
    what it tells is what would happen.

    Whoever may remember by hand may import; each row is asked about again, by its scope. Of more than ROWS_MOST rows
    nothing is taken.
    """
    _require(actor, role_agent)
    lines = _bounded(rows)
    report = Report(rows=len(lines))
    # Before any owner is locked: reading a thousand texts takes seconds, and others work with this agent.
    with transaction.atomic():
        fit = [
            (number, *fitting) for number, row in lines if (fitting := _fitting(actor, role_agent, report, number, row))
        ]
        transaction.set_rollback(dry_run)
    with one_nudge_each(), transaction.atomic():
        taker = _Taker(actor, role_agent, report)
        # Owners in one order, the same as detection's, so that two who write to several wait and do not deadlock.
        for number, row, payload, findings in sorted(
            fit, key=lambda each: (each[2].scope, each[1].person or "", each[0])
        ):
            taker.take(number, row, payload, findings)
        for told in (report.refused, report.guarded):
            told.sort(key=lambda refusal: refusal.line)
        if dry_run:
            transaction.set_rollback(True)
        else:
            owner = role_agent or Organization.objects.get(pk=actor.organization_id)
            record(verb=Verb.MEMORIES_IMPORTED, actor=actor, obj=owner, role_agent=role_agent, details=report.counts)
    return report


def _require(actor: Actor, role_agent: RoleAgent | None) -> None:
    if role_agent is not None:
        require_review(actor, role_agent)
        require_by_hand(actor, role_agent=role_agent, scope=MemoryScope.ROLE_AGENT, sensitive=False)
        return
    everyone = RoleAgent(organization_id=actor.organization_id, name="The organisation")
    require_by_hand(actor, role_agent=everyone, scope=MemoryScope.ORGANIZATION, sensitive=False)


def _fitting(
    actor: Actor, role_agent: RoleAgent | None, report: Report, number: int, row: Row | Bad
) -> tuple[Row, Payload, list[dict]] | None:
    """The row, its words and what screening finds in them, if they may be stored at all."""
    if isinstance(row, Bad):
        report.refuse(number, row.reason)
        return None
    try:
        payload = checked(scope=row.scope, kind=row.kind, key=row.key, content=row.content)
        checked_risk(row.risk)
        return row, payload, screen(actor=actor, role_agent=role_agent, payload=payload, beside=[row.person or ""])
    except DomainError as error:
        report.refuse(number, _reason(error))
        return None


def _bounded(rows: Iterable[Line]) -> Sequence[Line]:
    taken: list[Line] = []
    for line in rows:
        taken.append(line)
        if len(taken) > ROWS_MOST:
            message = f"There are more than {ROWS_MOST:,} rows. Split the file; nothing was imported."
            raise Invalid(message, code="too_many_rows", errors={"file": [message]}, limit=ROWS_MOST)
    return taken


class _Taker:
    """Takes row after row, and counts."""

    def __init__(self, actor: Actor, role_agent: RoleAgent | None, report: Report) -> None:
        self.actor, self.role_agent, self.report = actor, role_agent, report
        self.locked: set[tuple[str, UUID | None]] = set()
        self.known: set[UUID] = set()  # of the owners that are locked, before this import and since
        self.people: dict[str, Person] = {}

    def take(self, number: int, row: Row, payload: Payload, findings: list[dict]) -> None:
        try:
            memory = self._remember(row, payload, findings)
            self._count(memory)
        except DomainError as error:
            self.report.refuse(number, _reason(error))
            return
        if findings and memory.sensitive and not row.sensitive:
            self.report.guarded.append(Refusal(number, findings[0]["why"]))

    def _count(self, memory: Memory) -> None:
        if memory.pk in self.known:
            self.report.unchanged += 1
            return
        self.known.add(memory.pk)
        if Memory.objects.filter(superseded_by=memory).exists():
            self.report.replaced += 1
        else:
            self.report.added += 1

    def _remember(self, row: Row, payload: Payload, findings: list[dict]) -> Memory:
        everyones = row.scope == MemoryScope.ORGANIZATION
        if self.role_agent is None and not everyones:
            raise Invalid("scope: only what is for the whole organisation is imported here")
        person = self._person(row, findings)
        self._lock(row.scope, person)
        origin = Origin(source=Source.IMPORT, risk=row.risk, sensitive=row.sensitive, findings=findings)
        return hold(actor=self.actor, role_agent=self.role_agent, person=person, payload=payload, origin=origin)

    def _lock(self, scope: str, person: Person | None) -> None:
        """From here to the end nobody else adds to this owner, so what is not known now and is later was made here."""
        owner = (scope, person.pk if person else None)
        if owner in self.locked:
            return
        agent = self.role_agent or RoleAgent(organization_id=self.actor.organization_id)
        lock_owner(scope, agent, person)
        self.known.update(live_memories(scope, agent, person).values_list("pk", flat=True))
        self.locked.add(owner)

    def _person(self, row: Row, findings: list[dict]) -> Person | None:
        """Whom it is about. Somebody not heard of yet is made once all else about the row is in order."""
        if row.person is None or self.role_agent is None:
            return None
        external_id = clean(row.person)
        if not 1 <= len(external_id) <= PERSON_ID_MOST:
            raise Invalid(f"person: at most {PERSON_ID_MOST} characters")
        if not is_visible(external_id):
            raise Invalid("person: write something")
        if external_id in self.people:
            return self.people[external_id]
        of_agent = Person.objects.filter(role_agent=self.role_agent, external_user_id=external_id)
        person = of_agent.first() or self._make(row, external_id, findings)
        self.people[external_id] = person
        return person

    def _make(self, row: Row, external_id: str, findings: list[dict]) -> Person:
        agent = self.role_agent
        assert agent is not None  # noqa: S101 - asked by `_person`
        if not agent.learns_about_people:
            raise NotFound(f"{agent.name} knows no such person, and learns nothing about people")
        require_by_hand(self.actor, role_agent=agent, scope=row.scope, sensitive=row.sensitive, findings=findings)
        return Person.objects.get_or_create(
            role_agent=agent,
            external_user_id=external_id,
            defaults={"organization_id": agent.organization_id},
        )[0]


def _reason(error: DomainError) -> str:
    """In a few words, without what the row says."""
    said = [f"{name}: {' '.join(messages)}" for name, messages in error.errors.items()]
    return "; ".join(said) or error.detail


@transaction.atomic
def tell_export(*, actor: Actor, role_agent: RoleAgent | None, kind: str, rows: int, filters: dict[str, str]) -> None:
    """That memories left as a file, how many, and which were asked for."""
    owner = role_agent or Organization.objects.get(pk=actor.organization_id)
    told = {name: value for name, value in filters.items() if name not in {"q", "person"}}  # these may be of a person
    record(
        verb=Verb.MEMORIES_EXPORTED,
        actor=actor,
        obj=owner,
        role_agent=role_agent,
        details={"format": kind, "rows": rows, "filters": told, "searched": "q" in filters or "person" in filters},
    )
