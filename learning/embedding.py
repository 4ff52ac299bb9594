"""Keeping memories' vectors fresh. Which engine makes them is `digitalworker.common.embedding`'s matter.

A vector of another engine or of another text than the memory's is not used; `refresh` rebuilds it.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection

from digitalworker.common.embedding import BATCH, NoEngine, engine, to_sql


def passage_text(*, key: str | None, content: str, created_at: datetime) -> str:
    """What is embedded for a memory: its subject and date before its text, because a bare text is found less often."""
    subject = f"{key.replace('_', ' ')}, " if key else ""
    return f"{subject}{created_at.day} {created_at:%B %Y}: {content}"


_LIVE = """
    FROM learning_memory m
    LEFT JOIN learning_memoryembedding e ON e.memory_id = m.id
    WHERE m.status = 'active'
      AND (%(all)s OR e.memory_id IS NULL OR e.model <> %(model)s OR e.digest <> m.digest)
"""
_COUNT = f"SELECT count(*) {_LIVE}"
_NEXT = f"SELECT m.id {_LIVE} AND m.id > %(after)s ORDER BY m.id LIMIT %(limit)s"
# Of the newest, a random part: two workers then rarely choose the same rows, and what was just approved comes first.
_SOME = f"""
    SELECT id FROM (SELECT m.id {_LIVE} ORDER BY m.id DESC LIMIT 4 * %(limit)s) AS missing
    ORDER BY random() LIMIT %(limit)s
"""  # noqa: S608 - constants
_TEXTS = f"SELECT m.id, m.key, m.content, m.created_at, m.digest {_LIVE} AND m.id = ANY(%(ids)s) ORDER BY m.id"

# A vector is written only for a memory that is still live and still says what was embedded. SKIP LOCKED: somebody who
# is changing or erasing the row makes this vector stale anyway. The order keeps two writers from a deadlock.
_STORE = """
    INSERT INTO learning_memoryembedding (memory_id, organization_id, owner_id, model, digest, vector, updated_at)
    SELECT m.id, m.organization_id, coalesce(m.person_id, m.role_agent_id, m.organization_id), %(model)s, m.digest,
        given.vector::halfvec(384), now()
    FROM unnest(%(ids)s::uuid[], %(digests)s::text[], %(vectors)s::text[]) AS given (id, digest, vector)
    JOIN learning_memory m ON m.id = given.id AND m.digest = given.digest AND m.status = 'active'
    ORDER BY m.id
    FOR KEY SHARE OF m SKIP LOCKED
    ON CONFLICT (memory_id) DO UPDATE
    SET model = excluded.model, digest = excluded.digest, vector = excluded.vector, updated_at = excluded.updated_at
"""


def missing_count(*, every: bool = False) -> int:
    """How many live memories have no vector of the configured engine for their present text; `every`: how many are live."""
    return _select(_COUNT, all=every)[0]


def missing_ids(*, every: bool = False) -> Iterator[list[UUID]]:
    """Those memories' ids, 1,000 at a time in the order of ids, read anew for each thousand."""
    after = UUID(int=0)
    while ids := _select(_NEXT, all=every, after=after, limit=1000):
        yield ids
        after = ids[-1]


def _select(sql: str, **parameters) -> list:
    """The first column of each row."""
    with connection.cursor() as cursor:
        cursor.execute(sql, {"model": engine().name, **parameters})
        return [row[0] for row in cursor.fetchall()]


def refresh(limit: int = 256) -> int:
    """Embeds up to `limit` live memories whose vector is missing or stale; answers how many vectors it stored.

    Safe beside other workers and beside people who edit. Call it outside a transaction: none is held while the engine
    works. Raises `Unavailable` when the engine fails; what was embedded before stays, the rest is found by the next call.
    With DW_EMBEDDING=none it does nothing.
    """
    if engine().name == NoEngine.name:
        return 0
    return embed(_select(_SOME, all=False, limit=limit))


def embed(memory_ids: Sequence[UUID], *, again: bool = False, progress: Callable[[int], None] | None = None) -> int:
    """Embeds those of the given memories that are live and need it (`again`: all that are live), a batch at a time.

    `progress` is called with the number of vectors stored after each batch. Errors as in `refresh`.
    """
    chosen, stored = engine(), 0
    if chosen.name == NoEngine.name:
        return 0
    for start in range(0, len(memory_ids), BATCH):
        with connection.cursor() as cursor:
            # Asked again for each batch, so that what another worker did meanwhile is not done twice.
            cursor.execute(_TEXTS, {"ids": list(memory_ids[start : start + BATCH]), "model": chosen.name, "all": again})
            rows = cursor.fetchall()
        vectors = chosen.embed_passages(
            [passage_text(key=key, content=content, created_at=at) for _, key, content, at, _ in rows]
        )
        with connection.cursor() as cursor:
            cursor.execute(
                _STORE,
                {
                    "model": chosen.name,
                    "ids": [row[0] for row in rows],
                    "digests": [row[4] for row in rows],
                    "vectors": [to_sql(vector) for vector in vectors],
                },
            )
            stored += cursor.rowcount
            if progress:
                progress(cursor.rowcount)
    return stored
