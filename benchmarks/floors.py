"""The floors: the simplest hand-written SQL for each measured line, through psycopg, without Django."""

import psycopg
from django.conf import settings
from django.db import connection

from digitalworker.common.embedding import to_sql

from .data import MODEL


def connect() -> psycopg.Connection:
    """A bare connection to the database Django is pointed at, with the settings Django gives it.

    Without parallel workers: a floor that takes the second core for itself is none for a server that has other work.
    """
    database = connection.settings_dict
    return psycopg.connect(
        host=database["HOST"],
        user=database["USER"],
        dbname=database["NAME"],
        options=settings.DATABASES["default"]["OPTIONS"]["options"] + " -c max_parallel_workers_per_gather=0",
        autocommit=True,
        cursor_factory=psycopg.ClientCursor,
    )


ANY_WORD = "(SELECT replace(plainto_tsquery('english', %(question)s)::text, '&', '|')::tsquery AS words) AS asked"
SCOPES = """
    m.status = 'active' AND (
        m.organization_id = %(organization_id)s AND m.scope = 'organization'
        OR m.role_agent_id = %(role_agent_id)s AND m.scope = 'role_agent'
        OR m.person_id = %(person_id)s AND m.scope = 'person'
    )
"""
COLUMNS = "m.id, m.scope, m.kind, m.key, m.content, m.digest, m.revision, m.use_count, m.last_used_at, m.updated_at"
# Nearness and ts_rank in one SELECT. It gets other rows, because to it a rare word is worth no more than a common one.
NEAREST = f"""
    SELECT {COLUMNS}, 0.65 * (1 - (e.vector <=> %(vector)s::halfvec(384))) + 0.35 * ts_rank(m.tsv, asked.words) AS score
    FROM {ANY_WORD}, learning_memory m
    JOIN learning_memoryembedding e ON e.memory_id = m.id AND e.model = %(model)s
    WHERE {SCOPES}
    ORDER BY score DESC LIMIT 90
"""  # noqa: S608 - constants
HISTORY = """
    SELECT e.id, e.thread_id, e.kind, e.author_kind, e.author, e.occurred_at, e.text
    FROM (
        SELECT string_agg(quote_literal(word), ' | ')::tsquery AS words
        FROM unnest(tsvector_to_array(agents_words(%(agent)s, '', %(question)s))) AS word
    ) AS asked, agents_chatevent e
    WHERE e.role_agent_id = %(agent)s AND e.tsv @@ asked.words
    ORDER BY ts_rank(e.tsv, asked.words) DESC LIMIT 20
"""
INBOX = """
    SELECT i.id, i.role_agent_id, i.kind, i.status, i.proposed_payload, i.risk, i.sensitive, i.created_at
    FROM learning_learningitem i WHERE i.organization_id = %(organization)s AND i.status = 'pending'
    ORDER BY i.id DESC LIMIT 50
"""
EVENT = """
    INSERT INTO agents_chatevent (id, organization_id, role_agent_id, thread_id, kind, author_kind, author, verified, text,
        payload, idempotency_key, occurred_at, created_at)
    VALUES (uuidv7(), %(organization)s, %(agent)s, %(thread)s, 'message', 'person', '', false, %(text)s,
        '{}', %(key)s, now(), now())
"""


def nearest(bare: psycopg.Connection, ids: dict, question: str, vector: list[float]) -> list:
    return bare.execute(NEAREST, {**ids, "question": question, "vector": to_sql(vector), "model": MODEL}).fetchall()


def history(bare: psycopg.Connection, agent_id, question: str) -> list:
    return bare.execute(HISTORY, {"agent": agent_id, "question": question}).fetchall()


def inbox(bare: psycopg.Connection, organization_id) -> list:
    return bare.execute(INBOX, {"organization": organization_id}).fetchall()


def insert_event(bare: psycopg.Connection, thread, text: str, number: int) -> None:
    bare.execute(
        EVENT,
        {
            "organization": thread.organization_id,
            "agent": thread.role_agent_id,
            "thread": thread.pk,
            "text": text,
            "key": f"bench-floor-{number}",
        },
    )
