import json

import pytest

from tests import factories


@pytest.fixture(autouse=True)
def _words_alone(settings):
    """Nothing here is about nearness, and loading the engine that measures it takes longer than all of these."""
    settings.DW_EMBEDDING = "none"


class Api:
    """One key's hand on the API. Paths are under /api/v1/."""

    def __init__(self, client, key: str | None):
        self.client, self.key = client, key

    def __call__(self, method: str, path: str, body: object = None, *, raw: bytes | None = None, **headers):
        if self.key is not None:
            headers.setdefault("Authorization", f"Bearer {self.key}")
        data = raw if raw is not None else (b"" if body is None else json.dumps(body).encode())
        path = path if path.startswith("http") else f"/api/v1/{path}"
        content_type = headers.pop("content_type", "application/json")
        return self.client.generic(method, path, data, content_type=content_type, headers=headers)

    def get(self, path: str, **headers):
        return self("GET", path, **headers)

    def post(self, path: str, body: object = None, **headers):
        return self("POST", path, {} if body is None else body, **headers)

    def patch(self, path: str, body: object):
        return self("PATCH", path, body)

    def delete(self, path: str):
        return self("DELETE", path)


@pytest.fixture
def api(client):
    """`api(key).get("memories/")`."""
    return lambda key=None: Api(client, key)


@pytest.fixture
def key(world, api):
    """`key("runtime review")`: a key of Acme's owner with these scopes, ready to call."""

    def make(scopes: str, *agents, issuer=None):
        fields = {"agents": list(agents) or None, "organization": world.acme}
        return api(factories.make_key(scopes, issuer=issuer, **fields))

    return make


@pytest.fixture
def their_key(world, api):
    """The same of Globex's owner."""
    return lambda scopes: api(factories.make_key(scopes, organization=world.globex))


def is_problem(response, status: int, code: str) -> dict:
    """Asserts the shape every error has, and returns it."""
    assert response["Content-Type"] == "application/problem+json", response.content
    told = response.json()
    assert (response.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["type"] == f"urn:digitalworker:problem:{code}"
    assert told["title"] and told["detail"]
    return told
