"""The model loop: one question in, one reply or one checked object out, tools in between. The only place that talks to a
language model; whoever calls it passes the access gate first.

The loop runs on an event loop of its own thread, because a model client belongs to one event loop for life. What a tool
needs from the database runs in the thread that asked: there its connection and its transaction are.
"""

import asyncio
import functools
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

REQUESTS_MOST = 6
TOOL_CALLS_MOST = 10


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of one call, all its requests together. A call that failed may have cost some."""

    input_tokens: int = 0
    output_tokens: int = 0


class ModelFailure(Exception):
    """The model gave no answer. `code` goes on the run, `says` is what the person reads."""

    SAYS = {
        "timeout": "I could not answer in time.",
        "rate_limited": "I am asked too much at the moment.",
        "refused": "I can not answer that.",
        "empty": "I found no answer to that.",
        "limit": "Answering that took more steps than I am allowed.",
        "unreachable": "I can not reach my language model at the moment.",
        "model_error": "My language model had a problem.",
        "malformed": "My language model answered in a form I could not use.",
        "misconfigured": "My language model is not set up correctly. An operator has to look at DW_MODEL and its key.",
    }

    def __init__(self, code: str, spent: "Spent | None" = None):
        super().__init__(code)
        self.code = code
        self.says = f"{self.SAYS[code]} Your message is kept; you can ask again."
        self.spent = spent or Spent()


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool the model may call. `run` is called in the asking thread with the tool's arguments and returns text."""

    name: str
    description: str
    parameters: dict[str, str]  # argument name -> what it is; every argument is text
    run: Callable[..., str]
    optional: dict[str, str] = field(default_factory=dict)  # those it may leave out


@dataclass(slots=True)
class Reply:
    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: list[dict] = field(default_factory=list)  # {"tool", "ms", "ok"}: no arguments, they hold people's words


@dataclass(frozen=True, slots=True)
class Object[T]:
    """What a model filled in, checked against its type."""

    value: T
    model: str
    spent: Spent


def is_configured() -> bool:
    return bool(settings.DW_MODEL)


def run_model(
    *, instructions: str, history: Sequence[tuple[str, str]], question: str, tools: Sequence[ToolSpec]
) -> Reply:
    """Ask the configured model. `history` holds `("user" | "assistant", text)` turns, oldest first.

    Raises ModelFailure, whatever went wrong out there.
    """
    caller = _Caller()
    calls: list[dict] = []
    text, spent = _run(
        caller,
        settings.DW_MODEL_TIMEOUT,
        instructions=instructions,
        history=history,
        question=question,
        tools=[(spec, calls) for spec in tools],
    )
    if not text.strip():
        raise ModelFailure("empty", spent)
    return Reply(text.strip(), settings.DW_MODEL, spent.input_tokens, spent.output_tokens, calls)


def fill_in[T](*, instructions: str, question: str, shape: type[T], timeout: float) -> Object[T]:
    """Have the configured model fill in a pydantic model. An answer that does not fit goes back to it once, with what is
    wrong; the second raises ModelFailure "malformed". `timeout` seconds are for both together."""
    value, spent = _run(_Caller(), timeout, instructions=instructions, question=question, shape=shape)
    return Object(value, settings.DW_MODEL, spent)


def _run(caller: "_Caller", timeout: float, *, shape: Any = str, **asked) -> tuple[Any, Spent]:
    from pydantic_ai.usage import RunUsage

    usage = RunUsage()  # ours, so that a call that fails still tells what it cost
    running = _LOOP.submit(_converse(caller, usage, shape=shape, **asked))
    try:
        value = caller.serve(running, timeout=timeout)
    except Exception as error:
        raise _as_failure(error, _spent(usage), filled_in=shape is not str) from error
    return value, _spent(usage)


def _spent(usage: Any) -> Spent:
    return Spent(usage.input_tokens or 0, usage.output_tokens or 0)


async def _converse(caller, usage, *, instructions, question, shape, history=(), tools=()):
    from pydantic_ai import Agent, UsageLimits

    agent = Agent(
        instructions=instructions,
        output_type=shape,
        tools=[_tool(spec, caller, calls) for spec, calls in tools],
        retries=1,
    )
    result = await agent.run(
        question,
        model=build_model(),
        message_history=_messages(history),
        usage=usage,
        usage_limits=UsageLimits(request_limit=REQUESTS_MOST, tool_calls_limit=TOOL_CALLS_MOST),
    )
    return result.output


