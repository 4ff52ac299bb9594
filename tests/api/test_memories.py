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


def test_whom_a_hidden_one_is_about_is_hidden_too(key, world):
    about = {"scope": "person", "person": person_of(world.shop, "XYZ")}
    secret = memory_for(world, world.shop, "has asthma", key="health", sensitive=True, **about)
    assert key("audit").get("memories/?person=XYZ").json()["results"] == []
    assert [row["id"] for row in key("review").get("memories/?person=XYZ").json()["results"]] == [str(secret.pk)]


# --- narrowed -----------------------------------------------------------------------------------------------------
def test_the_list_has_the_filters_and_orders_of_the_console(key, world, memory):
    other = memory_for(world, world.hr, "Payday is the 25th", kind="rule", risk="high", sensitive=True)
    Memory.objects.filter(pk=memory.pk).update(use_count=4, pinned=True, autosaved=True)
    review = key("review")

    def found(query):
        return [row["content"] for row in review.get(f"memories/?{query}").json()["results"]]

    router, payday = "Restart the router twice", other.content
    for query, contents in {
        "q=restarting": [router], "q=rout": [router], "risk=high": [payday], "source=manual": [payday, router],
        "source=api": [], "unused=true": [payday], "pinned=true": [router], "autosaved=false": [payday],
        "reviewer=olga": [payday, router], "reviewer=nobody": [], "sort=used": [router, payday],
        "sort=risk": [payday, router], "sort=key": [router, payday], "role_agent=it&sort=last_used": [router],
    }.items():  # fmt: skip
        assert found(query) == contents, query
    assert {payday} & set(found("q=payday"))
    assert key("audit").get("memories/?q=payday").json()["results"] == []  # a hit would tell what it says
    is_problem(review.get("memories/?sort=nonsense"), 400, "bad_parameter")
    is_problem(review.get("memories/?unused=false"), 400, "bad_parameter")
    is_problem(review.get("memories/?colour=red"), 400, "unknown_parameter")


def test_every_order_has_pages(key, world):
    for n in range(5):
        memory_for(world, world.it, f"Door {n} sticks", key=f"door_{n}" if n % 2 else None)
    for sort in ("", "&sort=used", "&sort=last_used", "&sort=key", "&sort=risk"):
        for whose in ("", "&role_agent=it"):
            path, seen = f"memories/?limit=2{sort}{whose}", []
            while path:
                page = key("review").get(path).json()
                seen += [row["id"] for row in page["results"]]
                path = page["next"]
            assert len(seen) == len(set(seen)) == 5, sort


# --- pins, promotion ----------------------------------------------------------------------------------------------
def test_pinning_and_back(key, memory):
    review, path = key("review"), f"memories/{memory.pk}/"
    is_problem(key("audit").post(f"{path}pin/", {"revision": 1}), 403, "scope_missing")
    assert review.post(f"{path}pin/", {"revision": 1}).json()["pinned"] is True
    is_problem(review.post(f"{path}pin/", {"revision": 1}), 409, "stale_revision")
    is_problem(review.post(f"{path}pin/", {"revision": 2}), 409, "nothing_to_do")
    assert review.post(f"{path}unpin/", {"revision": 2}).json()["pinned"] is False
    assert LearningEvent.objects.get(verb="memory_pinned").actor_label == "API key test key of Olga"


def test_promoting_and_back(key, world, memory):
    path = f"memories/{memory.pk}/"
    is_problem(key("review", world.it).post(f"{path}promote/", {"revision": 1}), 403, "denied")  # it reaches IT alone
    is_problem(key("review", world.hr).post(f"{path}promote/", {"revision": 1}), 404, "not_found")
    review = key("review")
    wide = review.post(f"{path}promote/", {"revision": 1, "reason": "all need it"}).json()
    assert (wide["scope"], wide["role_agent"], wide["content"]) == ("organization", None, memory.content)
    again = memory_for(world, world.it, "Twice is not enough", key="router")
    told = is_problem(review.post(f"memories/{again.pk}/promote/", {"revision": 1}), 409, "key_taken")
    assert told["holder"] == wide["id"]
    is_problem(review.post(f"memories/{wide['id']}/demote/", {"revision": 1}), 409, "key_taken")
    review.delete(f"memories/{again.pk}/?revision=1")
    back = review.post(f"memories/{wide['id']}/demote/", {"revision": 1}).json()
    assert (back["id"], back["status"]) == (str(memory.pk), "active")
    is_problem(review.post(f"{path}demote/", {"revision": 3}), 409, "not_promoted")


