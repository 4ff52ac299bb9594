"""Whoever set up an authenticator app needs it to get in; whoever lost it gets in once with each recovery code."""

import re

import pytest
from allauth.mfa.totp.internal import auth
from django.test import Client

from tests import factories

LOGIN, SECOND, ACTIVATE = "/accounts/login/", "/accounts/2fa/authenticate/", "/accounts/2fa/totp/activate/"


class Clock:
    """The authenticator's and the server's. A code counts once, so each log-in here happens a minute after the last."""

    now = 1_900_000_000

    def time(self) -> int:
        return self.now

    def later(self) -> None:
        self.now += 60


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(auth, "time", clock)
    return clock


@pytest.fixture
def olga(world):
    return world.olga


def code(secret: str, clock: Clock) -> str:
    return auth.format_hotp_value(auth.hotp_value(secret, clock.now // 30))


def enter(user) -> Client:
    client = Client()
    client.answer = client.post(LOGIN, {"login": user.email, "password": factories.PASSWORD})
    return client


def is_in(client: Client) -> bool:
    return client.get("/app/").status_code == 200


def set_up(user, clock) -> tuple[str, list[str]]:
    """The app's secret and the recovery codes, through the pages a person uses."""
    client = enter(user)
    asked = client.get(ACTIVATE).headers["Location"]  # who it is, once more
    client.post(asked, {"password": factories.PASSWORD})
    secret = re.search(r'id="totp-secret" value="([A-Z2-7]+)"', client.get(ACTIVATE).content.decode())[1]
    assert client.post(ACTIVATE, {"code": "000000"}).status_code == 200  # wrong: asked again
    assert client.post(ACTIVATE, {"code": code(secret, clock)}).status_code == 302
    shown = client.get("/accounts/2fa/recovery-codes/").content.decode()
    return secret, re.findall(
        r"\b[0-9a-f]{8}\b", re.sub(r"<script.*?</script>|[\w-]+=\"[^\"]*\"", "", shown, flags=re.S)
    )


def test_the_password_alone_no_longer_lets_in(olga, clock):
    assert is_in(enter(olga))
    set_up(olga, clock)
    client = enter(olga)
    assert client.answer.headers["Location"].startswith(SECOND)
    assert not is_in(client)


def test_the_right_code_lets_in_and_a_wrong_one_does_not(olga, clock):
    secret, _ = set_up(olga, clock)
    clock.later()
    client = enter(olga)
    wrong = client.post(SECOND, {"code": f"{(int(code(secret, clock)) + 1) % 1_000_000:06}"})
    assert "Incorrect code." in wrong.content.decode()
    assert not is_in(client)
    assert client.post(SECOND, {"code": code(secret, clock)}).status_code == 302
    assert is_in(client)


def test_a_code_that_was_used_lets_nobody_else_in(olga, clock):
    secret, _ = set_up(olga, clock)
    clock.later()
    first, second = enter(olga), enter(olga)
    seen = code(secret, clock)
    first.post(SECOND, {"code": seen})
    second.post(SECOND, {"code": seen})
    assert (is_in(first), is_in(second)) == (True, False)


def test_each_recovery_code_lets_in_once(olga, clock):
    _, codes = set_up(olga, clock)
    assert len(codes) == 10
    first = enter(olga)
    first.post(SECOND, {"code": codes[0]})
    again = enter(olga)
    again.post(SECOND, {"code": codes[0]})
    other = enter(olga)
    other.post(SECOND, {"code": codes[1]})
    assert (is_in(first), is_in(again), is_in(other)) == (True, False, True)


def test_the_app_of_one_person_lets_no_other_in(olga, world, clock):
    secret, _ = set_up(olga, clock)
    set_up(world.adam, clock)
    clock.later()
    client = enter(world.adam)
    client.post(SECOND, {"code": code(secret, clock)})
    assert not is_in(client)
