"""Databases for measuring: made of rows that look like the product's own, filled straight in SQL.

Each size is a database of its own, `bench_<size>`, so that a second run finds it filled. The rows are consistent (every foreign
key would hold), which is why the filling may switch the checks off: two million checked inserts would take an hour.

| size | memories of the organisation | of all | chat events of the organisation | of all |
|---|---|---|---|---|
| small | 1,000 | 11,000 | 10,000 | 20,000 |
| medium | 10,000 | 100,000 | 100,000 | 110,000 |
| large | 100,000 | 1,000,000 | 1,000,000 | 1,010,000 |

In every size one agent, `steady`, of another organisation has exactly the same 2,000 memories and 10,000 events: its times
show whether other agents' rows cost anything.
"""

# ruff: noqa: S608 - the SQL is put together from constants of this module

import random
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import psycopg
import psycopg.sql

from digitalworker.common.embedding import BundledEngine, to_sql

SEED = 20_260_401
LAYOUT = "1"  # raise it when the rows change, and databases of an earlier layout are made anew
TEXTS, VECTORS = 20_000, 2_000  # distinct sentences and vectors, from which rows take theirs
MODEL = BundledEngine.name  # vectors of another name would not be used; these are random ones
ORGANIZATION, STEADY_ORGANIZATION = UUID(int=1), UUID(int=2)
OTHER_ORGANIZATIONS = [UUID(int=10 + i) for i in range(5)]
MEASURED, STEADY = UUID(int=101), UUID(int=102)
MEASURED_PERSON, STEADY_PERSON = UUID(int=201), UUID(int=202)


@dataclass(frozen=True, slots=True)
class Size:
    name: str
    memories: int
    all_memories: int
    events: int
    measured_memories: int
    measured_events: int

    @property
    def database(self) -> str:
        return f"bench_{self.name}"

    @property
    def mark(self) -> str:
        return f"benchmark, layout {LAYOUT}, {self}".replace("'", "")


SIZES = [
    Size("small", 1_000, 11_000, 10_000, 700, 2_500),
    Size("medium", 10_000, 100_000, 100_000, 2_000, 10_000),
    Size("large", 100_000, 1_000_000, 1_000_000, 2_000, 50_000),
]
ORGANIZATION_WIDE, ABOUT_PERSON = 100, 30


# --- words ----------------------------------------------------------------------------------------------------------


class Words:
    """A made-up language whose words are as unevenly frequent as English ones, so that some are common and most rare."""

    def __init__(self) -> None:
        self.random = random.Random(SEED)
        starts = [*"bcdfghklmnprstvw", "pr", "tr", "st", "pl"]
        middles = [*"aeiou", "ai", "or", "an", "er", "il"]
        ends = ["nd", "rt", "sk", "ll", "m", "n", "ck", "st", "ble", "per", "dor", "tic", "lum", "vik"]
        made = [s + m + e for s in starts for m in middles for e in ends]
        self.random.shuffle(made)
        self.vocabulary = [*made, *[a + b for a, b in zip(made, reversed(made), strict=True)]]
        self.weights = [1 / (rank + 8) for rank in range(len(self.vocabulary))]

    def sentence(self, least: int, most: int) -> str:
        return " ".join(self.random.choices(self.vocabulary, self.weights, k=self.random.randint(least, most)))

    def vector(self) -> list[float]:
        return [self.random.gauss(0, 1) for _ in range(384)]


def questions(count: int) -> list[tuple[str, list[float]]]:
    """Questions of four to twelve words with a vector each; the same ones in every run."""
    words = Words()
    words.random.seed(SEED + 1)
    return [(f"what about the {words.sentence(4, 12)}?", words.vector()) for _ in range(count)]


# --- filling --------------------------------------------------------------------------------------------------------


def is_filled(connect: Callable[[str], psycopg.Connection], size: Size) -> bool:
    """Whether the database of this size is there, filled to the end, and of the present layout."""
    with connect("postgres") as server:
        row = server.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [size.database]
        ).fetchone()
    return row is not None and row[0] == size.mark