def build_model() -> Any:
    """The model of DW_MODEL, `provider:name`; with DW_MODEL_BASE_URL any OpenAI-compatible endpoint."""
    return _model(os.getpid(), settings.DW_MODEL, settings.DW_MODEL_BASE_URL)


@functools.cache
def _model(_pid: int, chosen: str, base_url: str) -> Any:
    """One client a process: it keeps its connections, and they belong to the process's one event loop."""
    from pydantic_ai.models import infer_model

    provider, _, name = chosen.partition(":")
    if provider == "openai" and name:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(
            base_url=base_url or None,
            # A local endpoint often wants no key, and the client wants one to be there.
            api_key=os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None),
            timeout=settings.DW_MODEL_TIMEOUT,
            max_retries=1,
        )
        return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))
    return infer_model(chosen)


def _messages(history: Sequence[tuple[str, str]]) -> list:
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    return [
        ModelRequest(parts=[UserPromptPart(text)]) if role == "user" else ModelResponse(parts=[TextPart(text)])
        for role, text in history
    ]


def _tool(spec: ToolSpec, caller: "_Caller", calls: list[dict]):
    from pydantic_ai import Tool

    async def call(**arguments: str) -> str:
        started = time.perf_counter()
        entry = {"tool": spec.name, "ok": False, "ms": 0}
        calls.append(entry)
        try:
            answer = await caller.call(lambda: spec.run(**arguments))
            entry["ok"] = True
            return answer
        finally:
            entry["ms"] = round((time.perf_counter() - started) * 1000)

    schema = {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": text} for name, text in (spec.parameters | spec.optional).items()
        },
        "required": list(spec.parameters),
        "additionalProperties": False,
    }
    return Tool.from_schema(call, name=spec.name, description=spec.description, json_schema=schema)


def _as_failure(error: BaseException, spent: Spent, *, filled_in: bool) -> ModelFailure:
    """What went wrong, as one of our codes. A mistake of our own is raised as it is."""
    return ModelFailure(_code_of(error, filled_in=filled_in), spent)


def _code_of(error: BaseException, *, filled_in: bool) -> str:
    from pydantic_ai import exceptions

    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, exceptions.UsageLimitExceeded):
        return "limit"
    if isinstance(error, exceptions.ContentFilterError):
        return "refused"
    if isinstance(error, exceptions.ModelHTTPError):
        if error.status_code in {401, 403, 404}:
            return "misconfigured"
        return "rate_limited" if error.status_code == 429 else "model_error"
    if isinstance(error, exceptions.ModelTimeoutError):
        return "timeout"
    if isinstance(error, exceptions.ModelConnectionError):
        return "unreachable"
    if isinstance(error, exceptions.ModelAPIError):
        return "model_error"
    if isinstance(error, exceptions.UserError):
        return "misconfigured"
    if filled_in and isinstance(error, exceptions.UnexpectedModelBehavior):
        return "malformed"
    if isinstance(error, exceptions.AgentRunError):
        return "model_error"
    if type(error).__module__.partition(".")[0] in {"openai", "anthropic", "httpx", "httpx2"}:
        return "misconfigured"
    raise error


class _LoopThread:
    """One event loop a process, made on first use, and made anew in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._loop: asyncio.AbstractEventLoop

    def submit(self, coroutine) -> Future:
        with self._lock:
            if self._pid != os.getpid():
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="model-loop", daemon=True).start()
                self._pid = os.getpid()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


_LOOP = _LoopThread()


class _Caller:
    """Runs what tools need in the thread that asked, while that thread waits for the answer."""

    def __init__(self) -> None:
        self._jobs: queue.Queue = queue.Queue()

    async def call(self, work: Callable[[], str]) -> str:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future = loop.create_future()
        self._jobs.put((work, loop, answer))
        return await answer

    def serve(self, running: Future, *, timeout: float):
        """Work off tool calls until `running` is done; TimeoutError, and no more model calls, once time is up."""
        running.add_done_callback(lambda _: self._jobs.put(None))
        deadline = time.monotonic() + timeout
        while True:
            try:
                job = self._jobs.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                running.cancel()
                raise TimeoutError from None
            if job is None:
                return running.result()
            work, loop, answer = job
            try:
                result, problem = work(), None
            except Exception as error:  # handed to the model loop, which ends the run with it
                result, problem = None, error
            loop.call_soon_threadsafe(_deliver, answer, result, problem)


def _deliver(answer: asyncio.Future, result: Any, problem: Exception | None) -> None:
    if answer.cancelled():
        return
    if problem is None:
        answer.set_result(result)
    else:
        answer.set_exception(problem)
