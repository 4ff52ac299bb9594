"""Short texts that broke other products, through every address that takes text."""

import functools
import json
from urllib.parse import urlencode

import pytest

from digitalworker.agents import authentication
from tests.collections import ODD_INPUTS

from .making import item_for, memory_for

TEXTS = [json.loads(line)["text"] for line in ODD_INPUTS.read_text().splitlines()] if ODD_INPUTS.exists() else []
TEXTS += [
    "\u200b",
    "​\u202e",
    "a" * 5000,
    "👩‍👩‍👧‍👦",
    "';DROP TABLE learning_memory;--",
    "{{7*7}}",
    "%s%n",
    "\r\n\t",
    "\\u0000",
]


@pytest.fixture(autouse=True)
def _known_key(monkeypatch):
    """Thousands of calls with one key, and it is not the key that is tried: who it is is worked out once."""
    known = functools.cache(authentication.actor_of_secret)
    monkeypatch.setattr(authentication, "actor_of_secret", known)


def told(response):
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert response["Content-Type"] == "application/problem+json"
    if response.streaming:  # a file, whole before it is looked at
        return b"".join(response).decode()
    return response.json()


def test_the_collection_is_there():
    if not ODD_INPUTS.exists():
        pytest.skip(f"{ODD_INPUTS.name} is not beside this checkout; only the texts written here were tried")
    assert len(TEXTS) > 40


def test_no_text_breaks_anything(key, world):
    everything = key("runtime review audit admin")
    for text in TEXTS:
        quoted = urlencode({"q": text})
        told(everything.get(f"role-agents/shop/history/?{quoted}"))
        for path in ("memories/", "learning-items/"):
            told(everything.get(f"{path}?{urlencode({'person': text})}"))
        told(everything.get(f"audit-events/?{urlencode({'object_id': text, 'object_type': text})}"))
        told(everything.get(f"memories/?{urlencode({'cursor': text})}"))
        told(everything.post("role-agents/shop/context/", {"question": text, "external_user_id": text}))
        told(everything.post("role-agents/shop/ask/", {"question": text, "external_user_id": text}))
        told(everything.post("role-agents/shop/events/", {"text": text, "author": text, "idempotency_key": text}))
        saved = told(everything.post("memories/", {"role_agent": "shop", "content": text}))
        if "content" in saved:
            assert everything.get(f"memories/{saved['id']}/").json()["content"] == saved["content"]
        told(everything.post("memories/", {"role_agent": text, "content": "x", "key": text}))
        told(everything.post("role-agents/", {"code": text, "name": text, "persona": text}))


VALUES = [
    None,
    True,
    0,
    -1,
    1.5,
    2**31,
    2**63,
    "",
    "x",
    "x" * 300,
    [],
    [[]],
    {},
    {"a": {"b": [1]}},
    "1",
    "é\u0301",
    "2026-01-01",
]


def test_no_value_in_any_field_breaks_anything(key, client, world):
    """The schema says which fields there are; each gets each value, beside others that are right."""
    item, memory = item_for(world.shop), memory_for(world, world.shop, "Jerseys run small", key="jerseys")
    schema = client.get("/api/schema/", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    shapes = schema["components"]["schemas"]
    right = {
        "question": "hi",
        "text": "hi",
        "content": "hi",
        "revision": 1,
        "digest": item.digest,
        "role_agent": "shop",
    }
    right |= {"code": "new", "name": "New"}
    everything, tried = key("runtime review audit admin"), 0
    for path, methods in schema["paths"].items():
        url = path.replace("{code}", "shop").replace("{item_id}", str(item.pk)).replace("{memory_id}", str(memory.pk))
        for method, operation in methods.items():
            if "requestBody" not in operation:
                continue
            name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            one_of = [part["$ref"].rpartition("/")[2] for part in shapes[name].get("oneOf", [])]
            for shape in one_of or [name]:
                fields = shapes[shape]["properties"]
                for field in fields:
                    for value in VALUES:
                        body = {known: right[known] for known in fields if known in right} | {field: value}
                        told(everything(method.upper(), url.removeprefix("/api/v1/"), body))
                        tried += 1
    assert tried > 500


def test_no_value_of_any_parameter_breaks_anything(key, client, world):
    schema = client.get("/api/schema/", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    everything = key("runtime review audit")
    for path, methods in schema["paths"].items():
        url = path.replace("{code}", "shop").removeprefix("/api/v1/")
        for parameter in methods.get("get", {}).get("parameters", []):
            if parameter["in"] == "query" and "{" not in url:
                for value in [
                    "",
                    "x",
                    "-1",
                    "1e9",
                    "9" * 40,
                    "[]",
                    "null",
                    "true",
                    "2026-01-01",
                    "0001-01-01T00:00:00+14:00",
                ]:
                    query = {"q": "x"} if url.endswith("history/") else {}
                    told(everything.get(f"{url}?{urlencode(query | {parameter['name']: value})}"))
