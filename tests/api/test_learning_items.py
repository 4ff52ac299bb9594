import pytest

from digitalworker.agents.models import RoleAgent
from digitalworker.audit.models import LearningEvent
from learning.models import LearningItem, Memory

from .conftest import is_problem
from .making import item_for


@pytest.fixture
def item(world):
    return item_for(world.shop)


def seen(item, **more):
    return {"revision": item.revision, "digest": item.digest, **more}


def url(item, action=""):
    return f"learning-items/{item.pk}/" + (f"{action}/" if action else "")


def test_an_auditors_key_reads_and_is_offered_nothing(key, item):
    audit = key("audit")
    shown = audit.get(url(item)).json()
    assert shown["proposed"] == {"scope": "person", "kind": "profile", "key": "size", "content": "38"}
    assert (shown["person"], shown["role_agent"], shown["allowed_actions"]) == ("ABC", "shop", [])
    is_problem(audit.post(url(item, "approve"), seen(item)), 403, "scope_missing")
    item.refresh_from_db()
    assert item.is_pending


def test_a_key_for_another_agent_finds_no_such_item(key, world, item):
    other = key("review", world.hr)
    assert other.get("learning-items/").json()["results"] == []
    for action in ("approve", "reject", "edit", "reopen"):
        body = seen(item) if action == "approve" else {"revision": 1}
        body |= {"content": "39"} if action == "edit" else {}
        is_problem(other.post(url(item, action), body), 404, "not_found")
    is_problem(other.get(url(item)), 404, "not_found")
    assert not Memory.objects.exists()


def test_globex_finds_no_such_item(their_key, item):
    is_problem(their_key("review audit").get(url(item)), 404, "not_found")
    is_problem(their_key("review").post(url(item, "approve"), seen(item)), 404, "not_found")


def test_approving(key, item):
    shown = key("review").get(url(item)).json()
    assert shown["allowed_actions"] == ["approve", "edit", "reject", "mark-sensitive", "reassign"]
    response = key("review").post(url(item, "approve"), {"revision": shown["revision"], "digest": shown["digest"]})
    assert response.status_code == 200, response.content
    decided = response.json()
    assert (decided["status"], decided["decided_by"]) == ("approved", "API key test key of Olga")
    assert decided["allowed_actions"] == ["reopen"]
    memory = Memory.objects.get(pk=decided["memory"])
    assert (str(memory), memory.person.external_user_id) == ("size = 38", "ABC")
    event = LearningEvent.objects.get(verb="approved")
    assert (event.object_id, event.actor_kind) == (str(item.pk), "key")


def test_the_second_approval_is_told_who_was_first(key, item):
    review = key("review")
    assert review.post(url(item, "approve"), seen(item)).status_code == 200
    told = is_problem(review.post(url(item, "approve"), seen(item)), 409, "already_decided")
    assert told["detail"] == "API key test key of Olga approved this already. Nothing was changed."
    assert (told["decided_by"], told["decision"]) == ("API key test key of Olga", "approved")
    assert told["decided_at"]
    assert Memory.objects.count() == 1
    assert LearningEvent.objects.filter(verb="approved").count() == 1


def test_approving_words_that_were_not_read_is_refused(key, item):
    review = key("review")
    is_problem(review.post(url(item, "approve"), seen(item, digest="0" * 64)), 409, "stale_revision")
    edited = review.post(url(item, "edit"), {"revision": 1, "content": "39"}).json()
    assert (edited["status"], edited["revision"], edited["edited"]) == ("pending", 2, True)
    told = is_problem(review.post(url(item, "approve"), seen(item)), 409, "stale_revision")
    assert "edited this meanwhile" in told["detail"]
    assert not Memory.objects.exists()


def test_edit_and_approve(key, item):
    body = seen(item, edited={"content": "39", "key": "waist"}, reason="they said so later")
    decided = key("review").post(url(item, "approve"), body).json()
    assert decided["edited"] is True
    assert str(Memory.objects.get()) == "waist = 39"
    assert LearningItem.objects.get().decision_reason == "they said so later"
    assert LearningEvent.objects.get(verb="approved").reason == ""  # it is about a person, and the audit keeps for ever


def test_an_edit_that_says_nothing(key, item):
    told = is_problem(key("review").post(url(item, "edit"), {"revision": 1}), 400, "invalid")
    assert told["detail"] == "Send what changes: kind, key or content of a memory, or the document of a skill."


