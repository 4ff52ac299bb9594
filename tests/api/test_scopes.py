"""Which scope opens which address. The wrong key comes first, and is told what it lacks."""

import pytest

from digitalworker.agents.choices import Role, Scope
from digitalworker.agents.models import Membership
from digitalworker.agents.policies import key_may
from digitalworker.api import registry
from digitalworker.api.permissions import held_scopes
from digitalworker.common.types import Actor, ActorKind
from tests import factories

from .conftest import is_problem

ID = "01900000-0000-7000-8000-000000000000"
ALL = {"runtime", "review", "admin", "audit"}
READERS = {"review", "audit"}
OPENS = {
    ("GET", "role-agents/"): ALL,
    ("POST", "role-agents/"): {"admin"},
    ("GET", "role-agents/shop/"): ALL,
    ("PATCH", "role-agents/shop/"): {"admin"},
    ("POST", "role-agents/shop/ask/"): {"runtime"},
    ("POST", "role-agents/shop/context/"): {"runtime"},
    ("POST", "role-agents/shop/events/"): {"runtime"},
    ("GET", "role-agents/shop/history/?q=x"): {"runtime", "audit"},
    ("GET", "memories/"): READERS,
    ("POST", "memories/"): {"review"},
    ("GET", f"memories/{ID}/"): READERS,
    ("PATCH", f"memories/{ID}/"): {"review"},
    ("DELETE", f"memories/{ID}/"): {"review"},
    ("POST", f"memories/{ID}/supersede/"): {"review"},
    ("POST", f"memories/{ID}/restore/"): {"review"},
    ("POST", f"memories/{ID}/undo/"): {"review"},
    ("POST", f"memories/{ID}/keep/"): {"review"},
    ("POST", f"memories/{ID}/promote/"): {"review"},
    ("POST", f"memories/{ID}/demote/"): {"review"},
    ("POST", f"memories/{ID}/pin/"): {"review"},
    ("POST", f"memories/{ID}/unpin/"): {"review"},
    ("POST", f"memories/{ID}/unmark-sensitive/"): {"review"},
    ("POST", "memories/import/"): {"review"},
    ("GET", "memories/export/"): READERS,
    ("GET", "learning-items/"): READERS,
    ("POST", "learning-items/"): {"review"},
    ("POST", "learning-items/bulk/"): {"review"},
    ("GET", f"learning-items/{ID}/"): READERS,
    ("POST", f"learning-items/{ID}/approve/"): {"review"},
    ("POST", f"learning-items/{ID}/reject/"): {"review"},
    ("POST", f"learning-items/{ID}/edit/"): {"review"},
    ("POST", f"learning-items/{ID}/reopen/"): {"review"},
    ("POST", f"learning-items/{ID}/reassign/"): {"review"},
    ("POST", f"learning-items/{ID}/mark-sensitive/"): {"review"},
    ("POST", f"learning-items/{ID}/unmark-sensitive/"): {"review"},
    ("POST", f"learning-items/{ID}/convert/"): {"review"},
    ("GET", "skills/"): READERS,
    ("GET", f"skills/{ID}/"): READERS,
    ("GET", f"skills/{ID}/versions/"): READERS,
    ("GET", f"skills/{ID}/versions/1/"): READERS,
    ("GET", f"skills/{ID}/export/"): READERS,
    ("POST", f"skills/{ID}/revert/"): {"review"},
    ("POST", f"skills/{ID}/pause/"): {"review"},
    ("POST", f"skills/{ID}/resume/"): {"review"},
    ("POST", f"skills/{ID}/archive/"): {"review"},
    ("POST", "skills/"): {"review"},
    ("POST", "skills/import/"): {"review"},
    ("POST", f"skills/{ID}/propose-update/"): {"review"},
    ("GET", "souls/"): READERS,
    ("POST", "souls/"): {"review"},
    ("GET", f"souls/{ID}/"): READERS,
    ("PATCH", f"souls/{ID}/"): {"review"},
    ("GET", f"souls/{ID}/versions/"): READERS,
    ("POST", f"souls/{ID}/revert/"): {"review"},
    ("POST", f"souls/{ID}/propose-update/"): {"review"},
    ("GET", "role-agents/shop/soul/"): READERS,
    ("POST", "role-agents/shop/soul/"): {"review"},
    ("GET", "operations/"): {"admin"},
    ("POST", "operations/retry/"): {"admin"},
    ("GET", "audit-events/"): {"audit"},
    ("GET", f"runs/{ID}/"): {"runtime", "audit", "review"},
}


