from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.text import slugify

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound
from digitalworker.common.locking import lock
from digitalworker.common.text import clean, name_within
from digitalworker.common.types import Actor

from .. import policies
from ..accounts import set_password_path
from ..actors import actor_for_membership
from ..choices import Role, StorageMode
from ..founding import furnish
from ..leaving import may_decide_less
from ..models import AgentManager, Membership, Organization, User
from ..models.role_agents import MANAGE


@dataclass(frozen=True, slots=True)
class Welcome:
    """What came of adding somebody. `set_password_path` is given for an account that was made just now, and only then."""

    membership: Membership
    set_password_path: str | None


@transaction.atomic
def create_organization(*, name: str, owner: User) -> Organization:
    """The only action without an actor: there is no organisation yet to act in. `owner` becomes its first."""
    name = name_within(name, field="name", most=120)
    organization = Organization.objects.create(name=name, slug=_free_slug(name))
    furnish(organization)
    membership = Membership.objects.create(organization=organization, user=owner, role=Role.OWNER)
    actor = actor_for_membership(membership, owner)
    audit.record(verb=Verb.MEMBER_ADDED, actor=actor, obj=membership, details={"organization_created": True})
    return organization


@transaction.atomic
def rename_organization(*, actor: Actor, name: str) -> Organization:
    organization = _lock_organization(actor)
    policies.require_admin(actor)
    return _set(organization, actor, "name", name_within(name, field="name", most=120))


@transaction.atomic
def change_storage_mode(*, actor: Actor, storage_mode: str) -> Organization:
    """From now on. What is stored already stays until somebody erases it."""
    organization = _lock_organization(actor)
    policies.require_admin(actor)
    if storage_mode not in StorageMode.values:
        raise Invalid(errors={"storage_mode": ["Choose one of the two."]})
    return _set(organization, actor, "storage_mode", storage_mode)


@transaction.atomic
def change_care(*, actor: Actor, separation_of_duties: bool, redact_secrets: bool) -> Organization:
    """How carefully this organisation decides and stores. Holds from the next decision and the next message on."""
    organization = _lock_organization(actor)
    policies.require_admin(actor)
    _set(organization, actor, "separation_of_duties", separation_of_duties)
    return _set(organization, actor, "redact_secrets", redact_secrets)


def _set(organization: Organization, actor: Actor, name: str, value: str | bool) -> Organization:
    before = getattr(organization, name)
    if before != value:
        setattr(organization, name, value)
        organization.save(update_fields=[name])
        details = {"changed": {name: [before, value]}}
        audit.record(verb=Verb.SETTINGS_CHANGED, actor=actor, obj=organization, details=details)
    return organization


@transaction.atomic
def add_member(*, actor: Actor, email: str, role: str = Role.MEMBER, name: str = "") -> Welcome:
    """Adds the person with this e-mail address, and makes an account if there is none.

    Whoever adds a new account gets its set-password link to hand on. Nobody gets a link to an account that exists:
    it may be another organisation's member.
    """
    organization = _lock_organization(actor)
    policies.require_admin(actor)
    _require_grantable(actor, role)
    email = _email(email)
    user = User.objects.select_for_update().filter(email__iexact=email).first()
    created = user is None
    if user is None:
        user = User.objects.create_user(email, name=name_within(name, field="name", most=120, least=0))
    elif not user.is_active:
        raise Conflict("This account is switched off. The operator of this installation can switch it on.")
    elif Membership.objects.filter(organization=organization, user=user).exists():
        raise Conflict(f"{user} is a member already.", code="member_exists")
    elif not user.has_usable_password():
        # A set-password link another organisation may still hold must not open this one.
        user.set_unusable_password()
        user.save(update_fields=["password"])
    elif not user.email_confirmed and user.memberships.exists():
        # Another organisation handed out the link its password was set by, so perhaps not to who reads this address.
        raise Conflict(
            f"{user.email} has an account that never showed it reads this address. Ask them to use “Forgot password” on"
            " the log-in page, which sends them an e-mail, and add them after that.",
            code="email_not_confirmed",
        )
    membership = Membership.objects.create(organization=organization, user=user, role=role)
    audit.record(verb=Verb.MEMBER_ADDED, actor=actor, obj=membership, details={"role": role, "new_account": created})
    return Welcome(membership, set_password_path(user) if created else None)


