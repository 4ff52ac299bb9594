"""Many items over REST: filtered as on the pages of the inbox, and decided each by itself."""

import pytest

from digitalworker.audit.models import LearningEvent
from learning.choices import ItemStatus
from learning.models import LearningItem, Memory

from .conftest import is_problem
from .making import item_for

BULK = "learning-items/bulk/"


@pytest.fixture
def items(world):
    return [item_for(world.shop, str(38 + n), person=f"P-{n}") for n in range(3)]


def seen(items) -> list[dict]:
    return [{"id": str(item.pk), "revision": item.revision, "digest": item.digest} for item in items]


# --- who may ------------------------------------------------------------------------------------------------------
def test_only_a_key_that_reviews_decides(key, their_key, items, world):
    body = {"action": "approve", "items": seen(items)}
    for scopes in ("audit", "runtime", "admin"):
        is_problem(key(scopes).post(BULK, body), 403, "scope_missing")
    for other in (their_key("review"), key("review", world.hr)):
        answer = other.post(BULK, body).json()
        assert answer["done"] == 0
        assert {(each["status"], each["code"]) for each in answer["results"]} == {(404, "not_found")}
    assert not Memory.objects.exists()


# --- what comes of each -------------------------------------------------------------------------------------------
def test_each_is_decided_by_itself_and_the_answer_says_what_came_of_it(key, items):
    review = key("review")
    body = {"action": "approve", "items": seen(items)}
    review.post(f"learning-items/{items[1].pk}/reject/", {"revision": items[1].revision})
    answer = review.post(BULK, body)
    assert answer.status_code == 200
    told = answer.json()
    assert told["done"] == 2
    assert [(each["id"], each["status"], each["code"]) for each in told["results"]] == [
        (str(items[0].pk), 200, None),
        (str(items[1].pk), 409, "already_decided"),
        (str(items[2].pk), 200, None),
    ]
    assert told["results"][1]["detail"] == "API key test key of Olga rejected this already. Nothing was changed."
    assert (told["results"][0]["revision"], told["results"][1]["revision"]) == (items[0].revision + 1, None)

    again = review.post(BULK, body).json()
    assert again["done"] == 0 and {each["code"] for each in again["results"]} == {"already_decided"}
    assert LearningEvent.objects.filter(verb="approved").count() == 2


def test_rejected_assigned_marked_and_taken_back(key, items, world):
    review = key("review")

    def act(action, **more):
        fresh = LearningItem.objects.order_by("id")
        answer = review.post(BULK, {"action": action, "items": seen(fresh), **more})
        assert answer.status_code == 200, answer.content
        assert answer.json()["done"] == 3, answer.json()

    act("reassign", to="adam@acme.test")
    assert LearningItem.objects.filter(assigned_to=world.adam).count() == 3
    act("reassign", to=None)
    assert not LearningItem.objects.filter(assigned_to__isnull=False).exists()
    act("mark-sensitive")
    act("reject", why="duplicate", reason="known")
    assert set(LearningItem.objects.values_list("status", "decision_reason")) == {("rejected", "Duplicate: known")}
    act("reopen")
    assert set(LearningItem.objects.values_list("status", "sensitive")) == {(ItemStatus.PENDING, True)}


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"action": "erase"}, "action", "Use one of: approve, reject, reassign, mark-sensitive, reopen."),
        ({"items": []}, "items", "This list may not be empty."),
        ({"why": "wrong"}, "why", "This does not go with approve."),
        ({"to": "adam@acme.test"}, "to", "This does not go with approve."),
        ({"action": "reassign"}, "to", "Say whom, or null for nobody."),
        ({"nonsense": 1}, "nonsense", "This field is not known here."),
    ],
)
def test_what_does_not_fit_is_refused_by_name_and_nothing_happens(key, items, change, field, message):
    problem = is_problem(key("review").post(BULK, {"action": "approve", "items": seen(items)} | change), 400, "invalid")
    assert message in str(problem["errors"][field])
    assert LearningItem.objects.filter(status=ItemStatus.PENDING).count() == 3


