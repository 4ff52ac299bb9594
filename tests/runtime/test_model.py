"""The model loop against an OpenAI-compatible server over a real socket, and its own threads."""

import threading
from types import SimpleNamespace

import pytest

from digitalworker.runtime import model
from digitalworker.runtime.model import ModelFailure, ToolSpec, run_model
from tests.servers import answering


@pytest.fixture
def server(settings, monkeypatch):
    """`server.script`: one answer a request, each (status, body) or (status, body, seconds to wait)."""
    state = SimpleNamespace(script=[], stop=threading.Event())

    def answer(request):
        status, body, *wait = state.script.pop(0)
        if wait:
            state.stop.wait(wait[0])
        return status, body

    with answering(answer) as (address, state.requests):
        settings.DW_MODEL = "openai:scripted"
        settings.DW_MODEL_BASE_URL = address
        settings.DW_MODEL_TIMEOUT = 10
        from pydantic_ai import models

        monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
        yield state
        state.stop.set()
    model._model.cache_clear()


def completion(content=None, tool_calls=None):
    message = {"role": "assistant", "content": content}
    if tool_calls:
        message["tool_calls"] = [
            {"id": f"call{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(tool_calls)
        ]
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if tool_calls else "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


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