def test_a_secret_written_into_an_edit_is_refused(key, item):
    body = {"revision": 1, "content": "my password is hunter2!Zebra"}
    told = is_problem(key("review").post(url(item, "edit"), body), 422, "secret")
    assert "hunter2" not in str(told)
    assert not LearningItem.objects.filter(proposed_payload__content__contains="hunter2").exists()


def test_rejecting_and_reopening(key, item):
    review = key("review")
    rejected = review.post(url(item, "reject"), {"revision": 1, "reason": "not lasting"}).json()
    assert (rejected["status"], rejected["decision_reason"]) == ("rejected", "not lasting")
    told = is_problem(review.post(url(item, "approve"), seen(item)), 409, "already_decided")
    assert told["decision"] == "rejected"
    reopened = review.post(url(item, "reopen"), {"revision": rejected["revision"]}).json()
    assert (reopened["status"], reopened["decided_by"], reopened["decided_at"]) == ("pending", "", None)


@pytest.mark.parametrize("action", ["approve", "reject", "edit", "reopen"])
def test_no_decision_without_the_revision(key, item, action):
    body = {"digest": item.digest} if action == "approve" else {"content": "x"} if action == "edit" else {}
    assert "revision" in is_problem(key("review").post(url(item, action), body), 400, "invalid")["errors"]


def test_a_sensitive_item_is_there_and_its_words_are_not(key, world):
    item = item_for(world.shop, "has asthma", key="health", sensitive=True)
    shown = key("audit").get(url(item)).json()
    assert (shown["hidden"], shown["sensitive"], shown["status"]) == (True, True, "pending")
    hidden = ("proposed", "digest", "source_refs", "rationale", "findings", "pii_entities", "decision_reason")
    hidden += ("person", "event", "thread", "risk", "confidence", "detector", "replaces", "near")
    assert {shown[name] for name in hidden} == {None}
    assert "asthma" not in key("audit").get("learning-items/").text
    shown = key("review").get(url(item)).json()
    assert (shown["hidden"], shown["proposed"]["content"]) == (False, "has asthma")


def test_filters(key, world):
    pants = item_for(world.shop)
    item_for(world.hr, "Payday is the 25th", key=None, scope="role_agent")
    secret = item_for(world.shop, "has asthma", key="health", person="XYZ", sensitive=True)
    review = key("review")

    def found(query):
        return [row["id"] for row in review.get(f"learning-items/?{query}").json()["results"]]

    assert found("role_agent=shop") == [str(secret.pk), str(pants.pk)]
    assert found("role_agent=shop&sensitive=false") == [str(pants.pk)]
    assert found("person=XYZ") == [str(secret.pk)]
    assert found("status=approved") == []
    assert found("kind=skill_proposal") == []
    assert len(found("kind=memory_proposal&risk=low&status=pending")) == 3


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("colour=red", "unknown_parameter", "colour"),
        ("status=open", "bad_parameter", "status"),
        ("sensitive=maybe", "bad_parameter", "sensitive"),
        ("sensitive=1", "bad_parameter", "sensitive"),
        ("limit=0", "bad_parameter", "limit"),
        ("limit=201", "bad_parameter", "limit"),
        ("limit=many", "bad_parameter", "limit"),
        ("status=pending&status=approved", "repeated_parameter", "status"),
        ("format=json", "unknown_parameter", "format"),
        ("status=", "bad_parameter", "status"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(key, query, code, field):
    told = is_problem(key("review").get(f"learning-items/?{query}"), 400, code)
    assert field in told["errors"]


def test_an_unknown_filter_names_the_known_ones(key):
    told = is_problem(key("review").get("learning-items/?colour=red"), 400, "unknown_parameter")
    assert told["allowed"] == sorted(told["allowed"])
    assert {"cursor", "kind", "limit", "person", "q", "risk", "role_agent", "sort", "status"} < set(told["allowed"])
    assert told["detail"].endswith("Allowed here: " + ", ".join(told["allowed"]) + ".")


def test_one_item_takes_no_parameters(key, item):
    told = is_problem(key("review").get(url(item) + "?status=pending"), 400, "unknown_parameter")
    assert told["allowed"] == []


def test_a_full_agent_refuses_and_says_its_ceiling(key, world, item):
    RoleAgent.objects.filter(pk=world.shop.pk).update(person_memory_limit=1)
    review = key("review")
    other = item_for(world.shop, "blue", key="colour")
    assert review.post(url(other, "approve"), seen(other)).status_code == 200
    told = is_problem(review.post(url(item, "approve"), seen(item)), 409, "full")
    assert (told["limit"], told["live"]) == (1, 1)
