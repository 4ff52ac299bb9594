"""Keeping the vectors of skills fresh: of each skill that is not archived, the version in use has one.

The same care as for memories: a vector of another engine is not used and is made again, and none is written for a version
that is in use no more. A version never changes, so its vector can not be of another text.

The everyday questions, against which every skill's fit is measured, have vectors too. They are stored before those of any
skill: a process that answers then never has to make them, which takes the bundled engine a second or two.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection

from digitalworker.common.embedding import BATCH, DIMENSIONS, Engine, NoEngine, engine, to_sql
from digitalworker.common.text import digest

from .everyday import QUESTIONS
from .models import EverydayVectors
from .selection import passage_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVERYDAY = digest(*QUESTIONS)  # which questions the vectors are of

_IN_USE = """
    FROM skills_skill s
    JOIN skills_skillversion v ON v.id = s.active_version_id
    LEFT JOIN skills_skillembedding e ON e.version_id = v.id
    WHERE s.status <> 'archived' AND (%(all)s OR e.version_id IS NULL OR e.model <> %(model)s)
"""
_COUNT = f"SELECT count(*) {_IN_USE}"
_NEXT = f"SELECT v.id {_IN_USE} AND v.id > %(after)s ORDER BY v.id LIMIT %(limit)s"
# A random part of the newest: two workers then rarely choose the same.
_SOME = f"""
    SELECT id FROM (SELECT v.id {_IN_USE} ORDER BY v.id DESC LIMIT 4 * %(limit)s) AS missing
    ORDER BY random() LIMIT %(limit)s
"""  # noqa: S608 - constants
_TEXTS = f"SELECT v.id, s.name, v.description {_IN_USE} AND v.id = ANY(%(ids)s) ORDER BY v.id"

# SKIP LOCKED: nobody waits for who is erasing it. A skill that is pointed elsewhere meanwhile does no harm: the vector is
# that version's own, whether it is in use or not.
_STORE = """
    INSERT INTO skills_skillembedding (version_id, organization_id, model, vector, updated_at)
    SELECT v.id, v.organization_id, %(model)s, given.vector::halfvec(384), now()
    FROM unnest(%(ids)s::uuid[], %(vectors)s::text[]) AS given (id, vector)
    JOIN skills_skillversion v ON v.id = given.id
    JOIN skills_skill s ON s.active_version_id = v.id AND s.status <> 'archived'
    ORDER BY v.id
    FOR KEY SHARE OF v, s SKIP LOCKED
    ON CONFLICT (version_id) DO UPDATE
    SET model = excluded.model, vector = excluded.vector, updated_at = excluded.updated_at
"""


def missing_count(*, every: bool = False) -> int:
    """How many versions in use have no vector of the configured engine; `every`: how many are in use."""
    return _select(_COUNT, all=every)[0]


def missing_ids(*, every: bool = False) -> Iterator[list[UUID]]:
    """Those versions' ids, 1,000 at a time in the order of ids, read anew for each thousand."""
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
    """Embeds up to `limit` versions whose vector is missing or of another engine; answers how many it stored.

    Call it outside a transaction: none is held while the engine works. Raises `Unavailable` when the engine fails; what was
    embedded before stays, the rest is found by the next call. With DW_EMBEDDING=none it does nothing.
    """
    if engine().name == NoEngine.name:
        return 0
    # Also where every skill has its vector: another release may have other questions.
    if missing_count(every=True):
        _prepare(engine())
    return embed(_select(_SOME, all=False, limit=limit))


def embed(version_ids: Sequence[UUID], *, again: bool = False, progress: Callable[[int], None] | None = None) -> int:
    """Embeds those of the given versions that are in use and need it (`again`: all in use), a batch at a time.

    `progress` is called with the number of vectors stored after each batch. Errors as in `refresh`.
    """
    chosen, stored = engine(), 0
    if chosen.name == NoEngine.name:
        return 0
    if version_ids:
        _prepare(chosen)
    for start in range(0, len(version_ids), BATCH):
        some = list(version_ids[start : start + BATCH])
        with connection.cursor() as cursor:
            # Asked again for each batch, so that what another worker did meanwhile is not done twice.
            cursor.execute(_TEXTS, {"ids": some, "model": chosen.name, "all": again})
            rows = cursor.fetchall()
        vectors = chosen.embed_passages([passage_text(name, description) for _, name, description in rows])
        with connection.cursor() as cursor:
            cursor.execute(
                _STORE,
                {"model": chosen.name, "ids": [row[0] for row in rows], "vectors": [to_sql(each) for each in vectors]},
            )
            stored += cursor.rowcount
            if progress:
                progress(cursor.rowcount)
    return stored


def everyday_vectors(model: str) -> "NDArray[Any] | None":
    """Those of the everyday questions, a row each; None while a worker has not made them."""
    import numpy as np

    made = EverydayVectors.objects.filter(model=model, digest=EVERYDAY).values_list("vectors", flat=True).first()
    return None if made is None else np.frombuffer(bytes(made), dtype="<f4").reshape(-1, DIMENSIONS)


def _prepare(chosen: Engine) -> None:
    import numpy as np

    if EverydayVectors.objects.filter(model=chosen.name, digest=EVERYDAY).exists():
        return
    vectors = np.array(chosen.embed_queries(QUESTIONS), dtype="<f4").tobytes()
    EverydayVectors.objects.update_or_create(model=chosen.name, defaults={"digest": EVERYDAY, "vectors": vectors})
