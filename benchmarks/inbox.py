"""How the inbox feels with ten thousand proposals waiting and a hundred thousand decided.

    python -m benchmarks.inbox [--json]

`counts` is what every page of the console asks for its badges; a list is one page of 50 with all its rows show; `groups` is
the 50 largest of alike ones; the pages are whole answers of the views, templates included, as an admin gets them, in this
process. `approve 200` decides as many at once, each in a transaction of its own with its audit row. Milliseconds, warm.
"""

# ruff: noqa: S608 - the SQL is put together from constants of this module

import argparse
import json
import sys
import time
from collections.abc import Callable
from uuid import UUID

from .__main__ import figures
from .server import bench_database, prepare, superuser

DATABASE = "bench_inbox"
PENDING, DECIDED, AGENTS = 10_000, 100_000, 20
ORGANIZATION = UUID(int=1)
ROUNDS = 20


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.inbox", description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args(arguments)
    prepare()
    with bench_database(DATABASE, fresh=True), superuser(DATABASE) as connection:
        start = time.monotonic()
        user = fill(connection)
        print(f"filled in {time.monotonic() - start:.0f} s", file=sys.stderr)
        taken = measure(user)
    if options.json:
        print(json.dumps(taken, indent=2))
        return 0
    for name, found in taken.items():
        print(f"{name:<28}" + "  ".join(f"{key} {value:8.1f}" for key, value in found.items()))
    return 0


def fill(connection):
    """An organisation with twenty role-agents and its items, written as SQL; answers its admin."""
    from digitalworker.agents.models import Membership, Organization, Person, RoleAgent, User

    from .data import _defaults as set_defaults

    organization = Organization.objects.create(pk=ORGANIZATION, name="Bench", slug="bench")
    user = User.objects.create_user("admin@bench.test", "correct horse battery", name="Admin")
    Membership.objects.create(organization=organization, user=user, role="admin")
    agents = [
        RoleAgent.objects.create(organization=organization, code=f"agent-{n}", name=f"Agent {n}", persona="Helps.")
        for n in range(AGENTS)
    ]
    for agent in agents:
        Person.objects.bulk_create(
            Person(organization=organization, role_agent=agent, external_user_id=f"P-{n}") for n in range(100)
        )
    set_defaults(connection)
    connection.execute("SET session_replication_role = replica")
    for status, count in (("pending", PENDING), ("approved", DECIDED)):
        _items(connection, status, count)
    connection.execute("SET session_replication_role = origin")
    connection.execute("VACUUM (ANALYZE)")
    return user


def _items(connection, status: str, count: int) -> None:
    """Every third is an attribute of a person, and their keys repeat; the others are sentences, a tenth of them in few shapes."""
    connection.execute(
        f"""
        INSERT INTO learning_learningitem (id, organization_id, role_agent_id, person_id, status, proposed_payload, digest,
            dedupe_key, source, proposed_by_label, risk, sensitive, findings, decided_at, created_at, updated_at)
        SELECT uuidv7(), a.organization_id, a.id, CASE WHEN i %% 3 = 0 THEN p.id END, '{status}',
            CASE WHEN i %% 3 = 0
                THEN jsonb_build_object('scope', 'person', 'kind', 'profile', 'key', 'key_' || (i / 60) %% 40, 'content', i::text)
                ELSE jsonb_build_object('scope', 'role_agent', 'kind', CASE WHEN i %% 7 = 0 THEN 'rule' ELSE 'fact' END,
                    'key', NULL, 'content', CASE WHEN i %% 10 = 1 THEN 'Route ' || i || ' leaves from gate ' || i %% 90
                    ELSE 'What ' || md5(i::text) || ' has to do with ' || md5((i + 1)::text) || ' is known at noon' END) END,
            encode(sha256(convert_to('{status}' || i, 'UTF8')), 'hex'), 'once {status} ' || i,
            CASE WHEN i %% 4 = 0 THEN 'tool' ELSE 'detected' END, 'detection',
            (ARRAY['low', 'low', 'medium', 'high'])[1 + i %% 4], i %% 25 = 0,
            CASE WHEN i %% 50 = 0 THEN '[{{"rule": "override.rules", "why": "x", "severity": "low", "start": 0, "end": 1}}]'
                ELSE '[]' END::jsonb,
            CASE WHEN '{status}' <> 'pending' THEN now() - make_interval(mins => i) END,
            now() - make_interval(mins => i * 2), now()
        FROM generate_series(1, %(count)s) AS i
        JOIN (SELECT *, row_number() OVER (ORDER BY code) - 1 AS n FROM agents_roleagent) AS a ON a.n = i %% {AGENTS}
        JOIN (SELECT *, row_number() OVER (PARTITION BY role_agent_id ORDER BY id) - 1 AS n FROM agents_person) AS p
            ON p.role_agent_id = a.id AND p.n = (i / 7) %% 100
        """,
        {"count": count},
    )


