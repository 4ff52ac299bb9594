"""What guards every page from the first day, as a browser and a stranger meet it."""

import pytest

from tests.factories import PASSWORD, login, make_user

LOG_IN = "/accounts/login/"
OIDC = {"DW_OIDC_SERVER": "https://id.example.org/realm", "DW_OIDC_CLIENT_ID": "a", "DW_OIDC_CLIENT_SECRET": "b"}
FORMS = "from django.conf import settings; print(*settings.SECURE_CSP['form-action'])"
COOKIES = (
    "from django.conf import settings as s; print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS)"
)
PRODUCTION = {
    "DW_ENV": "production",
    "DW_SECRET_KEY": "k" * 50,
    "DW_ALLOWED_HOSTS": "worker.example.org",
    "DATABASE_URL": "postgresql://app@db.example/worker",
}


@pytest.mark.django_db
def test_a_page_runs_only_scripts_and_styles_that_carry_its_own_nonce(client):
    first, second = client.get(LOG_IN), client.get(LOG_IN)
    policy = first["Content-Security-Policy"]
    assert "unsafe" not in policy
    nonce = policy.partition("script-src 'self' 'nonce-")[2].partition("'")[0]
    assert nonce and nonce not in second["Content-Security-Policy"]
    for rule in (
        "default-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
    ):
        assert rule in policy
    assert first["X-Frame-Options"] == "DENY"


@pytest.mark.django_db
def test_whoever_guesses_passwords_is_stopped_even_with_the_right_one(client):
    make_user("Eva")
    for _ in range(5):
        client.post(LOG_IN, {"login": "eva@acme.test", "password": "wrong"})
    answer = client.post(LOG_IN, {"login": "eva@acme.test", "password": PASSWORD})
    assert answer.status_code == 200
    assert "Too many failed" in answer.text


def test_cookies_travel_only_encrypted_in_production(python):
    assert python(COOKIES, **PRODUCTION).stdout == "True True 31536000\n"


def test_a_log_in_by_single_sign_on_may_lead_to_its_provider_and_nowhere_else(python):
    assert python(FORMS).stdout == "'self'\n"
    assert python(FORMS, **OIDC).stdout == "'self' https://id.example.org\n"
    elsewhere = OIDC | {"DW_OIDC_ORIGINS": "https://a.example.org, https://b.example.org"}
    assert python(FORMS, **elsewhere).stdout == "'self' https://a.example.org https://b.example.org\n"


def test_what_was_learned_does_not_stay_in_a_shared_browser(client, world):
    login(client, world.olga)
    assert client.get("/app/")["Cache-Control"] == "no-store"
