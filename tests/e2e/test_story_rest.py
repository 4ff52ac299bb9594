"""The product's main job, told over HTTP by the programs of one shop."""

import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests import factories

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


class Program:
    """Somebody's program with one key, talking real HTTP."""

    def __init__(self, address: str, key: str):
        self.address, self.key = f"{address}/api/v1/", key

    def __call__(self, method: str, path: str, body: dict | None = None) -> tuple[int, dict]:
        request = Request(  # noqa: S310 - our own live server
            self.address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urlopen(request, timeout=30) as response:  # noqa: S310
                return response.status, json.load(response)
        except HTTPError as error:
            assert error.headers["Content-Type"] == "application/problem+json"
            return error.code, json.load(error)

    def get(self, path: str) -> tuple[int, dict]:
        return self("GET", path)

    def post(self, path: str, body: dict) -> tuple[int, dict]:
        return self("POST", path, body)


@pytest.fixture
def shop(live_server):
    world = factories.make_world()
    plain = {
        "admin": factories.make_key("admin", organization=world.acme),
        "runtime": factories.make_key("runtime", [world.shop]),
        "review": factories.make_key("review", organization=world.acme, issuer=world.adam, name="Shop floor"),
        "audit": factories.make_key("audit", organization=world.acme),
        "elsewhere": factories.make_key("runtime review audit", [world.hr]),
    }
    return {name: Program(live_server.url, key) for name, key in plain.items()}


def eventually(look, *, seconds=20):
    """Learning happens after the answer, so its effects are waited for."""
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.1)
    return found


def test_what_abc_said_once_helps_abc_later_and_nobody_else(shop):
    _, agent = shop["admin"].get("role-agents/shop/")
    status, agent = shop["admin"](
        "PATCH", "role-agents/shop/", {"revision": agent["revision"], "people_learning": "review"}
    )
    assert (status, agent["people_learning"]) == (200, "review")

    # ABC asks, and what they said about themselves becomes a proposal, not knowledge.
    status, first = shop["runtime"].post(
        "role-agents/shop/ask/",
        {"question": "do you have these pants in my size, 38?", "external_user_id": "ABC", "verified": True},
    )
    assert (status, first["metadata"]["memory_injected"]) == (200, False)
    items = eventually(lambda: shop["review"].get("learning-items/?role_agent=shop&status=pending")[1]["results"])
    (item,) = items
    assert (item["proposed"]["key"], item["proposed"]["content"], item["person"]) == ("size", "38", "ABC")
    _, run = shop["audit"].get(f"runs/{first['run_id']}/")
    assert [ref["id"] for ref in item["source_refs"]] == [run["question_id"]]
    assert item["thread"] == first["thread_id"]

    # The wrong hands first: one may look, the other does not even find it.
    decision = {"revision": item["revision"], "digest": item["digest"]}
    address = f"learning-items/{item['id']}/"
    assert shop["audit"].get(address)[0] == 200
    status, told = shop["audit"].post(f"{address}approve/", decision)
    assert (status, told["code"], told["scopes_needed"]) == (403, "scope_missing", ["review"])
    assert shop["elsewhere"].get(address)[0] == 404
    assert shop["elsewhere"].post(f"{address}approve/", decision)[0] == 404
    assert shop["elsewhere"].post("role-agents/shop/ask/", {"question": "hi"})[0] == 404
    assert shop["elsewhere"].get(f"runs/{first['run_id']}/")[0] == 404

    status, decided = shop["review"].post(f"{address}approve/", decision)
    assert (status, decided["status"], decided["decided_by"]) == (200, "approved", "API key Shop floor of Adam")
    status, told = shop["review"].post(f"{address}approve/", decision)
    assert (status, told["decided_by"], told["decision"]) == (409, "API key Shop floor of Adam", "approved")

    # In a new conversation the size is there, and the run says why.
    jerseys = {"question": "what jerseys would you recommend?", "external_user_id": "ABC"}
    status, second = shop["runtime"].post("role-agents/shop/ask/", jerseys)
    assert second["thread_id"] != first["thread_id"]
    assert second["metadata"]["memory_injected"] is True
    (memory,) = second["metadata"]["memories"]
    assert (memory["key"], memory["content"], memory["id"]) == ("size", "38", decided["memory"])
    _, run = shop["runtime"].get(f"runs/{second['run_id']}/")
    (given,) = run["memories"]
    assert given["provenance"]["reviewed_by"] == "API key Shop floor of Adam"
    assert given["provenance"]["event"] == item["source_refs"][0]["id"]
    assert given["provenance"]["item"] == item["id"]

    _, stranger = shop["runtime"].post("role-agents/shop/ask/", jerseys | {"external_user_id": "XYZ"})
    assert stranger["metadata"]["memory_injected"] is False
    assert "38" not in json.dumps(stranger["metadata"]) + stranger["answer"]

    _, audit = shop["audit"].get("audit-events/?verb=approved")
    (approved,) = audit["results"]
    assert (approved["actor"]["label"], approved["object"]["id"]) == ("API key Shop floor of Adam", item["id"])
