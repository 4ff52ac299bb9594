"""docs/api.md says what is true: its table has every address with its scopes, and no other."""

import re
from pathlib import Path

from digitalworker.api import registry

DOCS = Path(__file__).resolve().parents[2] / "docs" / "api.md"
ROW = re.compile(r"\| `(GET|POST|PATCH|DELETE) ([^`]+)` \| ([a-z, ]+) \|")


def test_the_reference_lists_exactly_what_there_is():
    written = {
        (method, path): {"runtime", "review", "admin", "audit"} if scopes == "any" else set(scopes.split(", "))
        for method, path, scopes in ROW.findall(DOCS.read_text())
    }
    there = {
        (method, re.sub(r"<\w+:(?:\w+_)?(\w+)>", r"{\1}", str(route.pattern))): {str(scope) for scope in scopes}
        for route in registry.routes()
        for method, scopes in route.callback.cls.scopes.items()
    }
    assert written == there
