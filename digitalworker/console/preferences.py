"""Choices about the looks, kept in cookies: they belong to the screen, and an account has several screens."""

from django.http import HttpRequest, HttpResponse

THEMES = ("system", "light", "dark")
THEME_COOKIE = "dw_theme"
KEYS_COOKIE = "dw_keys"
A_YEAR = 365 * 24 * 3600


def theme(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else "system"


def keys_on(request: HttpRequest) -> bool:
    """Whether single-letter keys press buttons. People who dictate or use switch access turn them off."""
    return request.COOKIES.get(KEYS_COOKIE) != "off"


def remember(request: HttpRequest, response: HttpResponse, cookie: str, value: str) -> None:
    response.set_cookie(
        cookie, value, max_age=A_YEAR, samesite="Lax", secure=request.is_secure(), httponly=True, path="/"
    )
