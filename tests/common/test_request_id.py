import asyncio
import re

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from digitalworker.common import context
from digitalworker.common.middleware import RequestIdMiddleware, _loggable_path


def answer(request):
    context.bind(organization="o1", actor="user:7")
    return HttpResponse(context.request_id_var.get())


def test_every_answer_carries_a_new_id():
    first, second = (RequestIdMiddleware(answer)(RequestFactory().get("/")) for _ in range(2))
    assert re.fullmatch("[0-9a-f]{32}", first["X-Request-ID"])
    assert first["X-Request-ID"] < second["X-Request-ID"]
    assert first.content.decode() == first["X-Request-ID"]


def test_a_well_formed_id_is_taken_over():
    asked = RequestFactory().get("/", headers={"X-Request-ID": "proxy-12345678"})
    assert RequestIdMiddleware(answer)(asked)["X-Request-ID"] == "proxy-12345678"


@pytest.mark.parametrize("given", ["", "short", "x" * 65, "has space in it", "new\nline-1234", "<script>alert(1)"])
def test_any_other_id_is_replaced(given):
    asked = RequestFactory().get("/", HTTP_X_REQUEST_ID=given)
    assert re.fullmatch("[0-9a-f]{32}", RequestIdMiddleware(answer)(asked)["X-Request-ID"])


def test_nothing_is_left_for_the_next_request():
    RequestIdMiddleware(answer)(RequestFactory().get("/"))
    assert context.current() == {"request_id": None, "organization_id": None, "actor": None}


def test_it_works_for_asynchronous_views():
    async def view(request):
        return answer(request)

    async def ask():
        return await RequestIdMiddleware(view)(RequestFactory().get("/"))

    found = asyncio.run(ask())
    assert found.content.decode() == found["X-Request-ID"]


def test_a_key_inside_the_path_stays_out_of_the_log():
    request = RequestFactory().get("/accounts/password/reset/key/9-abc-secret/?next=/x")
    request.resolver_match = type("Match", (), {"kwargs": {"uidb36": "9", "key": "abc-secret"}})()
    assert _loggable_path(request) == "/accounts/password/reset/key/9-<key>/"


def test_a_block_puts_back_what_was_bound_before():
    with context.bind(actor="user:1"):
        with context.bind(actor="user:2", organization=5):
            assert context.current() == {"request_id": None, "organization_id": "5", "actor": "user:2"}
        assert context.actor_var.get() == "user:1"
    assert context.actor_var.get() is None