def fill(connection: psycopg.Connection, size: Size) -> None:
    """Fills the migrated, empty database `connection` leads to. It must belong to a superuser and be in autocommit."""
    run = connection.execute
    run("SET session_replication_role = replica")  # no foreign-key checks, see above
    run("SET synchronous_commit = off")
    run("SET maintenance_work_mem = '512MB'")
    run("SET statement_timeout = 0")
    _defaults(connection)
    later = _drop_indexes(connection)
    _pools(connection)
    _tenants(connection, size)
    _memories(connection, size)
    _events(connection, size)
    _items(connection, size)
    for definition in later:
        run(definition)
    run("DROP TABLE pool_text, pool_vector")
    # VACUUM also sets the visibility map, as autovacuum would have by the time real rows are this many.
    run("VACUUM (ANALYZE)")
    run("SET session_replication_role = origin")
    run(f"COMMENT ON DATABASE {size.database} IS '{size.mark}'")


def _defaults(connection: psycopg.Connection) -> None:
    """Gives the columns their models' defaults, so that the statements below name only what is measured."""
    from django.apps import apps
    from django.db import connection as db

    fields = [
        field
        for model in apps.get_models()
        if model._meta.app_label in {"agents", "learning"}
        for field in model._meta.concrete_fields
        if not (field.null or field.generated or field.primary_key)
    ]
    for field in fields:
        if field.has_default() or (field.blank and field.empty_strings_allowed):
            value = field.get_db_prep_save(field.get_default(), db)
            connection.execute(
                psycopg.sql.SQL("ALTER TABLE {} ALTER COLUMN {} SET DEFAULT {}").format(
                    psycopg.sql.Identifier(field.model._meta.db_table),
                    psycopg.sql.Identifier(field.column),
                    psycopg.sql.Literal(value),
                )
            )


def _drop_indexes(connection: psycopg.Connection) -> list[str]:
    """Drops the plain indexes of the big tables and answers the statements that make them again."""
    rows = connection.execute("""
        SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
        FROM pg_index i
        WHERE i.indrelid IN ('learning_memory'::regclass, 'learning_memoryembedding'::regclass, 'agents_chatevent'::regclass)
          AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
    """).fetchall()
    for name, _ in rows:
        connection.execute(f"DROP INDEX {name}")
    return [definition for _, definition in rows]


def _pools(connection: psycopg.Connection) -> None:
    words = Words()
    connection.execute("CREATE UNLOGGED TABLE pool_text (n int PRIMARY KEY, text text)")
    connection.execute("CREATE UNLOGGED TABLE pool_vector (n int PRIMARY KEY, vector halfvec(384))")
    with connection.cursor() as cursor:
        with cursor.copy("COPY pool_text FROM STDIN") as copy:
            for n in range(TEXTS):
                copy.write_row((n, words.sentence(6, 22)))
        with cursor.copy("COPY pool_vector FROM STDIN") as copy:
            for n in range(VECTORS):
                copy.write_row((n, to_sql(words.vector())))
    connection.execute("ANALYZE pool_text, pool_vector")


def _tenants(connection: psycopg.Connection, size: Size) -> None:
    run = connection.execute
    for n, organization in enumerate([ORGANIZATION, STEADY_ORGANIZATION, *OTHER_ORGANIZATIONS]):
        run(
            "INSERT INTO agents_organization (id, name, slug, storage_mode, created_at) VALUES (%s, %s, %s, 'full', now())",
            [organization, f"Organisation {n}", f"organisation-{n}"],
        )
    agent = """
        INSERT INTO agents_roleagent (id, organization_id, code, name, persona, status, learning_enabled,
            memory_autosave_enabled, skill_learning_enabled, people_learning, soul_paused, memory_limit,
            person_memory_limit, revision, created_at, updated_at)
        SELECT {id}, {organization}, {code}, 'Agent', 'Helps.', 'active', true, true, true, 'review', false, 100000, 200, 1,
            now(), now()
    """
    run(agent.format(id="%s::uuid", organization="%s::uuid", code="'measured'"), [MEASURED, ORGANIZATION])
    run(agent.format(id="%s::uuid", organization="%s::uuid", code="'steady'"), [STEADY, STEADY_ORGANIZATION])
    # The other agents: 20 of the measured organisation, 20 of each other one.
    for number, organization in enumerate([ORGANIZATION, *OTHER_ORGANIZATIONS]):
        run(
            agent.format(
                id="lpad(to_hex(1000 * (%s + 1) + n), 32, '0')::uuid", organization="%s::uuid", code="'other-' || n"
            )
            + " FROM generate_series(0, 19) AS n",
            [number, organization],
        )
    run(
        """
        INSERT INTO agents_person (id, organization_id, role_agent_id, external_user_id, display_name, recall_enabled, created_at)
        VALUES (%s, %s, %s, 'ABC', 'ABC', true, now()), (%s, %s, %s, 'ABC', 'ABC', true, now())
        """,
        [MEASURED_PERSON, ORGANIZATION, MEASURED, STEADY_PERSON, STEADY_ORGANIZATION, STEADY],
    )


