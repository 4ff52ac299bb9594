"""A secret typed anywhere is found nowhere: not in the database, not in the log, not in a mail.

Every address and call of the permission matrix is tried, each of its fields in turn, so a new one is tried from its first day.
Only a conversation holds what was said in it (tests/learning/test_redaction.py).
"""

import base64
import json

import pytest
from django.test import Client
from django.urls import reverse

from digitalworker.agents.models import Organization
from tests.dump import dump, found_in, logged, stands_in, written
from tests.everything import everything
from tests.factories import bearer, login, make_key
from tests.learning.told import made_up
from tests.test_permission_matrix import CALLS, PAGES, undone

pytestmark = pytest.mark.django_db

# Where a conversation is kept: what was said, and the ids its sender gave to people and threads.
CONVERSATION = {"agents_chatevent", "agents_person", "agents_thread"}
# Fields that a form or a call may have and the matrix leaves out.
MORE = "reason why name note persona author text question content document key query body".split()  # noqa: SIM905
NO_TEXTS = {"kind", "risk", "digest", "to", "do", "role", "action"}  # one of a few words, or nothing is tried at all


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), undone():
        yield everything()


def test_the_search_would_find_a_secret_in_any_disguise(world):
    value = made_up(1)
    with undone():
        Organization.objects.filter(pk=world.acme.pk).update(name=f"my password is {value}")
        assert found_in(dump(), value) == ["agents_organization"]
    packed = [base64.b64encode(b"x" * before + value.encode() + b"!!").decode() for before in range(3)]
    for disguise in (value, value.encode().hex(), *packed):
        assert found_in({"it": disguise.casefold()}, value) == ["it"]


def variants(face: str, data: dict):
    """`data` with one text after the other replaced by a told secret, also in fields that were left out. A page passes by
    fields that it does not know, so these are tried together."""
    for number, name in enumerate(data):
        if isinstance(data[name], str) and name not in NO_TEXTS:
            value = made_up(number)
            yield name, value, data | {name: f"my password is {value}"}
    more = [name for name in MORE if name not in data]
    value = made_up(100)
    if face == "page":
        yield "what it leaves out", value, dict.fromkeys(more, f"my password is {value}") | data
    else:
        yield from ((name, value, data | {name: f"my password is {value}"}) for name in more)


def posted():
    """Whatever sends something. Where it is said in a conversation, also with secrets taken out at intake."""
    pages = [("page", *param.values[:1], "POST", *param.values[2:], param.id) for param in PAGES if param.values[3]]
    calls = [("call", *param.values[:1], *param.values[2:], param.id) for param in CALLS if param.values[2] != "GET"]
    for *face, title in (*pages, *calls):
        yield pytest.param(False, *face, id=title)
        if face[1] in {"runtime:playground", "ask", "events"}:
            yield pytest.param(True, *face, id=f"{title} redacted")


@pytest.mark.parametrize(("redacts", "face", "name", "method", "args", "data"), posted())
def test_a_secret_typed_anywhere_is_found_nowhere(world, redacts, face, name, method, args, data):
    with undone(), logged() as log:
        Organization.objects.filter(pk=world.acme.pk).update(redact_secrets=redacts)
        key = make_key("runtime review admin audit", organization=world.acme)
        browser = login(Client(raise_request_exception=False), world.olga, world.acme)
        path = reverse(f"api:{name}" if face == "call" else name, args=args(world))
        for field, value, body in variants(face, data(world)):
            with undone():
                before = written()
                if face == "page":
                    browser.post(path, body)
                else:
                    send = getattr(Client(raise_request_exception=False), method.lower())
                    send(path, json.dumps(body, default=str), content_type="application/json", headers=bearer(key))
                changed = set(written() - before)
                places = found_in(dump(only=changed, without=() if redacts else CONVERSATION), value)
                assert places == [], f"{field} of {name}"
                assert not stands_in(log.getvalue(), value), f"{field} of {name}"