@pytest.mark.parametrize(("method", "path"), OPENS)
@pytest.mark.parametrize("scope", sorted(ALL))
def test_each_scope_alone(key, method, path, scope):
    response = key(scope)(method, path, None if method == "GET" else {})
    if scope in OPENS[method, path]:
        assert response.status_code in {200, 400, 404}, response.content
    else:
        told = is_problem(response, 403, "scope_missing")
        assert told["scopes_needed"] == sorted(OPENS[method, path])
        assert told["detail"] == f"This key lacks the scope {' or '.join(told['scopes_needed'])}."


def _pattern(path: str) -> str:
    bare = path.partition("?")[0].replace(ID, "{}")
    return bare.replace("role-agents/shop", "role-agents/{}").replace("versions/1", "versions/{}")


def test_the_table_above_has_every_address():
    known = {_pattern(path) for _, path in OPENS}
    there = {
        "/".join("{}" if part.startswith("<") else part for part in str(route.pattern).split("/"))
        for route in registry.routes()
    }
    assert there == known


def test_the_methods_above_are_all_methods():
    for route in registry.routes():
        offered = set(route.callback.cls.scopes)
        path = "/".join("{}" if part.startswith("<") else part for part in str(route.pattern).split("/"))
        listed = {method for method, known in OPENS if _pattern(known) == path}
        assert offered == listed, path


def test_a_review_key_ends_with_its_issuers_rights(key, world):
    reviewer = key("review audit", issuer=world.adam)
    assert reviewer.get("learning-items/").status_code == 200
    Membership.objects.filter(user=world.adam, organization=world.acme).update(role=Role.MEMBER)
    told = is_problem(reviewer.post(f"learning-items/{ID}/reject/", {"revision": 1}), 403, "scope_lost")
    assert "not any more" in told["detail"]
    assert reviewer.get("audit-events/").status_code == 200


def test_the_key_of_somebody_who_left_still_answers_but_decides_nothing(key, world):
    asking = key("review runtime", issuer=world.adam)
    Membership.objects.filter(user=world.adam, organization=world.acme).delete()
    is_problem(asking.get("learning-items/"), 403, "scope_lost")
    assert asking.post("role-agents/shop/context/", {"question": "hi"}).status_code == 200


@pytest.mark.parametrize("role", [*Role.values, None])
@pytest.mark.parametrize("scope", Scope.values)
def test_deciding_scopes_are_worth_their_issuers_rank_and_the_others_stand_alone(world, role, scope):
    actor = Actor(ActorKind.KEY, world.acme.pk, "key", role=role, scopes=frozenset({scope}))
    worth = scope in {"runtime", "audit"} or role in {"owner", "admin"}
    assert held_scopes(actor) == ({scope} if worth else set())
    assert [each for each in Scope.values if key_may(actor, Scope(each))] == ([scope] if worth else [])


def test_an_endpoint_that_names_no_scopes_does_not_start():
    from django.core.exceptions import ImproperlyConfigured

    from digitalworker.api.endpoints import Endpoint

    with pytest.raises(ImproperlyConfigured, match="does not say which scopes"):
        type("Careless", (Endpoint,), {"get": lambda self, request: None})


def test_keys_of_another_organisation_see_nothing_of_this_one(their_key, world):
    other = their_key("review audit runtime admin")
    assert [row["code"] for row in other.get("role-agents/").json()["results"]] == ["it"]
    is_problem(other.get("role-agents/shop/"), 404, "not_found")
    for path in ("ask", "context"):
        is_problem(other.post(f"role-agents/shop/{path}/", {"question": "hi"}), 404, "not_found")
    is_problem(other.post("role-agents/shop/events/", {"text": "hi"}), 404, "not_found")
    assert factories.make_key("audit", organization=world.acme)