@transaction.atomic
def new_password_link(*, actor: Actor, membership_id: UUID) -> str:
    """Another set-password link for a member who never logged in and belongs to no other organisation."""
    organization = _lock_organization(actor)
    membership = lock(Membership.objects.filter(organization=organization), pk=membership_id)
    policies.require_admin(actor)
    _require_touchable(actor, membership)
    if not may_have_link(membership.user):
        raise Denied(f"{membership.user} chose a password already. They can reset it on the log-in page.")
    audit.record(verb=Verb.MEMBER_LINKED, actor=actor, obj=membership, label=str(membership.user))
    return set_password_path(membership.user)


def may_have_link(user: User) -> bool:
    return not user.has_usable_password() and user.last_login is None and user.memberships.count() == 1


@transaction.atomic
def change_role(*, actor: Actor, membership_id: UUID, role: str) -> Membership:
    organization = _lock_organization(actor)
    membership = lock(Membership.objects.filter(organization=organization), pk=membership_id)
    policies.require_admin(actor)
    _require_touchable(actor, membership)
    _require_grantable(actor, role)
    before = membership.role
    if before == role:
        return membership
    if before == Role.OWNER:
        _require_another_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    audit.record(
        verb=Verb.MEMBER_CHANGED,
        actor=actor,
        obj=membership,
        label=str(membership.user),
        details={"changed": {"role": [before, role]}},
    )
    may_decide_less(actor=actor, user_id=membership.user_id)
    return membership


@transaction.atomic
def remove_member(*, actor: Actor, membership_id: UUID, reason: str = "") -> None:
    """The person leaves the organisation, and stops managing its agents. Their account and what they decided stay."""
    organization = _lock_organization(actor)
    membership = lock(Membership.objects.filter(organization=organization), pk=membership_id)
    if not (actor.is_person and membership.user_id == actor.user_id):  # everybody may leave
        policies.require_admin(actor)
        _require_touchable(actor, membership)
    if membership.role == Role.OWNER:
        _require_another_owner(membership)
    managed = AgentManager.objects.filter(
        organization=organization, user_id=membership.user_id, permission__codename=MANAGE
    )
    for row in managed.select_related("content_object", "user").select_for_update(of=("self",)):
        audit.record(
            verb=Verb.MANAGER_REMOVED, actor=actor, obj=row, role_agent=row.content_object, label=str(row.user)
        )
        row.delete()
    audit.record(verb=Verb.MEMBER_REMOVED, actor=actor, obj=membership, reason=reason)
    user_id = membership.user_id
    membership.delete()
    may_decide_less(actor=actor, user_id=user_id)


def _lock_organization(actor: Actor) -> Organization:
    """Changes of membership queue up behind each other here; nothing else waits for this lock."""
    organization = Organization.objects.select_for_update(no_key=True).filter(pk=actor.organization_id).first()
    if organization is None:
        raise NotFound("There is no such organisation.")
    return organization


def _require_another_owner(membership: Membership) -> None:
    others = Membership.objects.filter(
        organization_id=membership.organization_id, role=Role.OWNER, user__is_active=True
    ).exclude(pk=membership.pk)
    if not others.exists():
        raise Conflict(f"{membership.user} is the last owner. Make somebody else an owner first.", code="last_owner")


def _role_now(actor: Actor) -> str | None:
    if actor.user_id is None:
        return None
    return (
        Membership.objects.filter(organization_id=actor.organization_id, user_id=actor.user_id)
        .values_list("role", flat=True)
        .first()
    )


def _require_touchable(actor: Actor, membership: Membership) -> None:
    if membership.role == Role.OWNER and _role_now(actor) != Role.OWNER:
        raise Denied("Only an owner may change or remove an owner.")


def _require_grantable(actor: Actor, role: str) -> None:
    if role not in Role.values:
        raise Invalid(errors={"role": [f"Choose one of {', '.join(Role.values)}."]})
    if role == Role.OWNER and _role_now(actor) != Role.OWNER:
        raise Denied("Only an owner may make somebody an owner.")


def _email(email: str) -> str:
    email = clean(email)
    try:
        validate_email(email)
    except ValidationError:
        message = "Write an e-mail address such as ada@example.org."
        raise Invalid(message, errors={"email": [message]}) from None
    return email


def _free_slug(name: str) -> str:
    base = slugify(name)[:50].strip("-") or "organization"
    taken = set(Organization.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken)