def test_a_rejection_of_many_takes_what_one_takes(key, items):
    review = key("review")
    for path, body in (
        (f"learning-items/{items[0].pk}/reject/", {"revision": 1, "replaces_seen": ""}),
        (BULK, {"action": "reject", "items": [each | {"replaces_seen": ""} for each in seen(items)]}),
    ):
        is_problem(review.post(path, body), 400, "invalid")
    assert LearningItem.objects.filter(status=ItemStatus.PENDING).count() == 3
    why = {"why": "duplicate", "reason": "known"}
    one = {"revision": items[0].revision, "digest": items[0].digest}
    assert review.post(f"learning-items/{items[0].pk}/reject/", one | why).status_code == 200
    assert review.post(BULK, {"action": "reject", "items": seen(items[1:])} | why).json()["done"] == 2
    assert set(LearningItem.objects.values_list("status", "decision_reason")) == {("rejected", "Duplicate: known")}


def test_an_approval_of_many_names_each_digest_and_so_many_fit(key, items):
    review, bare = key("review"), [{"id": str(item.pk), "revision": item.revision} for item in items]
    problem = is_problem(review.post(BULK, {"action": "approve", "items": bare}), 400, "invalid")
    assert problem["errors"]["items"] == ["An approval names the digest of each text."]
    is_problem(review.post(BULK, {"action": "reject", "items": bare * 67}), 400, "invalid")
    assert review.post(BULK, {"action": "reject", "items": bare * 66}).json()["done"] == 3


# --- finding them -------------------------------------------------------------------------------------------------
def test_the_list_takes_the_filters_of_the_inbox(key, world, items):
    fact = item_for(world.it, "The archive is on floor two", key=None, scope="role_agent")
    wide = item_for(world.it, "Offices close at noon", key=None, scope="organization")
    guarded = item_for(world.it, "Somebody is ill", key=None, scope="role_agent", sensitive=True)
    LearningItem.objects.filter(pk=fact.pk).update(assigned_to=world.ada, findings=[{"rule": "override.rules"}])
    review = key("review")

    def found(query) -> list[str]:
        answer = review.get(f"learning-items/?{query}")
        assert answer.status_code == 200, answer.content
        return [row["id"] for row in answer.json()["results"]]

    people = [str(item.pk) for item in items]
    for query, expected in {
        "memory_kind=profile": people[::-1],
        "scope=organization": [str(wide.pk)],
        "assigned_to=ada@acme.test": [str(fact.pk)],
        "assigned_to=gus@globex.test": [],
        "assigned_to=nobody&role_agent=it": [str(guarded.pk), str(wide.pk)],
        "finding=steering": [str(fact.pk)],
        "q=floor+archive": [str(fact.pk)],
        "q=P-1": [people[1]],
        "scope=person&sort=oldest": people,
        "role_agent=it&sort=size": [str(each.pk) for each in (fact, wide, guarded)],
        "older_than_days=3": [],
        "updates=true": [],
        "source=api": [],
        "decidable=true&role_agent=it": [str(guarded.pk), str(wide.pk), str(fact.pk)],
        "sensitive=true": [str(guarded.pk)],
    }.items():
        assert found(query) == expected, query
    limited = key("review", world.it).get("learning-items/?decidable=true").json()["results"]
    assert str(wide.pk) not in {row["id"] for row in limited}
    is_problem(review.get("learning-items/?finding=nonsense"), 400, "bad_parameter")


def test_no_filter_tells_an_auditors_key_what_something_sensitive_says(key, world):
    item_for(world.it, "Somebody is ill", key=None, scope="role_agent", sensitive=True)
    audit = key("audit")
    assert len(audit.get("learning-items/").json()["results"]) == 1
    for query in ("q=ill", "memory_kind=fact", "scope=role_agent", "risk=low"):
        assert audit.get(f"learning-items/?{query}").json()["results"] == [], query
