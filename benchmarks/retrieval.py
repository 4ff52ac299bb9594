"""How well history search finds the turns that answer a question: R@10 on LoCoMo conversations, on the product's own code.

    python -m benchmarks.retrieval FOLDER

FOLDER holds `locomo_turns.jsonl` and `locomo_questions.jsonl` (LoCoMo, CC BY-NC 4.0, for evaluation only; it is not part of
this repository). Each conversation becomes an agent's history, each of its sessions a thread. R@10 is the share of a
question's evidence turns among the first ten hits, averaged over the questions of categories 1 to 4. The adversarial
category 5 has no answer to find.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from .server import bench_database, prepare

TOP = 10


def read(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where the locomo_*.jsonl files lie")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args(arguments)
    turns, questions = options.folder / "locomo_turns.jsonl", options.folder / "locomo_questions.jsonl"
    for path in (turns, questions):
        if not path.is_file():
            print(f"{path} is missing, so there is nothing to measure retrieval on.", file=sys.stderr)
            return 2
    prepare()
    with bench_database("bench_retrieval", fresh=True):
        result = measure(read(turns), read(questions))
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        print(
            f"{result['conversations']} conversations, {result['turns']} turns, {result['questions']} questions with evidence"
        )
        for name, row in result["rankings"].items():
            print(f"  {name:34} R@{TOP} {row['recall']:.3f}   p50 {row['p50_ms']:.1f} ms")
    return 0


def measure(turns: list[dict], questions: list[dict]) -> dict:
    from digitalworker.agents.history import ranking, search_history

    agents, events = load(turns)
    asked = [q for q in questions if q["category"] != 5 and q["evidence"]]
    smoothing = ranking.SMOOTHING

    def ours(agent, text, smooth):
        ranking.SMOOTHING = smooth
        return [hit.event_id for hit in search_history(actor=_actor(agent), agent=agent, query=text, limit=TOP)]

    rankings = {
        "history search": lambda agent, text: ours(agent, text, smoothing),
        "history search, without neighbours": lambda agent, text: ours(agent, text, 0),
        "any word, ts_rank": lambda agent, text: plain(agent, text, any_word=True),
        "all words, ts_rank": lambda agent, text: plain(agent, text, any_word=False),
    }
    result = {}
    for name, rank in rankings.items():
        shares, times = [], []
        for question in asked:
            evidence = {
                events[question["conv"], dia] for dia in question["evidence"] if (question["conv"], dia) in events
            }
            if not evidence:
                continue
            start = time.perf_counter()
            found = rank(agents[question["conv"]], question["text"])
            times.append(1000 * (time.perf_counter() - start))
            shares.append(len(evidence.intersection(found)) / len(evidence))
        result[name] = {"recall": sum(shares) / len(shares), "p50_ms": sorted(times)[len(times) // 2]}
    ranking.SMOOTHING = smoothing
    return {"conversations": len(agents), "turns": len(turns), "questions": len(shares), "rankings": result}


def _actor(agent):
    from digitalworker.common.types import system_actor

    return system_actor(agent.organization_id)


def load(turns: list[dict]):
    """Stores the turns; answers the agents by conversation and the event ids by (conversation, dia_id)."""
    from digitalworker.agents.models import ChatEvent, Organization, RoleAgent, Thread

    organization = Organization.objects.create(name="Evaluation", slug="evaluation")
    agents, threads, events, rows = {}, {}, {}, []
    at: dict = defaultdict(lambda: datetime(2023, 1, 1, tzinfo=UTC))
    for turn in turns:
        conversation, session = turn["conv"], (turn["conv"], turn["session"])
        if conversation not in agents:
            agents[conversation] = RoleAgent.objects.create(
                organization=organization, code=conversation.lower(), name=conversation
            )
        agent = agents[conversation]
        if session not in threads:
            threads[session] = Thread.objects.create(organization=organization, role_agent=agent)
            at[session] += timedelta(days=int(turn["session"]))
        at[session] += timedelta(minutes=1)
        event = ChatEvent(
            organization=organization,
            role_agent=agent,
            thread=threads[session],
            kind="message",
            author_kind="person",
            author=turn["speaker"],
            text=turn["text"],
            occurred_at=at[session],
        )
        rows.append(event)
        events[conversation, turn["dia_id"]] = event.pk
    ChatEvent.objects.bulk_create(rows, batch_size=1000)
    return agents, events


def plain(agent, text: str, *, any_word: bool) -> list:
    """The usual full-text search, to compare with."""
    from django.db import connection

    by = " | " if any_word else " & "
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM agents_chatevent, (SELECT string_agg(quote_literal(word), %(by)s)::tsquery AS query "
            "FROM unnest(tsvector_to_array(agents_words(%(agent)s, '', %(text)s))) AS word) AS asked "
            "WHERE role_agent_id = %(agent)s AND tsv @@ query ORDER BY ts_rank(tsv, query) DESC, id LIMIT 10",
            {"text": text, "agent": agent.pk, "by": by},
        )
        return [row[0] for row in cursor.fetchall()]


if __name__ == "__main__":
    sys.exit(main())