def _memory_block(connection, *, organization, agent: str, scope: str, person: str, count: int, offset: int) -> None:
    """`count` live memories; `agent` and `person` are SQL over the row number `i`."""
    connection.execute(
        f"""
        INSERT INTO learning_memory (id, organization_id, role_agent_id, person_id, scope, kind, key, content, digest, status,
            risk, sensitive, pii_entities, source, created_by_label, reviewer_label, use_count, last_used_at, revision,
            created_at, updated_at)
        SELECT uuidv7(), %(organization)s::uuid, {agent}, {person}, '{scope}',
            CASE WHEN i %% 10 = 0 THEN 'rule' ELSE 'fact' END,
            CASE WHEN i %% 5 = 0 THEN 'key ' || i + %(offset)s END,
            t.text, encode(sha256(convert_to(t.text || i, 'UTF8')), 'hex'), 'active', 'low', false, '{{}}', 'manual', 'bench', '',
            (i * 37) %% 11, now() - make_interval(hours => (i * 13) %% 900), 1,
            now() - make_interval(hours => (i * 13) %% 2000), now() - make_interval(hours => (i * 13) %% 2000)
        FROM generate_series(1, %(count)s) AS i
        JOIN pool_text t ON t.n = ((i + %(offset)s)::bigint * 7919) %% {TEXTS}
        """,
        {"organization": organization, "count": count, "offset": offset},
    )


