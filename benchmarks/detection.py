"""How much the local extractor hears in real conversations, and how much ends at first sight.

    python -m benchmarks.detection FILE... [--show] [--json]

Each FILE is JSON Lines with `id`, `text` and, where agents and systems speak too, `role`. None is part of this repository.
Counted are the turns that would end as items or memories, by kind and key, out of all turns; what triage sets aside, for the
local extractor and for a model; and the time of each. `--show` prints what was found, for a reader to judge. No database is
used, so nothing is held against what is known already: the same twice counts twice.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

NOT_PEOPLE = {"agent", "assistant", "bot", "system", "tool"}
MOST = 0.05  # of the turns of a support conversation may end as items or memories


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection", description=__doc__.split("\n\n")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--show", action="store_true", help="print every finding beside its turn")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.files if not path.is_file()]
    if missing:
        print(f"{', '.join(missing)} not found, so there is nothing to listen to.", file=sys.stderr)
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "digitalworker.settings")
    import django

    django.setup()
    reports = {path.name: measured(path, show=options.show) for path in options.files}
    print(json.dumps(reports, indent=2) if options.json else "\n\n".join(map(table, reports, reports.values())))
    return 0


def measured(path: Path, *, show: bool) -> dict:
    from learning.detection import extract
    from learning.detection.triage import LONGEST, worth_hearing

    kinds: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    times: dict[str, list[float]] = {"triage": [], "extract": []}
    turns = people = loud = passed = passed_for_model = 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            turn = json.loads(line)
            turns += 1
            if turn.get("role") in NOT_PEOPLE:
                continue
            people += 1
            text, kind = turn["text"], turn.get("kind") or "message"
            start = time.perf_counter()
            heard = worth_hearing(text, kind)
            times["triage"].append(time.perf_counter() - start)
            passed += heard
            passed_for_model += worth_hearing(text, kind, by_model=True)
            if not heard:
                continue
            start = time.perf_counter()
            found = extract(text[:LONGEST], kind)
            times["extract"].append(time.perf_counter() - start)
            loud += bool(found)
            for one in found:
                kinds[f"{one.scope} {one.kind}"] += 1
                keys[one.key or "(in their own words)"] += 1
            if show and found:
                print(f"{turn['id']}: {' '.join(text.split())[:160]}")
                for one in found:
                    print(f"    {one.kind} {one.key or ''} | {one.content} | {one.confidence}")
    return {
        "turns": turns,
        "by_people": people,
        "loud": loud,
        "rate": loud / turns if turns else None,
        "ended_at_triage": 1 - passed / turns if turns else None,
        "ended_at_triage_with_a_model": 1 - passed_for_model / turns if turns else None,
        "findings": sum(kinds.values()),
        "kinds": dict(kinds.most_common()),
        "keys": dict(keys.most_common()),
        "microseconds_p50": {name: round(1e6 * statistics.median(values)) for name, values in times.items() if values},
    }


def table(name: str, row: dict) -> str:
    listed = {what: ", ".join(f"{key} {number}" for key, number in row[what].items()) for what in ("kinds", "keys")}
    micros = ", ".join(f"{step} {value} µs" for step, value in row["microseconds_p50"].items())
    return "\n".join(
        [
            name,
            f"  {row['turns']:,} turns, {row['by_people']:,} by people; {row['loud']:,} say something "
            f"({row['rate']:.1%}; a support conversation may reach {MOST:.0%}), {row['findings']:,} findings",
            f"  by kind: {listed['kinds'] or 'none'}",
            f"  by key: {listed['keys'] or 'none'}",
            f"  set aside at first sight: {row['ended_at_triage']:.1%}, for a model {row['ended_at_triage_with_a_model']:.1%}",
            f"  p50 a turn: {micros}",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
