"""The model loop against an OpenAI-compatible server over a real socket, and its own threads."""

import threading

import pytest
from pydantic import BaseModel

from digitalworker.agents.language_model import ModelFailure, Spent, ToolSpec, fill_in, run_model
from tests.servers import completion


@pytest.fixture
def server(model_server):
    return model_server


def run(tools=(), question="hello"):
    return run_model(
        instructions="Be brief.", history=[("user", "hi"), ("assistant", "hey")], question=question, tools=tools
    )


def test_an_answer_comes_with_its_tokens_and_the_turns_went_out_in_order(server):
    server.script = [(200, completion("Good day."))]
    reply = run()
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("Good day.", 11, 7)
    assert [m["role"] for m in server.requests[0]["messages"]] == ["system", "user", "assistant", "user"]


def test_tools_run_in_the_thread_that_asked(server):
    server.script = [
        (200, completion(tool_calls=[("look", '{"query": "a"}'), ("look", '{"query": "b"}')])),
        (200, completion("Found.")),
    ]
    seen = []

    def look(query):
        seen.append((query, threading.current_thread()))
        return f"found {query}"

    reply = run([ToolSpec("look", "Looks.", {"query": "what"}, look)])
    assert reply.text == "Found."
    assert sorted(query for query, _ in seen) == ["a", "b"]
    assert {thread for _, thread in seen} == {threading.current_thread()}
    assert [call["ok"] for call in reply.tool_calls] == [True, True]
    assert {m["content"] for m in server.requests[1]["messages"] if m["role"] == "tool"} == {"found a", "found b"}


def test_a_tools_own_mistake_is_raised_to_the_caller(server):
    server.script = [(200, completion(tool_calls=[("look", '{"query": "a"}')]))]

    def look(query):
        raise LookupError("our own bug")

    with pytest.raises(LookupError, match="our own bug"):
        run([ToolSpec("look", "Looks.", {"query": "what"}, look)])


@pytest.mark.parametrize(
    "script, code",
    [
        ([(429, {"error": {"message": "slow down"}})] * 2, "rate_limited"),
        ([(500, {"error": {"message": "oops"}})] * 2, "model_error"),
        ([(401, {"error": {"message": "who?"}})], "misconfigured"),
        ([(200, b"{ not json")] * 3, "model_error"),
        ([(200, completion(""))] * 3, "model_error"),
    ],
)
def test_every_way_to_fail_has_a_code_and_words_for_the_person(server, script, code):
    server.script = list(script)
    with pytest.raises(ModelFailure) as failure:
        run()
    assert failure.value.code == code
    assert failure.value.says.endswith("you can ask again.")


def test_a_model_that_hangs_is_given_up_on(server, settings):
    settings.DW_MODEL_TIMEOUT = 1
    server.script = [(200, completion("late"), 30)]
    with pytest.raises(ModelFailure, match="timeout"):
        run()


def test_nobody_listening_is_unreachable(server, settings):
    settings.DW_MODEL_BASE_URL = "http://127.0.0.1:9/v1"
    with pytest.raises(ModelFailure) as failure:
        run()
    assert failure.value.code in {"unreachable", "timeout"}


def test_many_threads_share_the_one_loop(server):
    server.script = [(200, completion("ok"))] * 12
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(run().text)) for _ in range(12)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert replies == ["ok"] * 12


# --- an object instead of words -------------------------------------------------------------------------------------


class Colour(BaseModel):
    name: str
    red: int


def fill(timeout=10):
    return fill_in(instructions="Name a colour.", question="the sky at six", shape=Colour, timeout=timeout)


def test_an_object_is_filled_in_and_checked(server):
    server.script = [(200, completion(tool_calls=[("final_result", '{"name": "rose", "red": 250}')]))]
    answer = fill()
    assert (answer.value, answer.model, answer.spent) == (Colour(name="rose", red=250), "openai:scripted", Spent(11, 7))


def test_what_does_not_fit_goes_back_once_with_what_is_wrong(server):
    server.script = [
        (200, completion(tool_calls=[("final_result", '{"name": "rose", "red": "very"}')])),
        (200, completion(tool_calls=[("final_result", '{"name": "rose", "red": 250}')])),
    ]
    assert fill().spent == Spent(22, 14)
    assert "valid integer" in str(server.requests[1]["messages"])


def test_twice_wrong_is_malformed_and_tells_what_it_cost(server):
    server.script = [(200, completion("rose, I would say"))] * 2
    with pytest.raises(ModelFailure, match="malformed") as failure:
        fill()
    assert failure.value.spent == Spent(22, 14)


def test_an_object_has_a_time_limit_of_its_own(server):
    server.script = [(200, completion("late"), 30)]
    with pytest.raises(ModelFailure, match="timeout"):
        fill(timeout=0.5)