# --- files --------------------------------------------------------------------------------------------------------
def exported(key, query="") -> str:
    answer = key.get(f"memories/export/?{query}")
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def test_out_and_in_again(key, world, memory):
    memory_for(world, world.it, "The boss is ill", sensitive=True)
    review = key("review")
    file = exported(review, "role_agent=it")
    body = {"role_agent": "hr", "content": file}
    dry = review.post("memories/import/", body | {"dry_run": True}).json()
    assert dry == {"rows": 2, "added": 2, "replaced": 0, "unchanged": 0, "refused": [], "guarded": []}
    assert not Memory.objects.filter(role_agent=world.hr).exists()
    assert review.post("memories/import/", body).json() == dry
    assert review.post("memories/import/", body).json()["unchanged"] == 2
    assert Memory.objects.filter(role_agent=world.hr, source="import").count() == 2
    assert LearningEvent.objects.filter(verb="memories_imported").count() == 2


def test_what_a_key_may_not_read_does_not_leave_with_it(key, their_key, world, memory):
    memory_for(world, world.it, "The boss is ill", sensitive=True)
    memory_for(world, world.it, "We close at six", scope="organization")
    assert "boss" in exported(key("review"), "role_agent=it")
    assert "boss" not in exported(key("audit"), "role_agent=it")
    limited = exported(key("review", world.it), "role_agent=it")
    assert "router" in limited and "We close" not in limited
    assert "We close" in exported(key("review"))
    is_problem(key("review", world.it).get("memories/export/"), 404, "not_found")
    is_problem(key("review", world.hr).get("memories/export/?role_agent=it"), 404, "not_found")
    assert exported(their_key("review"), "role_agent=it") == ""  # Globex has an IT agent of its own


def test_an_export_may_be_a_csv_of_some(key, world, memory):
    memory_for(world, world.it, "=1+1", risk="high")
    answer = key("audit").get("memories/export/?role_agent=it&format=csv&risk=high", Accept="text/csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert len(text.splitlines()) == 2 and ",'=1+1," in text
    assert LearningEvent.objects.get(verb="memories_exported").details["filters"] == {"risk": "high"}
    is_problem(key("audit").get("memories/export/?person=ABC"), 400, "bad_parameter")


def test_a_file_that_can_not_be_taken(key, world):
    review = key("review")
    told = is_problem(review.post("memories/import/", {"content": "colour\nred", "format": "csv"}), 400, "unreadable")
    assert told["detail"].startswith("The first line must name the columns, content among them.")
    is_problem(review.post("memories/import/", {"role_agent": "it", "content": "x" * 1_000_001}), 400, "file_too_large")
    rows = '{"content": "x"}\n' * 1001
    assert is_problem(review.post("memories/import/", {"role_agent": "it", "content": rows}), 400, "too_many_rows")
    refused = review.post("memories/import/", {"role_agent": "it", "content": '\n{"content": ""}'}).json()["refused"]
    assert refused == [{"line": 2, "reason": "content: Write something."}]
    is_problem(key("review", world.it).post("memories/import/", {"content": "{}"}), 403, "denied")
    assert not Memory.objects.exists()


def test_a_sensitive_one_is_found_not_to_be_with_a_reason(key, their_key, world):
    memory = memory_for(world, world.it, "Ben is away", sensitive=True)
    path = f"memories/{memory.pk}/unmark-sensitive/"
    is_problem(their_key("review").post(path, {"revision": 1, "reason": "known"}), 404, "not_found")
    is_problem(key("audit").post(path, {"revision": 1, "reason": "known"}), 403, "scope_missing")
    told = is_problem(key("review").post(path, {"revision": 1}), 400, "invalid")
    assert set(told["errors"]) == {"reason"}
    assert key("audit").get(f"memories/{memory.pk}/").json()["content"] is None
    assert key("review").post(path, {"revision": 1, "reason": "known"}).json()["sensitive"] is False
    assert key("audit").get(f"memories/{memory.pk}/").json()["content"] == "Ben is away"
    is_problem(key("review").post(path, {"revision": 2, "reason": "known"}), 409, "same_already")
