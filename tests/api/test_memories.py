import pytest

from digitalworker.audit.models import LearningEvent
from learning.models import Memory

from .conftest import is_problem
from .making import memory_for, person_of


@pytest.fixture
def memory(world):
    return memory_for(world, world.it, "Restart the router twice", key="router")


def test_remembering_by_hand(key, world):
    response = key("review").post("memories/", {"role_agent": "it", "content": "VPN is called Tunnel", "key": "vpn"})
    assert response.status_code == 201, response.content
    shown = response.json()
    assert (shown["scope"], shown["role_agent"], shown["source"]) == ("role_agent", "it", "api")
    assert shown["reviewed_by"] == "API key test key of Olga"
    assert LearningEvent.objects.get(verb="memory_saved").object_id == shown["id"]


def test_the_same_key_again_supersedes(key, memory):
    shown = key("review").post("memories/", {"role_agent": "it", "content": "Once is enough", "key": "router"}).json()
    memory.refresh_from_db()
    assert (memory.status, str(memory.superseded_by_id)) == ("superseded", shown["id"])


def test_a_memory_about_a_person_needs_the_person(key, world):
    body = {"role_agent": "shop", "scope": "person", "kind": "profile", "key": "size", "content": "38"}
    review = key("review")
    assert "external_user_id" in is_problem(review.post("memories/", body), 400, "invalid")["errors"]
    told = is_problem(review.post("memories/", body | {"external_user_id": "ABC"}), 404, "not_found")
    assert told["detail"] == "Shop Assistant knows no such person."
    person_of(world.shop, "ABC")
    assert review.post("memories/", body | {"external_user_id": "ABC"}).json()["person"] == "ABC"
    body = {"role_agent": "shop", "content": "x", "external_user_id": "ABC"}
    assert "external_user_id" in is_problem(review.post("memories/", body), 400, "invalid")["errors"]


def test_a_secret_is_refused_and_not_repeated(key):
    told = is_problem(
        key("review").post("memories/", {"role_agent": "it", "content": "the admin password is hunter2!Zebra"}),
        422,
        "secret",
    )
    assert "hunter2" not in str(told)
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("content", ""), ("content", "x" * 1001), ("kind", "dream"), ("key", "Not a key!"), ("risk", "huge")],
)
def test_faults_are_named(key, field, value):
    body = {"role_agent": "it", "content": "x"} | {field: value}
    assert field in is_problem(key("review").post("memories/", body), 400, "invalid")["errors"]


def test_a_key_for_another_agent_finds_nothing(key, their_key, world, memory):
    for other in (key("review", world.hr), their_key("review audit")):
        assert other.get("memories/").json()["results"] == []
        path = f"memories/{memory.pk}/"
        is_problem(other.get(path), 404, "not_found")
        is_problem(other.patch(path, {"revision": 1, "content": "x"}), 404, "not_found")
        is_problem(other.delete(f"{path}?revision=1"), 404, "not_found")
        is_problem(other.post(f"{path}supersede/", {"revision": 1, "content": "x"}), 404, "not_found")
        is_problem(other.post(f"{path}restore/", {"revision": 1}), 404, "not_found")
    is_problem(key("review", world.hr).post("memories/", {"role_agent": "it", "content": "x"}), 404, "not_found")


def test_editing_mends_the_same_memory(key, memory):
    review = key("review")
    shown = review.patch(f"memories/{memory.pk}/", {"revision": 1, "content": "Restart it once"}).json()
    assert (shown["id"], shown["content"], shown["revision"]) == (str(memory.pk), "Restart it once", 2)
    told = is_problem(review.patch(f"memories/{memory.pk}/", {"revision": 1, "content": "x"}), 409, "stale_revision")
    assert told["revision"] == 2


def test_superseding_keeps_the_old_one(key, memory):
    response = key("review").post(f"memories/{memory.pk}/supersede/", {"revision": 1, "content": "Call the provider"})
    assert response.status_code == 201
    assert response.json()["id"] != str(memory.pk)
    old = key("review").get(f"memories/{memory.pk}/").json()
    assert (old["status"], old["superseded_by"]) == ("superseded", response.json()["id"])


def test_deleting_needs_the_revision_and_can_be_undone(key, memory):
    review, path = key("review"), f"memories/{memory.pk}/"
    assert "revision" in is_problem(review.delete(path), 400, "bad_parameter")["errors"]
    gone = review.delete(f"{path}?revision=1&reason=outdated").json()
    assert (gone["status"], gone["revision"]) == ("deleted", 2)
    assert LearningEvent.objects.get(verb="memory_deleted").reason == "outdated"
    is_problem(review.delete(f"{path}?revision=2"), 409, "not_live")
    back = review.post(f"{path}restore/", {"revision": 2}).json()
    assert (back["status"], back["deleted_at"]) == ("active", None)
    is_problem(review.post(f"{path}restore/", {"revision": 3}), 409, "already_live")


def test_a_key_that_is_taken_meanwhile_names_its_holder(key, memory):
    review = key("review")
    review.delete(f"memories/{memory.pk}/?revision=1")
    newer = review.post("memories/", {"role_agent": "it", "content": "Newer", "key": "router"}).json()
    told = is_problem(review.post(f"memories/{memory.pk}/restore/", {"revision": 2}), 409, "key_taken")
    assert told["holder"] == newer["id"]


def test_the_list_shows_what_is_known_now_and_the_rest_on_demand(key, world, memory):
    key("review").delete(f"memories/{memory.pk}/?revision=1")
    other = memory_for(world, world.hr, "Payday is the 25th", kind="rule")
    audit = key("audit")

    def found(query):
        return {row["id"] for row in audit.get(f"memories/?{query}").json()["results"]}

    assert found("") == {str(other.pk)}
    assert found("status=deleted") == {str(memory.pk)}
    assert found("status=any") == {str(memory.pk), str(other.pk)}
    assert found("status=any&role_agent=it") == {str(memory.pk)}
    assert found("kind=rule&scope=role_agent&sensitive=false") == {str(other.pk)}
    assert found("person=ABC") == set()


def test_what_the_organisation_knows_is_not_shown_to_a_key_for_one_agent(key, world):
    wide = memory_for(world, world.it, "We are closed on Fridays", scope="organization")
    assert [row["id"] for row in key("audit").get("memories/").json()["results"]] == [str(wide.pk)]
    assert key("audit", world.it).get("memories/").json()["results"] == []
    is_problem(key("review", world.it).get(f"memories/{wide.pk}/"), 404, "not_found")


def test_sensitive_words_are_not_shown_to_an_auditors_key(key, world):
    memory = memory_for(world, world.hr, "Somebody is on sick leave", key="leave", sensitive=True)
    shown = key("audit").get(f"memories/{memory.pk}/").json()
    assert shown["hidden"] is True
    assert {shown[name] for name in ("key", "content", "digest", "pii_entities")} == {None}
    assert key("review").get(f"memories/{memory.pk}/").json()["content"] == "Somebody is on sick leave"
