"""A cursor comes from outside: whatever it holds, it is a page or a damaged link."""

import base64
import json

import pytest

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import Invalid
from digitalworker.common.paging import page

ANY_ID = "01900000-0000-7000-8000-000000000000"


def encoded(raw: str) -> str:
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        encoded(json.dumps(["n", "a\x00b", ANY_ID])),
        encoded(json.dumps(["n", "\ud800", ANY_ID])),
        encoded(json.dumps(["n", "a"])),
        encoded(json.dumps(["n", "a", "no id"])),
        encoded(json.dumps(["x", "a", ANY_ID])),
        encoded("[" * 100_000),
        encoded("{}"),
        "é",
    ],
)
def test_a_damaged_cursor_is_refused_before_the_database_sees_it(world, cursor):
    with pytest.raises(Invalid) as refused:
        page(RoleAgent.objects.all(), cursor, order=("name", "id"))
    assert refused.value.code == "bad_cursor"