def measure(user) -> dict[str, dict[str, float]]:
    from django.test import Client
    from django.test.utils import override_settings

    from digitalworker.agents.actors import actor_for_membership
    from digitalworker.agents.models import Membership
    from learning.selectors import inbox
    from learning.selectors.filters import Filters
    from learning.selectors.groups import groups

    actor = actor_for_membership(Membership.objects.get(user=user), user)
    lists = {
        "newest first": Filters(),
        "oldest first": Filters(sort="oldest"),
        "highest risk first": Filters(sort="risk"),
        "largest first": Filters(sort="size"),
        "of one agent": Filters(agent="agent-7"),
        "rules": Filters(kind="rule"),
        "ageing, found in it": Filters(age="3", finding="steering"),
        "words: gate noon": Filters(q="gate noon"),
        "words nobody said": Filters(q="zebra crossing"),
        "approved": Filters(status="approved"),
        "largest that were approved": Filters(sort="size", status="approved"),
        "words in what was approved": Filters(q="zebra crossing", status="approved"),
    }
    calls: dict[str, Callable] = {"counts": lambda: inbox.waiting(actor)}
    calls |= {f"list, {name}": lambda f=f: inbox.inbox_page(actor, f).rows for name, f in lists.items()}
    first = inbox.inbox_page(actor, Filters()).rows
    calls |= {
        "groups": lambda: groups(actor, Filters()),
        "next to decide": lambda: inbox.next_pending(actor, Filters(), first[20]),
        "place of an item": lambda: inbox.place_of(actor, Filters(), first[20]),
    }
    taken = {name: figures(timed(call, ROUNDS)) for name, call in calls.items()}
    with override_settings(ALLOWED_HOSTS=["*"], SECURE_SSL_REDIRECT=False):
        client = Client()
        client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        base = "/app/digital-workers/learning"
        for path in (base, f"{base}?risk=high&sort=risk", f"{base}/similar", f"{base}/filter", f"{base}?ticked=1"):
            assert client.get(path).status_code == 200, path
            taken[f"page {path.removeprefix(base) or '/'}"] = figures(timed(lambda p=path: client.get(p), ROUNDS))
    return taken | {"approve 200": _bulk(actor, inbox, Filters)}


def _bulk(actor, inbox, filters) -> dict[str, float]:
    from learning.actions.bulk import Choice, decide

    rows = inbox.inbox_page(actor, filters(scope="person"), size=200).rows
    start = time.perf_counter()
    results = decide(actor=actor, name="approve", choices=[Choice(row.pk, row.revision, row.digest) for row in rows])
    total = 1000 * (time.perf_counter() - start)
    return {"all": total, "each": total / len(rows), "done": float(sum(result.done for result in results))}


def timed(call: Callable, rounds: int) -> list[float]:
    times = []
    for number in range(rounds + 4):
        start = time.perf_counter()
        call()
        if number >= 4:
            times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    sys.exit(main())
