"""Which version of a soul agents talk by: letting in a new one, and pointing back at an earlier one.

Whoever lets one in has decided that it may be: approving is the inbox's matter. It happens inside that decision's own
transaction, so a version is known and its proposal decided, or neither.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.actions import record
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, Invalid, NotFound
from digitalworker.common.locking import check_revision, lock
from digitalworker.common.text import name_within, reason_within
from digitalworker.common.types import Actor
from souls.library import PARTS, soul_digest
from souls.limits import refuse_beyond_tone
from souls.models import CODE, CODE_MOST, NAME_MOST, SUMMARY_MOST, Soul, SoulVersion
from souls.policies import require_change, served, visible_souls
from souls.screens import screen

ONE_OF_A_CODE = "soul_code_once"  # the constraint's name


@dataclass(frozen=True, slots=True)
class Approved:
    """What was let in, and where it came from. `code`, `name` and `summary` are for a new soul; `role_agent` is the agent it was
    proposed for."""

    code: str
    name: str
    summary: str
    parts: dict[str, str]  # by the names of `library.PARTS`
    sensitive: bool
    item_id: UUID | None
    proposed_by_label: str
    role_agent: RoleAgent | None = None


def activate(*, actor: Actor, approved: Approved, soul: Soul | None, seen: str | None = None) -> SoulVersion:
    """The next version of `soul`, or the first of a new one, in use from now on.

    `seen` names the soul as whoever decided saw it (`Soul.as_seen`), "" where they saw none; None asks nothing. Raises
    Conflict where another version is in use by now, or where the code is taken meanwhile; Refused where it asks for more
    than a tone.
    """
    refuse_beyond_tone(approved.parts)
    held = lock(visible_souls(actor), pk=soul.pk) if soul else _withdrawn(actor, approved.code)
    if seen is not None and seen != (held.as_seen if held and held.active_version_id else ""):
        raise Conflict(
            "Another version of this soul is in use by now. Look at what changed, then decide. Nothing was changed.",
            code="stale_revision",
            revision=held.revision if held else 0,
        )
    if held is None:
        held = _new(actor, approved)
    last = SoulVersion.objects.filter(soul=held).order_by("-number").values_list("number", flat=True).first()
    version = SoulVersion.objects.create(
        organization_id=actor.organization_id,
        soul=held,
        number=(last or 0) + 1,
        **approved.parts,
        digest=soul_digest(**approved.parts),
        sensitive=approved.sensitive,
        item_id=approved.item_id,
        proposed_by_label=approved.proposed_by_label,
        approved_by_user_id=actor.user_id,
        approved_by_label=actor.label,
    )
    _point(actor, held, version, Verb.SOUL_ACTIVATED, "activated", role_agent=approved.role_agent)
    return version


def revert(*, actor: Actor, soul_id: UUID, number: int, revision: int | None, reason: str = "") -> Soul:
    """An earlier version is in use again, if it passes what is looked for today. What that finds, owners and admins judge."""
    reason = reason_within(reason)
    soul = find(actor, soul_id)
    version = SoulVersion.objects.filter(soul=soul, number=number).first()
    if version is None:
        raise NotFound("There is no such version of this soul.")
    # First: what screening finds in words that are hidden from somebody would tell them what those say.
    require_change(actor, soul, sensitive=_is_sensitive(soul, version))
    refuse_beyond_tone({name: getattr(version, name) for name in PARTS})
    found = screen(actor=actor, version=version)
    with transaction.atomic():
        soul = lock(visible_souls(actor), pk=soul_id)
        require_change(actor, soul, sensitive=_is_sensitive(soul, version) or bool(found))
        check_revision(soul, revision)
        if soul.active_version_id == version.pk:
            raise Conflict(f"Version {number} is in use already.", code="nothing_to_do")
        _point(actor, soul, version, Verb.SOUL_REVERTED, "reverted to", reason=reason, role_agent=_only_agent(soul))
    return soul


def screen_replaced(*, actor: Actor, version: SoulVersion) -> UUID | None:
    """Which version `withdraw` of this one would put in use again, None for none: it passes what is looked for today, and what
    that finds, owners and admins judge. Called outside a transaction, as `screen`, and for who may take `version` back."""
    soul = find(actor, version.soul_id)
    before = _replaced(soul, version)
    if before is None:
        return None
    if screen(actor=actor, version=before) or before.sensitive:
        require_change(actor, soul, sensitive=True)
    return before.pk


def withdraw(*, actor: Actor, soul_id: UUID, version: SoulVersion, screened: UUID | None) -> Soul:
    """As if `version` had not been let in: the one it had replaced is in use again. A soul that had none is not in use, and
    agents that have it talk by the default. Where another version is in use by now, nothing changes. `screened` is what
    `screen_replaced` answered."""
    soul = lock(visible_souls(actor), pk=soul_id)
    if soul.active_version_id != version.pk:
        return soul
    before = _replaced(soul, version)
    if before is not None and before.pk != screened:
        raise Conflict(
            "What this had replaced changed meanwhile. Try again. Nothing was changed.", code="stale_revision"
        )
    _point(actor, soul, before, Verb.SOUL_REVERTED, "took back an approval", role_agent=_only_agent(soul))
    return soul


@transaction.atomic
def describe(
    *, actor: Actor, soul_id: UUID, revision: int | None, name: str | None = None, summary: str | None = None
) -> Soul:
    """What it is called and what it is for, in lists. No prompt holds either."""
    soul = lock(visible_souls(actor), pk=soul_id)
    require_change(actor, soul, sensitive=bool(soul.active_version and soul.active_version.sensitive))
    check_revision(soul, revision)
    new = {"name": checked_name(name) if name is not None else soul.name}
    new["summary"] = checked_summary(summary) if summary is not None else soul.summary
    changed = sorted(field for field, value in new.items() if getattr(soul, field) != value)
    if changed:
        vars(soul).update(new)
        soul.revision += 1
        history.save(soul, actor, f"{' and '.join(changed)} changed")
        record(verb=Verb.SOUL_CHANGED, actor=actor, obj=soul, details={"fields": changed})
    return soul


def find(actor: Actor, soul_id: UUID) -> Soul:
    soul = visible_souls(actor).filter(pk=soul_id).select_related("active_version").first()
    if soul is None:
        raise NotFound("There is no such soul.")
    return soul


def checked_name(name: str) -> str:
    return name_within(name, field="name", most=NAME_MOST)


def checked_summary(summary: str) -> str:
    return name_within(summary, field="summary", most=SUMMARY_MOST, least=0)


def checked_code(code: str) -> str:
    if len(code) > CODE_MOST or not CODE.fullmatch(code):
        message = f"Use small letters, digits, - and _, at most {CODE_MOST}; start with a letter."
        raise Invalid(f"code: {message}", errors={"code": [message]})
    return code


def code_taken(code: str) -> Conflict:
    message = f"There is a soul with the code “{code}” already. Propose an update of it, or choose another code."
    return Conflict(message, code="code_taken", errors={"code": [message]})


def _point(
    actor: Actor,
    soul: Soul,
    version: SoulVersion | None,
    verb: Verb,
    did: str,
    *,
    role_agent: RoleAgent | None,
    reason: str = "",
) -> None:
    before = soul.active_version_id
    soul.active_version = version
    soul.revision += 1
    because = f": {reason}" if reason else ""
    history.save(soul, actor, f"{did} version {version.number}{because}" if version else did)
    record(
        verb=verb,
        actor=actor,
        obj=soul,
        role_agent=role_agent,
        reason="" if version and version.sensitive else reason,  # why may tell what it says
        details={
            "version": version.number if version else None,
            "soul_version": version.pk if version else None,
            "instead_of": before,
        },
    )


def _replaced(soul: Soul, version: SoulVersion) -> SoulVersion | None:
    """The version that was in use when `version` was last put in its place."""
    before = history.before(soul, "active_version_id") if soul.active_version_id == version.pk else None
    return SoulVersion.objects.filter(soul=soul, pk=before.active_version_id).first() if before else None


def _is_sensitive(soul: Soul, version: SoulVersion) -> bool:
    return version.sensitive or bool(soul.active_version and soul.active_version.sensitive)


def _only_agent(soul: Soul) -> RoleAgent | None:
    """Whose audit tells of it: the one agent's that has this soul."""
    agents = list(served(soul)[:2])
    return agents[0] if len(agents) == 1 else None


def _withdrawn(actor: Actor, code: str) -> Soul | None:
    """A soul of this code that is not in use any more: the next version is its."""
    held = visible_souls(actor).filter(code=code).select_for_update(of=("self",), no_key=True).first()
    if held is not None and held.active_version_id is not None:
        raise code_taken(code)
    return held


def _new(actor: Actor, approved: Approved) -> Soul:
    soul = Soul(
        organization_id=actor.organization_id,
        code=checked_code(approved.code),
        name=checked_name(approved.name),
        summary=checked_summary(approved.summary),
    )
    try:
        with transaction.atomic():
            soul.save_without_historical_record(force_insert=True)  # type: ignore[attr-defined]  # simple-history's
    except IntegrityError as error:
        if ONE_OF_A_CODE not in str(error):
            raise
        raise code_taken(approved.code) from None
    return soul
