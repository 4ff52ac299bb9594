import pytest

from digitalworker.agents.models import Channel, ChatEvent, RoleAgent, Thread
from digitalworker.runtime.models import AgentRun

from .conftest import is_problem
from .making import item_for, memory_for, person_of

ASK = "role-agents/shop/ask/"
CONTEXT = "role-agents/shop/context/"


@pytest.fixture
def size(key, world):
    """`size = 38`, approved for ABC; the memory's id."""
    RoleAgent.objects.filter(pk=world.shop.pk).update(people_learning="review")
    item = item_for(world.shop)
    decided = key("review").post(
        f"learning-items/{item.pk}/approve/", {"revision": item.revision, "digest": item.digest}
    )
    return decided.json()["memory"]


def test_asking_as_abc(key, world, size):
    told = key("runtime").post(ASK, {"question": "what jerseys would you recommend?", "external_user_id": "ABC"}).json()
    assert set(told) == {"answer", "thread_id", "run_id", "metadata"}
    assert "size: 38" in told["answer"]
    assert set(told["metadata"]) == {
        *("route", "memory_injected", "memory_proposed", "memories", "skills", "soul", "model", "usage", "notices")
    }
    metadata = told["metadata"]
    assert (metadata["route"], metadata["model"], metadata["skills"]) == ("local", "", [])
    assert (metadata["soul"]["code"], metadata["soul"]["version"]) == ("balanced_helper", 1)
    assert (metadata["memory_injected"], metadata["memory_proposed"]) == (True, False)
    assert metadata["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert "no_model" in metadata["notices"]
    (memory,) = metadata["memories"]
    assert (memory["id"], memory["key"], memory["content"], memory["scope"]) == (size, "size", "38", "person")


def test_an_id_may_be_longer_than_a_name_that_is_shown(key):
    asked = key("runtime").post(ASK, {"question": "hi", "external_user_id": "u" * 200})
    assert asked.status_code == 200
    run = key("runtime").get(f"runs/{asked.json()['run_id']}/").json()
    assert run["person"] == "u" * 200


def test_asking_as_xyz_knows_nothing_of_abc(key, size):
    told = key("runtime").post(ASK, {"question": "what jerseys would you recommend?", "external_user_id": "XYZ"}).json()
    assert told["metadata"]["memory_injected"] is False
    assert "38" not in told["answer"]


def test_asking_goes_on_in_the_same_conversation(key, world):
    runtime = key("runtime")
    first = runtime.post(ASK, {"question": "hello", "external_user_id": "ABC"}).json()
    second = runtime.post(
        ASK, {"question": "and now?", "external_user_id": "ABC", "thread_id": first["thread_id"]}
    ).json()
    assert second["thread_id"] == first["thread_id"]
    assert ChatEvent.objects.filter(thread_id=first["thread_id"]).count() == 4


def test_asking_in_a_channel_with_a_checked_identity(key, world):
    Channel.objects.create(organization=world.acme, role_agent=world.shop, external_id="C1", name="web")
    told = key("runtime").post(ASK, {"question": "hello", "channel": "web", "verified": True}).json()
    event = ChatEvent.objects.get(thread_id=told["thread_id"], kind="message")
    assert (event.verified, event.thread.channel.name) == (True, "web")


def test_asked_twice_with_one_key_it_is_answered_once(key):
    runtime = key("runtime")
    body = {"question": "hello", "external_user_id": "ABC", "idempotency_key": "q-1"}
    first, second = runtime.post(ASK, body), runtime.post(ASK, body)
    assert first.json() == second.json()
    assert AgentRun.objects.count() == 1
    is_problem(runtime.post(ASK, body | {"question": "other"}), 409, "idempotency_key_taken")


def test_a_conversation_of_somebody_else_is_not_there(key):
    runtime = key("runtime")
    thread = runtime.post(ASK, {"question": "mine", "external_user_id": "ABC"}).json()["thread_id"]
    body = {"question": "what did they say?", "external_user_id": "XYZ", "thread_id": thread}
    is_problem(runtime.post(ASK, body), 404, "not_found")
    is_problem(runtime.post(CONTEXT, body), 404, "not_found")


@pytest.mark.parametrize("path", [ASK, CONTEXT])
def test_an_agent_outside_the_key_is_not_there(key, their_key, world, path):
    is_problem(key("runtime", world.hr).post(path, {"question": "hi"}), 404, "not_found")
    is_problem(their_key("runtime").post(path, {"question": "hi"}), 404, "not_found")


@pytest.mark.parametrize("path", [ASK, CONTEXT])
@pytest.mark.parametrize("question", ["", " \n", "x" * 8001, None, 5, ["hi"]])
def test_a_question_that_is_none(key, path, question):
    assert "question" in is_problem(key("runtime").post(path, {"question": question}), 400, "invalid")["errors"]
    assert not ChatEvent.objects.exists()


def test_a_disabled_agent_does_not_answer(key, world):
    RoleAgent.objects.filter(pk=world.shop.pk).update(status="disabled")
    is_problem(key("runtime").post(ASK, {"question": "hi"}), 409, "agent_disabled")


def test_the_context_pack_for_ones_own_runtime(key, world, size):
    memory_for(world, world.shop, "Jerseys run small", key="jerseys")
    body = {"question": "what jerseys would you recommend?", "external_user_id": "ABC"}
    runtime = key("runtime")
    pack = runtime.post(CONTEXT, body).json()
    assert [memory["key"] for memory in pack["memories"]] == ["size", "jerseys"]
    assert "size: 38" in pack["rendered"]
    assert pack["budget"]["memories_used"] == 2
    assert pack["totals"] == {"person": 1, "role_agent": 1}
    assert runtime.post(CONTEXT, body).json() == pack
    assert not ChatEvent.objects.exists()
    assert not AgentRun.objects.exists()


def test_the_context_of_a_conversation_is_its_persons(key, world, size):
    thread = Thread.objects.create(organization=world.acme, role_agent=world.shop, person=person_of(world.shop, "ABC"))
    pack = key("runtime").post(CONTEXT, {"question": "hi", "thread_id": str(thread.pk)}).json()
    assert [memory["id"] for memory in pack["memories"]] == [size]
    theirs = Thread.objects.create(organization=world.acme, role_agent=world.hr)
    is_problem(key("runtime").post(CONTEXT, {"question": "hi", "thread_id": str(theirs.pk)}), 404, "not_found")


def test_somebody_unknown_has_no_context_of_their_own(key, size):
    pack = key("runtime").post(CONTEXT, {"question": "hi", "external_user_id": "nobody"}).json()
    assert pack["memories"] == []


def test_a_run_says_where_each_memory_came_from_and_who_approved_it(key, world, size):
    asked = key("runtime").post(ASK, {"question": "which size?", "external_user_id": "ABC"}).json()
    run = key("audit").get(f"runs/{asked['run_id']}/").json()
    assert (run["role_agent"], run["person"], run["question"]) == ("shop", "ABC", "which size?")
    assert (run["answer"], run["thread_id"], run["status"]) == (asked["answer"], asked["thread_id"], "completed")
    (memory,) = run["memories"]
    assert (memory["id"], memory["key"], memory["content"], memory["changed_since"]) == (size, "size", "38", False)
    assert memory["provenance"]["reviewed_by"] == "API key test key of Olga"
    assert memory["provenance"]["item"]
    assert run["manifest"]["memories"][0]["id"] == size


def test_a_run_says_what_became_of_a_memory_since(key, size):
    asked = key("runtime").post(ASK, {"question": "which size?", "external_user_id": "ABC"}).json()
    key("review").patch(f"memories/{size}/", {"revision": 1, "content": "39"})
    key("review").delete(f"memories/{size}/?revision=2")
    (memory,) = key("review").get(f"runs/{asked['run_id']}/").json()["memories"]
    assert (memory["changed_since"], memory["status"], memory["content"]) == (True, "deleted", "39")


def test_a_run_of_another_agent_is_not_there(key, their_key, world):
    asked = key("runtime").post(ASK, {"question": "hi"}).json()
    for other in (key("runtime", world.hr), their_key("audit review runtime")):
        is_problem(other.get(f"runs/{asked['run_id']}/"), 404, "not_found")


def test_a_run_hides_sensitive_words_from_an_auditors_key(key, world):
    memory_for(world, world.shop, "Somebody is on sick leave", key="leave", sensitive=True)
    asked = key("runtime").post(ASK, {"question": "who is on leave?"}).json()
    (memory,) = key("audit").get(f"runs/{asked['run_id']}/").json()["memories"]
    assert (memory["hidden"], memory["key"], memory["content"]) == (True, None, None)


@pytest.mark.parametrize("sensitive", [False, True])
def test_a_run_hides_what_the_organisation_knows_from_a_limited_key(key, world, sensitive):
    memory_for(world, world.shop, "Suppliers are secret", key="suppliers", scope="organization", sensitive=sensitive)
    run = key("runtime").post(ASK, {"question": "who are the suppliers?"}).json()["run_id"]
    (memory,) = key("audit review", world.shop).get(f"runs/{run}/").json()["memories"]
    assert (memory["hidden"], memory["key"], memory["content"]) == (True, None, None)
    (memory,) = key("review").get(f"runs/{run}/").json()["memories"]
    assert (memory["hidden"], memory["content"]) == (False, "Suppliers are secret")


def test_a_run_costs_the_same_however_much_it_was_given(key, world, django_assert_num_queries):
    audit = key("audit")
    few = key("runtime").post(ASK, {"question": "hi"}).json()["run_id"]
    for n in range(15):
        memory_for(world, world.shop, f"fact number {n}")
    many = key("runtime").post(ASK, {"question": "fact number"}).json()["run_id"]
    audit.get(f"runs/{few}/")
    for run in (few, many):
        with django_assert_num_queries(5):  # the key, its issuer's role, the run, its memories, its skills
            audit.get(f"runs/{run}/")
