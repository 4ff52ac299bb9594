"""How people get in: by invitation only. django-allauth asks these adapters."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.http import HttpRequest
from django.urls import reverse

from .models import User


class AccountAdapter(DefaultAccountAdapter):
    """No sign-up: an owner or admin adds members, and each sets a password by a link of their own."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def set_password(self, user: User, password: str) -> None:
        user.had_password = user.has_usable_password()  # type: ignore[attr-defined]  # for `confirm_email`
        super().set_password(user, password)


def confirm_email(user: User) -> None:
    """After a password reset. Links that are handed on exist only while there is no password, so one that replaces a
    password came by e-mail: whoever used it reads the address's mail, and every older password and session is void.
    """
    if getattr(user, "had_password", False):
        user.email_confirmed = True
        user.save(update_fields=["email_confirmed"])


if "allauth.socialaccount" in settings.INSTALLED_APPS:  # only where an identity provider is set; its models need that
    from allauth.socialaccount.adapter import DefaultSocialAccountAdapter

    class SocialAccountAdapter(DefaultSocialAccountAdapter):
        """Single sign-on opens accounts that exist, found by an e-mail address the provider has verified."""

        def is_open_for_signup(self, request: HttpRequest, sociallogin) -> bool:
            return False

        def pre_social_login(self, request: HttpRequest, sociallogin) -> None:
            """The provider has verified the address, else no account would have been found by it."""
            user = sociallogin.user
            if user.pk and not user.email_confirmed:
                user.email_confirmed = True  # what follows saves the user as it is here
                user.save(update_fields=["email_confirmed"])


def set_password_path(user: User) -> str:
    """Where `user` sets a password. The link works once, for three days, until the next log-in or password change."""
    from allauth.account.forms import default_token_generator
    from allauth.account.utils import user_pk_to_url_str

    tokens: PasswordResetTokenGenerator = default_token_generator
    return reverse(
        "account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": tokens.make_token(user)}
    )


def absolute(path: str, request: HttpRequest | None = None) -> str:
    """`path` with the address people reach this installation at: DW_PUBLIC_URL, else that of the request."""
    if settings.PUBLIC_URL:
        return settings.PUBLIC_URL.rstrip("/") + path
    return request.build_absolute_uri(path) if request else path
