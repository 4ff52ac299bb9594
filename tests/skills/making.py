"""Skills in use for tests, let in by the action that an approval calls."""

from dataclasses import replace

from django.db import transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.common.types import Actor
from skills.actions.activate import Approved, activate
from skills.document import compose, parse
from skills.models import Skill, SkillVersion
from skills.package import File, Package

NAME = "expense-claim"


def document(
    name: str = NAME, description: str = "Checks an expense claim against the travel policy.", **parts: str
) -> str:
    given = {
        "when_to_use": "When a colleague hands in an expense claim.",
        "procedure": "1. Look at each receipt.\n2. Compare it with the travel policy.",
        "do_not_do": "Never pay without a receipt.",
        "verification": "The sum of the receipts equals the sum claimed.",
    } | parts
    return compose(name, description, **given)


def let_in(
    actor: Actor,
    agent: RoleAgent | None,
    source: str | None = None,
    *,
    skill: Skill | None = None,
    sensitive: bool = False,
    files: tuple[File, ...] = (),
    seen: str | None = None,
    **how,
) -> SkillVersion:
    """A version in use, as an approval lets it in."""
    read = parse(source or document(scope="role_agent" if agent else "organization"))
    approved = Approved(
        package=Package(read.name, read, files),
        role_agent=agent,
        sensitive=sensitive,
        risk=read.risk,
        source="manual",
        item_id=None,
        proposed_by_label="Ben",
    )
    with transaction.atomic():
        return activate(actor=actor, approved=replace(approved, **how), skill=skill, seen=seen)


def three_versions(actor: Actor, agent: RoleAgent | None, name: str = NAME) -> Skill:
    """A skill whose third version is in use; each says another number of days."""
    skill = None
    for days in (7, 14, 30):
        skill = let_in(actor, agent, document(name, procedure=f"1. Pay within {days} days."), skill=skill).skill
    return Skill.objects.select_related("active_version", "role_agent").get(pk=skill.pk)
