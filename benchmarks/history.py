"""How much processor time a search in conversations takes, and whether other agents' messages cost anything.

    python -m benchmarks.history [--rounds 64]

Three agents are measured in turn, a few questions each, because minutes apart the machine is not the same machine: one with
10,000 messages among 20,000, the very same among 1,010,000, and one with 50,000 of those. Processor time, of this process and
of the database's that serves it, says what a search costs on a machine that has other work too; the time on the wall stands
beside it. Each question counts with the best of six.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

from .server import bench_database, prepare

REPEATS, BLOCKS = 6, 8
TARGET_MS, TARGET_GROWTH = 20.0, 1.2


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=64, help="questions asked of each agent")
    options = parser.parse_args(arguments)
    if not Path("/proc/self/schedstat").exists():
        print("This system does not tell how much processor time another process took.", file=sys.stderr)
        return 2
    prepare()

    from . import data
    from .__main__ import ready

    few, many = data.SIZES[0], data.SIZES[-1]
    for size in (few, many):
        ready(size, fresh=False)
    agents = {
        "10,000 messages of 20,000": (few, data.STEADY, data.STEADY_ORGANIZATION),
        "the same of 1,010,000": (many, data.STEADY, data.STEADY_ORGANIZATION),
        "50,000 messages of 1,010,000": (many, data.MEASURED, data.ORGANIZATION),
    }
    questions = [question for question, _ in data.questions(options.rounds)]
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in agents}
    for block in range(BLOCKS):
        for name, (size, agent_id, organization_id) in agents.items():
            with bench_database(size.database):
                taken[name] += times(agent_id, organization_id, questions[block::BLOCKS])
    print("Milliseconds, p50 / p95   processor    on the wall")
    for name, found in taken.items():
        print(f"{name:28} {pair([cpu for cpu, _ in found]):>10} {pair([wall for _, wall in found]):>14}")
    before, after, largest = ([cpu for cpu, _ in found] for found in taken.values())
    growth, p95 = statistics.median(after) / statistics.median(before), quantile(largest)
    print(
        f"Others' messages 10,000 -> 1,000,000: p50 x {growth:.2f}, target <= {TARGET_GROWTH}: {met(growth <= TARGET_GROWTH)}"
    )
    print(f"50,000 messages: p95 {p95:.1f} ms of processor time, target <= {TARGET_MS:.0f}: {met(p95 <= TARGET_MS)}")
    return 0


def times(agent_id, organization_id, questions: list[str]) -> list[tuple[float, float]]:
    """The best processor time and the best time on the wall of each question, in milliseconds."""
    from django.db import connection

    from digitalworker.agents.history import search_history
    from digitalworker.agents.models import RoleAgent
    from digitalworker.common.types import worker_actor

    agent, actor = RoleAgent.objects.get(pk=agent_id), worker_actor(organization_id, agent_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        served_by = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")

    def once(question: str) -> tuple[float, float]:
        server, client, start = spent(served_by), time.process_time(), time.perf_counter()
        search_history(actor=actor, agent=agent, query=question, limit=20)
        wall, client = time.perf_counter() - start, time.process_time() - client
        return 1000 * (client + spent(served_by) - server), 1000 * wall

    for question in questions:  # plans what has to be planned
        once(question)
    tries = [[once(question) for question in questions] for _ in range(REPEATS)]
    return [(min(cpu for cpu, _ in each), min(wall for _, wall in each)) for each in zip(*tries, strict=True)]


def spent(schedstat: Path) -> float:
    """Seconds a process has run on a processor."""
    return int(schedstat.read_text().split()[0]) / 1e9


def quantile(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def pair(times: list[float]) -> str:
    return f"{statistics.median(times):.1f} / {quantile(times):.1f}"


def met(good: bool) -> str:
    return "met" if good else "MISSED"


if __name__ == "__main__":
    sys.exit(main())
