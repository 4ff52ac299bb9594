"""How fast the product is, with the raw SQL floor beside each number.

    python -m benchmarks [--quick] [--json] [--fresh]

Every figure is taken on a database filled to the size it stands under (see benchmarks/data.py), through the functions the
product itself calls, warm, with client and server on the same machine. The *floor* is the simplest hand-written SQL that
answers with the same kind of rows, sent through psycopg without Django; it is timed in turn with the product, question by
question, so that whatever else the machine does hits both.

| line | the product's | the floor's |
|---|---|---|
| build_context | ranking, precedence, budget, prompt; the vector is given | one SELECT of the same scopes by cosine and ts_rank |
| history search | any word, neighbours, excerpts with marks | one SELECT: any word, by ts_rank |
| event intake | checks, idempotency, thread, event, detection, queue | one INSERT of an event a transaction |
| inbox first page | what waits, counted by filter, and the newest 50 | one SELECT: the newest 50 |

`after a change` is build_context when somebody has just changed what the agent knows, so that its shelves are read anew.

The last lines compare one and the same agent (2,000 memories, 10,000 events) while all others' rows grow.
"""

import argparse
import io
import json
import os
import statistics
import sys
import time
from collections.abc import Callable

from .server import bench_database, prepare, superuser

LIMITS = {"context_p95_ms": 15.0, "context_times_floor": 2.0, "isolation": 1.2}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="the two smaller sizes and fewer rounds: about a minute")
    parser.add_argument("--fresh", action="store_true", help="fill the databases anew; the largest takes some minutes")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args(arguments)
    prepare()

    from . import data

    rounds = 60 if options.quick else 200
    sizes = data.SIZES[:-1] if options.quick else data.SIZES
    results = []
    for size in sizes:
        ready(size, fresh=options.fresh)
        with bench_database(size.database):
            results.append(measure(size, rounds))
    report = {"sizes": results, "isolation": isolation(sizes[0], sizes[-1], rounds), "targets": LIMITS}
    print(json.dumps(report, indent=2) if options.json else table(report))
    return 0


def ready(size, *, fresh: bool) -> None:
    from . import data

    if not fresh and data.is_filled(superuser, size):
        return
    print(f"Filling {size.database} ...", end=" ", file=sys.stderr, flush=True)
    start = time.monotonic()
    with bench_database(size.database, fresh=True), superuser(size.database) as connection:
        data.fill(connection, size)
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)


# --- measuring ------------------------------------------------------------------------------------------------------


def figures(times: list[float]) -> dict:
    """Seconds to milliseconds: median, 95th percentile."""
    cuts = statistics.quantiles(times, n=20)
    return {"p50": 1000 * statistics.median(times), "p95": 1000 * cuts[-1]}


