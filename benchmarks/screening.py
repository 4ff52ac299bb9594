"""How many attempts to steer an agent the screening finds, how often it is wrong, and how long it takes.

    python -m benchmarks.screening [--data FOLDER] [--json]

Two sets are measured:

* `own`: the texts in `benchmarks/injection/`, written for this repository in four languages before most of the rules, by the
  same hand. Mistakes on one half of them, by a hash of the text, were looked at while rules were written (`seen`); of the
  other (`apart`) only the shares were.
* `data`: FOLDER holds, as JSON Lines with `id`, `text` and `category`, `injection_attacks.jsonl` and
  `injection_benign.jsonl`, and may hold `support_turns.jsonl`, `locomo_turns.jsonl` and `not_memory_commands.jsonl`, ordinary
  words in which nothing should be found. None of it is part of this repository, and no text of it is printed.

*Found* means a finding of any severity: the text waits for an admin, or is refused. *Refused* means a grave one. Of benign texts
both are mistakes. No model is loaded and no database is used, so the times are the rules' own. `docs/screening.md` says what the
figures are worth; personal data and secrets are measured by `benchmarks.pii`.
"""

import argparse
import json
import statistics
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from learning.screening.injection import Finding, find_injections

OWN = Path(__file__).with_name("injection")
FILES = ("injection_attacks.jsonl", "injection_benign.jsonl")
ORDINARY = ("support_turns.jsonl", "locomo_turns.jsonl", "not_memory_commands.jsonl")
TARGETS = {"recall": 0.92, "false_positives": 0.03, "p95_ms": 20.0}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.screening", description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, help="where the files named in the documentation lie")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args(arguments)
    report: dict = {"targets": TARGETS, "own": own()}
    if options.data:
        missing = [name for name in FILES if not (options.data / name).is_file()]
        if missing:
            print(f"{', '.join(missing)} not found in {options.data}.", file=sys.stderr)
            return 2
        report["data"] = data(options.data)
        report["ordinary"] = {
            name: ordinary(options.data / name) for name in ORDINARY if (options.data / name).is_file()
        }
    print(json.dumps(report, indent=2) if options.json else table(report))
    return 0


def own_texts() -> list[dict]:
    """Those of this repository: `text`, `attack`, `family`, `language`, `half` ("seen" or "apart")."""
    return [
        {"text": text, "attack": kind == "attacks", "family": family, "language": language, "half": half(text)}
        for kind in ("attacks", "benign")
        for family, languages in tomllib.loads((OWN / f"{kind}.toml").read_text(encoding="utf-8")).items()
        for language, texts in languages.items()
        for text in texts
    ]


def half(text: str) -> str:
    return "apart" if sha256(text.encode()).digest()[0] % 2 else "seen"


def own() -> dict:
    return measured(own_texts(), ("half", "language", "family"))


def data(folder: Path) -> dict:
    rows = [
        {"text": row["text"], "attack": kind == 0, "category": row["category"], "source": row["id"].partition(":")[0]}
        for kind, name in enumerate(FILES)
        for row in read(folder / name)
    ]
    return measured(rows, ("source", "category"))


def ordinary(path: Path) -> dict:
    return measured([{"text": row["text"], "attack": False} for row in read(path) if row["text"]], ())["benign"]


def read(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def measured(rows: list[dict], groupings: Iterable[str]) -> dict:
    """Of `rows`, each with `text` and `attack`: shares found and refused, whole and grouped, rules, and times."""
    found, times = timed(find_injections, [row["text"] for row in rows])
    pairs = list(zip(rows, found, strict=True))
    report: dict = {"times": times}
    for kind in ("attacks", "benign"):
        some = [(row, findings) for row, findings in pairs if row["attack"] == (kind == "attacks")]
        if some:
            report[kind] = shares(findings for _, findings in some)
            report[f"{kind}_by"] = {name: grouped(some, name) for name in groupings}
            report[f"{kind}_rules"] = by_rule(findings for _, findings in some)
    return report


def grouped(pairs: list[tuple[dict, list[Finding]]], name: str) -> dict:
    groups = defaultdict(list)
    for row, findings in pairs:
        groups[row[name]].append(findings)
    return {group: shares(some) for group, some in sorted(groups.items())}


def shares(found: Iterable[list[Finding]]) -> dict:
    gravest = [{finding.severity for finding in findings} for findings in found]
    return {
        "texts": len(gravest),
        "found": sum(map(bool, gravest)) / len(gravest),
        "refused": sum("high" in severities for severities in gravest) / len(gravest),
    }


def by_rule(found: Iterable[list[Finding]]) -> dict:
    """In how many texts each family of rules found something, the commonest first."""
    families: dict[str, int] = defaultdict(int)
    for findings in found:
        for family in {finding.rule.partition(".")[0] for finding in findings}:
            families[family] += 1
    return dict(sorted(families.items(), key=lambda pair: (-pair[1], pair[0])))


def timed(call: Callable, texts: list[str]) -> tuple[list, dict]:
    """What `call` returns for each text, and milliseconds of the processor a text, after one warm call."""
    call("warm")
    results, times = [], []
    for text in texts:
        start = time.process_time()
        results.append(call(text))
        times.append(1000 * (time.process_time() - start))
    return results, {"p50_ms": statistics.median(times), "p95_ms": statistics.quantiles(times, n=20)[-1]}


def table(report: dict) -> str:
    lines = [f"{'':42} texts   found refused"]
    for name in ("own", "data"):
        if name in report:
            lines += _set(name, report[name])
    for name, row in report.get("ordinary", {}).items():
        lines.append(_line(f"ordinary, {name}", row))
    return "\n".join(lines)


def _set(name: str, one: dict) -> list[str]:
    lines = ["", name]
    for kind in ("attacks", "benign"):
        lines.append(_line(kind, one[kind]))
        for grouping, groups in one[f"{kind}_by"].items():
            lines += [_line(f"  {grouping} {group}", row) for group, row in groups.items()]
        rules = ", ".join(f"{family} {texts}" for family, texts in one[f"{kind}_rules"].items())
        lines.append(f"  texts with a finding of: {rules}")
    lines.append(f"  p50 {one['times']['p50_ms']:.2f} ms, p95 {one['times']['p95_ms']:.2f} ms a text")
    recall, wrong, late = one["attacks"]["found"], one["benign"]["found"], one["times"]["p95_ms"]
    met = recall >= TARGETS["recall"] and wrong <= TARGETS["false_positives"] and late < TARGETS["p95_ms"]
    lines.append(
        f"  targets {'met' if met else 'NOT met'}: recall {recall:.1%} (at least {TARGETS['recall']:.0%}), false positives "
        f"{wrong:.1%} (at most {TARGETS['false_positives']:.0%}), p95 {late:.1f} ms (below {TARGETS['p95_ms']:.0f})"
    )
    return lines


def _line(name: str, row: dict) -> str:
    return f"  {name[:40]:40} {row['texts']:5} {row['found']:7.1%} {row['refused']:7.1%}"


if __name__ == "__main__":
    sys.exit(main())
