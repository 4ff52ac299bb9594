"""Skills that somebody brings from elsewhere: each becomes a proposal of its own, or is refused with what to do about it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Literal

from django.db import transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import Conflict, DomainError, Invalid
from digitalworker.common.types import Actor
from learning.choices import ItemKind, MemoryScope, Outcome, Source
from learning.models import LearningItem
from learning.policies import may_read_sensitive, require_decision
from skills.document import parse
from skills.package import Package, Reading

from .propose_skill import SkillProposal, propose_skill

AT_ONCE_MOST = 50  # skills that are looked through while somebody waits

type Status = Literal["new", "update", "waiting", "known", "refused"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one skill, or in a trial would. `name` is its name, or the folder of one that could not be read.

    `new` and `update` wait for a decision, `waiting` did already, `known` is in use in just these words. `item` is None in a
    trial, and where it is sensitive and not for who imports it to read.
    """

    name: str
    status: Status
    reason: str = ""
    code: str = ""
    sensitive: bool = False
    files: int = 0
    scripts: int = 0
    item: LearningItem | None = None


def import_skills(
    *,
    actor: Actor,
    role_agent: RoleAgent,
    reading: Reading,
    scope: str = MemoryScope.ROLE_AGENT,
    source: Source = Source.IMPORT,
    dry_run: bool = False,
) -> list[Imported]:
    """One result for each skill that was found. What keeps one out leaves the others in, and the same again adds nothing.

    Raises Denied for who may propose nothing here.
    """
    require_decision(actor, role_agent=role_agent, scope=scope, sensitive=False)
    results = [_one(actor, role_agent, package, scope, source, dry_run=dry_run) for package in reading.packages]
    refused = [Imported(each.folder, "refused", each.reason, each.code) for each in reading.refusals]
    return [*results, *refused]


def require_few(reading: Reading) -> Reading:
    """For faces where somebody waits."""
    if len(reading) > AT_ONCE_MOST:
        raise Invalid(
            f"There are {len(reading):,} skills in it, and {AT_ONCE_MOST} is the most at once. Send fewer at a time, or import"
            " them with manage.py import_skills.",
            code="too_many_skills",
        )
    return reading


def counts(results: Iterable[Imported]) -> dict[str, int]:
    found = dict.fromkeys(("new", "update", "waiting", "known", "refused"), 0)
    for result in results:
        found[result.status] += 1
    return found


def _one(
    actor: Actor, role_agent: RoleAgent, package: Package, scope: str, source: Source, *, dry_run: bool
) -> Imported:
    about = partial(Imported, package.name, files=len(package.files), scripts=len(package.scripts))
    proposal = SkillProposal(
        package.document.source,
        files=package.files,
        scope=scope,
        source=source,
        foreign=_is_foreign(package, scope, role_agent.code),
    )
    try:
        with _trial() if dry_run else nullcontext():
            proposed = propose_skill(actor=actor, role_agent=role_agent, proposal=proposal)
    except DomainError as error:
        known = isinstance(error, Conflict) and error.code == "known_already"
        return about("known" if known else "refused", reason=error.detail, code=error.code)
    item = proposed.item
    assert item is not None  # noqa: S101 - by hand there is an item, or an error
    status: Status = "update" if item.kind == ItemKind.SKILL_UPDATE else "new"
    hidden = dry_run or (item.sensitive and not may_read_sensitive(actor))
    return about(
        "waiting" if proposed.outcome == Outcome.KNOWN else status,
        sensitive=item.sensitive,
        item=None if hidden else item,
    )


def _is_foreign(package: Package, scope: str, agent: str) -> bool:
    """Whether it is no document of ours for just this owner: then what it lacks is listed, and whom it names is ignored."""
    read = parse(package.document.source, strict=True)
    return not read.is_valid or read.scope != scope or read.agent not in {"", agent}


@contextmanager
def _trial() -> Iterator[None]:
    """All is done, and undone. That something was refused is not audited either: nobody tried to have it stored."""
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)