def in_turn(calls: dict[str, Callable], inputs: list, skip: int) -> dict[str, list[float]]:
    """Seconds of each call with each input, alternating; the first `skip` inputs warm up and are not counted."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number, given in enumerate(inputs):
        for name, call in calls.items():
            start = time.perf_counter()
            call(given)
            elapsed = time.perf_counter() - start
            if number >= skip:
                times[name].append(elapsed)
    return times


def measure(size, rounds: int) -> dict:
    from . import data

    asked = data.questions(rounds)
    return {
        "size": size.name,
        "memories": size.memories,
        "all_memories": size.all_memories,
        "events": size.events,
        "agent_memories": size.measured_memories,
        "agent_events": size.measured_events,
        "agent": {
            what: {name: figures(taken) for name, taken in calls.items()}
            for what, calls in agent_times(
                data.ORGANIZATION, data.MEASURED, data.MEASURED_PERSON, asked, skip=rounds // 10
            ).items()
        },
        "inbox": {name: figures(taken) for name, taken in inbox_times(rounds).items()},
        "intake": intake_rates(rounds),
    }


def agent_times(organization_id, agent_id, person_id, asked: list, *, skip: int) -> dict:
    """Seconds of `build_context`, `recall` alone and history search of one agent, each with its floor."""
    from digitalworker.agents.history import search_history
    from digitalworker.agents.models import Organization, Person, RoleAgent
    from digitalworker.common.embedding import AskedVector
    from digitalworker.common.types import worker_actor
    from digitalworker.runtime.context import build_context
    from learning import recall, shelves

    from . import data, floors

    organization = Organization.objects.get(pk=organization_id)
    agent = RoleAgent.objects.select_related("organization").get(pk=agent_id)
    person = Person.objects.get(pk=person_id)
    actor = worker_actor(organization_id, agent_id)
    ids = {"organization_id": organization_id, "role_agent_id": agent_id, "person_id": person_id}

    def context_of(asked_now):
        return build_context(
            organization=organization,
            role_agent=agent,
            person=person,
            question=asked_now[0],
            vector=AskedVector(asked_now[1], data.MODEL),
        )

    def after_a_change(asked_now):
        shelves.clear()
        return context_of(asked_now)

    with floors.connect() as bare:
        context = in_turn(
            {
                "build_context": context_of,
                "floor": lambda q: floors.nearest(bare, ids, q[0], q[1]),
                "recall": lambda q: recall.recall(**ids, question=q[0], query_vector=q[1]),
                "changed": after_a_change,
            },
            asked,
            skip,
        )
        history = in_turn(
            {
                "history": lambda q: search_history(actor=actor, agent=agent, query=q[0], limit=20),
                "floor": lambda q: floors.history(bare, agent_id, q[0]),
            },
            asked,
            skip,
        )
    return {"context": context, "history": history}


def inbox_times(rounds: int) -> dict:
    from digitalworker.common.types import Actor, ActorKind
    from learning.selectors import inbox

    from . import data, floors

    owner = Actor(ActorKind.USER, data.ORGANIZATION, "owner", user_id=0, role="owner")

    def page(_):
        waiting = inbox.waiting(owner)
        filters = inbox.Filters()
        return waiting.for_me, inbox.inbox_agents(owner), inbox.inbox_page(owner, filters).rows

    with floors.connect() as bare:
        return in_turn(
            {"inbox": page, "floor": lambda _: floors.inbox(bare, data.ORGANIZATION)}, list(range(rounds)), rounds // 10
        )


def intake_rates(rounds: int) -> dict:
    """Events a second: one by one, by the hundred, and the floor. What was taken in is deleted afterwards."""
    from django.db import connection

    from digitalworker.agents.actions.conversations import EventDraft
    from digitalworker.agents.models import RoleAgent, Thread
    from digitalworker.common.types import system_actor
    from learning.actions.intake import take_in

    from . import data, floors

    agent = RoleAgent.objects.select_related("organization").get(pk=data.MEASURED)
    actor = system_actor(data.ORGANIZATION)
    texts = [data.Words().sentence(10, 30) for _ in range(50)]

    def draft(run: str, n: int) -> EventDraft:
        return EventDraft(
            kind="message",
            text=f"{texts[n % 50]} {n}",
            author_kind="person",
            thread_external_id=f"bench-{run}-{n // 20}",
            idempotency_key=f"bench-{run}-{n}",
        )

    def rate(count: int, work: Callable) -> float:
        start = time.perf_counter()
        work()
        return count / (time.perf_counter() - start)

    try:
        one = rate(
            rounds, lambda: [take_in(actor=actor, role_agent=agent, drafts=[draft("one", n)]) for n in range(rounds)]
        )
        many = rate(
            rounds * 10,
            lambda: [
                take_in(actor=actor, role_agent=agent, drafts=[draft("many", n) for n in range(s, s + 100)])
                for s in range(0, rounds * 10, 100)
            ],
        )
        thread = Thread.objects.create(organization=agent.organization, role_agent=agent, external_id="bench-floor")
        with floors.connect() as bare:
            floor = rate(rounds, lambda: [floors.insert_event(bare, thread, texts[n % 50], n) for n in range(rounds)])
    finally:
        Thread.objects.filter(role_agent=agent, external_id__startswith="bench-").delete()
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_q_ormq")
    return {"one_by_one": one, "by_the_hundred": many, "floor": floor}


def isolation(small, large, rounds: int) -> dict:
    """The steady agent's times in the largest size over those in the smallest; 1 means that others' rows cost nothing.

    The two databases are measured in turn, a few questions each, because minutes apart the machine is not the same machine.
    """
    from . import data

    asked, blocks = data.questions(rounds), 8
    taken: dict = {}
    for block in range(blocks):
        part = asked[block::blocks]
        for size in (small, large):
            with bench_database(size.database):
                times = agent_times(
                    data.STEADY_ORGANIZATION, data.STEADY, data.STEADY_PERSON, [*part[:3], *part], skip=3
                )
            for what, calls in times.items():
                for name, found in calls.items():
                    taken.setdefault((what, name, size.name), []).extend(found)
    ratio = lambda what, name: {  # noqa: E731
        part: figures(taken[what, name, large.name])[part] / figures(taken[what, name, small.name])[part]
        for part in ("p50", "p95")
    }
    return {
        "others_memories": [size.all_memories - 2_130 for size in (small, large)],
        "others_events": [size.events for size in (small, large)],
        "context": ratio("context", "build_context") | {"floor": ratio("context", "floor")["p50"]},
        "history": ratio("history", "history") | {"floor": ratio("history", "floor")["p50"]},
    }


# --- showing --------------------------------------------------------------------------------------------------------


def table(report: dict) -> str:
    from rich.console import Console
    from rich.table import Table

    grid = Table(title="Milliseconds, p50 / p95, and events a second", title_justify="left")
    grid.add_column("")
    for size in report["sizes"]:
        grid.add_column(
            f"{size['memories']:,} memories\n{size['events']:,} events\n"
            f"agent: {size['agent_memories']:,} / {size['agent_events']:,}",
            justify="right",
        )

    def line(label: str, value: Callable) -> None:
        grid.add_row(label, *[value(size) for size in report["sizes"]])

    pair = lambda found: f"{found['p50']:.1f} / {found['p95']:.1f}"  # noqa: E731
    line("build_context", lambda s: pair(s["agent"]["context"]["build_context"]))
    line("  recall alone", lambda s: pair(s["agent"]["context"]["recall"]))
    line("  floor", lambda s: pair(s["agent"]["context"]["floor"]))
    line("  after a change", lambda s: pair(s["agent"]["context"]["changed"]))
    line("history search", lambda s: pair(s["agent"]["history"]["history"]))
    line("  floor", lambda s: pair(s["agent"]["history"]["floor"]))
    line("inbox first page", lambda s: pair(s["inbox"]["inbox"]))
    line("  floor", lambda s: pair(s["inbox"]["floor"]))
    line("event intake, one by one", lambda s: f"{s['intake']['one_by_one']:.0f}/s")
    line("event intake, by the hundred", lambda s: f"{s['intake']['by_the_hundred']:.0f}/s")
    line("  floor", lambda s: f"{s['intake']['floor']:.0f}/s")
    out = io.StringIO()
    Console(width=110, file=out).print(grid)
    return out.getvalue() + "\n".join(_verdicts(report))


def _verdicts(report: dict) -> list[str]:
    apart = report["isolation"]
    say = lambda good: "met" if good else "MISSED"  # noqa: E731
    lines = [
        f"The same agent while others' memories grow {apart['others_memories'][0]:,} -> {apart['others_memories'][1]:,}"
        f" and events {apart['others_events'][0]:,} -> {apart['others_events'][1]:,}:"
    ]
    for what, name in (("context", "build_context"), ("history", "history search")):
        ratio = apart[what]
        lines.append(
            f"  {name}: p50 x {ratio['p50']:.2f}, p95 x {ratio['p95']:.2f} (floor x {ratio['floor']:.2f}),"
            f" target <= {LIMITS['isolation']}: {say(ratio['p50'] <= LIMITS['isolation'])}"
        )
    for size in report["sizes"]:
        if size["agent_memories"] != 2_000:
            continue
        context = size["agent"]["context"]
        p95, floor = (context[name]["p95"] for name in ("build_context", "floor"))
        lines += [
            f"build_context at 2,000 live memories, {size['size']}: p95 {p95:.1f} ms,"
            f" target <= {LIMITS['context_p95_ms']:.0f}: {say(p95 <= LIMITS['context_p95_ms'])}",
            f"  {p95 / floor:.2f} x floor, target <= {LIMITS['context_times_floor']:.0f}:"
            f" {say(p95 / floor <= LIMITS['context_times_floor'])}",
        ]
    lines.append(f"Load of the machine meanwhile: {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores (5 minutes).")
    return lines


if __name__ == "__main__":
    sys.exit(main())