def _memories(connection: psycopg.Connection, size: Size) -> None:
    pairs = [
        (ORGANIZATION, MEASURED, MEASURED_PERSON, size.measured_memories),
        (STEADY_ORGANIZATION, STEADY, STEADY_PERSON, 2_000),
    ]
    # The agents' rows lie among the others', as they would if they had been learned over the same months.
    others = size.memories - size.measured_memories - ORGANIZATION_WIDE - ABOUT_PERSON
    block = lambda *a, **k: _memory_block(connection, *a, **k)  # noqa: E731
    parts = 4
    for part in range(parts):
        block(
            organization=ORGANIZATION,
            agent="lpad(to_hex(1000 + i % 20), 32, '0')::uuid".replace("%", "%%"),
            scope="role_agent",
            person="NULL",
            count=others // parts,
            offset=part * 1_000_000,
        )
        for organization, agent, person, count in pairs:
            owner = {"organization": organization, "offset": 50_000_000 + part * 1_000_000}
            block(**owner, agent=f"'{agent}'::uuid", scope="role_agent", person="NULL", count=count // parts)
            block(**owner, agent="NULL", scope="organization", person="NULL", count=ORGANIZATION_WIDE // parts)
            block(
                **owner,
                agent=f"'{agent}'::uuid",
                scope="person",
                person=f"'{person}'::uuid",
                count=ABOUT_PERSON // parts,
            )
        rest = size.all_memories - size.memories - 2_130
        for number, organization in enumerate(OTHER_ORGANIZATIONS):
            block(
                organization=organization,
                agent=f"lpad(to_hex({1000 * (number + 2)} + i %% 20), 32, '0')::uuid",
                scope="role_agent",
                person="NULL",
                count=rest // parts // len(OTHER_ORGANIZATIONS),
                offset=part * 1_000_000,
            )
    connection.execute(f"""
        INSERT INTO learning_memoryembedding (memory_id, organization_id, owner_id, model, digest, vector, updated_at)
        SELECT m.id, m.organization_id, m.owner_id, '{MODEL}', m.digest, v.vector, now()
        FROM (
            SELECT id, organization_id, coalesce(person_id, role_agent_id, organization_id) AS owner_id, digest,
                row_number() OVER (ORDER BY id) AS i
            FROM learning_memory
        ) AS m
        JOIN pool_vector v ON v.n = (m.i * 7907) % {VECTORS}
    """)


def _events(connection: psycopg.Connection, size: Size) -> None:
    connection.execute(
        "CREATE UNLOGGED TABLE pool_thread (n int, id uuid, organization_id uuid, role_agent_id uuid, length int)"
    )
    threads = [
        (ORGANIZATION, f"'{MEASURED}'::uuid", size.measured_events),
        (STEADY_ORGANIZATION, f"'{STEADY}'::uuid", 10_000),
        (ORGANIZATION, "lpad(to_hex(1000 + i % 20), 32, '0')::uuid", size.events - size.measured_events),
    ]
    for organization, agent, events in threads:
        connection.execute(
            f"""
            INSERT INTO pool_thread
            SELECT i, uuidv7(), '{organization}', {agent}, 20 FROM generate_series(1, {events // 20}) AS i
            """
        )
    connection.execute("""
        INSERT INTO agents_thread (id, organization_id, role_agent_id, created_at, last_event_at)
        SELECT id, organization_id, role_agent_id, now() - make_interval(mins => n), now() - make_interval(mins => n)
        FROM pool_thread
    """)
    connection.execute(f"""
        INSERT INTO agents_chatevent (id, organization_id, role_agent_id, thread_id, kind, author_kind, author, verified, text,
            payload, occurred_at, created_at)
        SELECT uuidv7(), p.organization_id, p.role_agent_id, p.id,
            CASE WHEN j % 2 = 0 THEN 'reply' ELSE 'message' END, CASE WHEN j % 2 = 0 THEN 'agent' ELSE 'person' END,
            '', j % 2 = 1, a.text || '. ' || b.text, '{{}}',
            now() - make_interval(mins => p.n, secs => 20 - j), now()
        FROM (SELECT * FROM pool_thread ORDER BY n) AS p
        CROSS JOIN generate_series(1, 20) AS j
        JOIN pool_text a ON a.n = (p.n::bigint * 7919 + j * 104729) % {TEXTS}
        JOIN pool_text b ON b.n = (p.n::bigint * 6101 + j * 1299709) % {TEXTS}
    """)
    connection.execute("DROP TABLE pool_thread")


def _items(connection: psycopg.Connection, size: Size) -> None:
    """A tenth as many proposals as memories, one in five of them pending, spread over the organisation's agents."""
    connection.execute(
        f"""
        INSERT INTO learning_learningitem (id, organization_id, role_agent_id, kind, status, proposed_payload, digest,
            dedupe_key, source_refs,
            evidence_count, source, proposed_by_label, rationale, risk, sensitive, findings, pii_entities,
            decided_by_label, decided_at, decision_reason, edited, revision, created_at, updated_at)
        SELECT uuidv7(), %(organization)s, lpad(to_hex(1000 + i %% 20), 32, '0')::uuid, 'memory_proposal',
            CASE i %% 5 WHEN 0 THEN 'pending' WHEN 1 THEN 'rejected' ELSE 'approved' END,
            jsonb_build_object('scope', 'role_agent', 'kind', 'fact', 'key', NULL, 'content', t.text),
            encode(sha256(convert_to('item' || i, 'UTF8')), 'hex'), encode(sha256(convert_to('once' || i, 'UTF8')), 'hex'),
            '[]', 1, 'detected', 'detection', '', 'low', false, '[]', '{{}}', '', CASE WHEN i %% 5 > 0 THEN now() END, '',
            false, 1,
            now() - make_interval(mins => i), now()
        FROM generate_series(1, %(count)s) AS i
        JOIN pool_text t ON t.n = (i::bigint * 7919) %% {TEXTS}
        """,
        {"organization": ORGANIZATION, "count": size.memories // 10},
    )
