"""What recall would find if one more thing were known: for a reviewer who asks what an approval changes.

It is the statement that ranks for every answer, with one row more and without the one it takes the place of, so that the
preview can not drift from what an answer is given. Nothing is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from digitalworker.common.prepared import rows_of

from .recall import STATEMENT, Candidates, Limits, parameters, sorted_out

IMAGINED = UUID(int=0)  # the id of the memory there is not

_ROW = """
    UNION ALL
    SELECT array_position(ARRAY['organization', 'role_agent', 'person'], %(new_scope)s::text), %(new_id)s::uuid,
        %(new_kind)s::text, %(new_key)s::text, %(new_content)s::text,
        to_tsvector('english', coalesce(%(new_key)s::text, '') || ' ' || %(new_content)s::text), 0, NULL::timestamptz, now(),
        NULL::halfvec
),
-- What a row's score needs."""
_TEXTS = """(
    SELECT id, kind, key, content, digest, revision, use_count, last_used_at, updated_at
    FROM learning_memory WHERE id = r.id
    UNION ALL
    SELECT %(new_id)s::uuid, %(new_kind)s::text, %(new_key)s::text, %(new_content)s::text, '', 0, 0, NULL, now()
    WHERE r.id = %(new_id)s::uuid
    OFFSET 0
)"""


def _with_one_more(statement: str) -> str:
    changes = {
        "\n),\n-- What a row's score needs.": _ROW,
        "\n    FROM live m\n": "\n    FROM live m WHERE m.id IS DISTINCT FROM %(replaced)s::uuid\n",
        "(SELECT * FROM learning_memory WHERE id = r.id OFFSET 0)": _TEXTS,
    }
    for old, new in changes.items():
        if statement.count(old) != 1:
            raise ValueError(f"recall's statement has no single {old!r} any more")
        statement = statement.replace(old, new)
    return statement


STATEMENT_WITH_ONE_MORE = _with_one_more(STATEMENT)


@dataclass(frozen=True, slots=True)
class OneMore:
    """A memory that is only proposed. `replaces` is the live memory that would make room for it."""

    scope: str
    kind: str
    key: str | None
    content: str
    replaces: UUID | None = None


def recall_with(
    one_more: OneMore,
    *,
    organization_id: UUID,
    role_agent_id: UUID,
    person_id: UUID | None,
    question: str,
    query_vector: Sequence[float] | None = None,
    limits: Limits | None = None,
) -> Candidates:
    """As `recall.recall`, once `one_more` were known. Its candidate has the id IMAGINED."""
    asked = parameters(
        organization_id=organization_id,
        role_agent_id=role_agent_id,
        person_id=person_id,
        question=question,
        query_vector=query_vector,
        limits=limits,
    )
    new = {f"new_{name}": getattr(one_more, name) for name in ("scope", "kind", "key", "content")}
    return sorted_out(
        rows_of(STATEMENT_WITH_ONE_MORE, asked | new | {"new_id": IMAGINED, "replaced": one_more.replaces})
    )
