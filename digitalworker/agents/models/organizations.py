from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower

from digitalworker.common.ids import uuid7

from ..choices import Role, StorageMode


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields) -> "User":
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)


class User(AbstractUser):
    """A person who logs in, by e-mail address. What they may do comes from memberships, never from this row."""

    # None takes away a field of the base, which its stub does not know.
    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField(max_length=120, blank=True)
    email = models.EmailField()
    email_confirmed = models.BooleanField(default=False, editable=False)  # who has the account also reads its mail

    objects = UserManager()  # type: ignore[misc,assignment]  # the base has one of its own

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once")]

    def __str__(self):
        return self.name or self.email

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return self.name.split(" ")[0] if self.name else self.email.split("@")[0]

    def audit_label(self) -> str:
        return str(self)


class Organization(models.Model):
    """The tenant. Every row that belongs to one carries `organization_id`, also where a join could tell."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    storage_mode = models.CharField(max_length=20, choices=StorageMode, default=StorageMode.FULL)
    separation_of_duties = models.BooleanField(
        default=False, help_text="Nobody approves what they proposed or edited themselves."
    )
    redact_secrets = models.BooleanField(
        default=False, help_text="Passwords, keys and tokens are blanked before a conversation is stored."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return self.name

    def audit_label(self) -> str:
        return self.name

    @property
    def stores_text(self) -> bool:
        return self.storage_mode == StorageMode.FULL


class Membership(models.Model):
    """A user in an organisation, with one role."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self):
        return f"{self.user} ({self.role})"

    def audit_label(self) -> str:
        return f"{self.user} as {self.get_role_display().lower()}"
