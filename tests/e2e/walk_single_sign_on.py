"""Log-ins through an identity provider. `test_single_sign_on` runs this with one configured, which a running Django can not
change: its apps are chosen when it starts."""

import os
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.test import Client

from digitalworker.agents.models import User
from tests import factories

pytestmark = pytest.mark.django_db
PROVIDER = os.environ["DW_OIDC_SERVER"]


def enter(email: str, *, verified: bool = True) -> Client:
    """A browser that follows the button on the log-in page, logs in there as `email`, and comes back."""
    requests.post(
        f"{PROVIDER}/next", json={"sub": f"sub-{email}", "email": email, "email_verified": verified}, timeout=5
    )
    client = Client()
    page = client.get("/accounts/login/").content.decode()
    assert "Acme ID" in page
    sent = client.post("/accounts/oidc/sso/login/")
    assert sent.headers["Location"].startswith(f"{PROVIDER}/authorize?")
    asked = parse_qs(urlsplit(sent.headers["Location"]).query)
    assert asked["client_id"] == ["digital-worker"]
    client.answer = client.get("/accounts/oidc/sso/login/callback/", {"code": "from-there", "state": asked["state"][0]})
    return client


def is_in(client: Client) -> bool:
    return client.get("/app/").status_code == 200


@pytest.fixture
def world():
    return factories.make_world()


def test_a_member_gets_in_by_the_address_the_provider_verified(world):
    client = enter(world.ada.email)
    assert is_in(client)
    assert "IT Agent" in client.get("/app/settings/digital-workers").content.decode()
    world.ada.refresh_from_db()
    assert world.ada.email_confirmed


def test_the_second_time_it_is_the_same_account(world):
    enter(world.ada.email)
    assert is_in(enter(world.ada.email))
    assert User.objects.filter(email=world.ada.email).count() == 1


def test_an_address_nobody_verified_opens_nothing(world):
    client = enter(world.ada.email, verified=False)
    assert not is_in(client)
    world.ada.refresh_from_db()
    assert not world.ada.email_confirmed


def test_a_stranger_gets_no_account(world):
    before = User.objects.count()
    assert not is_in(enter("mallory@elsewhere.test"))
    assert User.objects.count() == before


def test_a_made_up_answer_opens_nothing(world):
    client = Client()
    client.get("/accounts/oidc/sso/login/callback/", {"code": "from-there", "state": "made-up"})
    assert not is_in(client)
