"""How much of what must not be learned unseen the screening finds, how often it is wrong, and how long it takes.

    python -m benchmarks.screening --data FOLDER [--json] [--names]

FOLDER holds, as JSON Lines with `id` and `text`: `injection_attacks.jsonl`, `injection_benign.jsonl` (both also with
`category`), `pii_sentences.jsonl` (with `label`, the types it holds). None of it is part of this repository, and no text of
it is printed.

Attacks and benign texts are halved by a hash of their id. Rules may be tuned on one half, `tuned`, and are only measured on
the other, `held out`, which is the figure to believe. *Found* means at least one finding of any severity; *found or refused*
also counts texts that are not stored anyway, because they hold a secret. No model is loaded and no database is used, so the
times are the rules' own.
"""

import argparse
import json
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from learning.screening import find_secrets
from learning.screening.injection import Finding, find_injections
from learning.screening.pii import find_pii, names_available

FILES = ("injection_attacks.jsonl", "injection_benign.jsonl", "pii_sentences.jsonl")
TARGETS = {"recall": 0.92, "false_positives": 0.03, "p95_ms": 20.0}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.screening", description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="where the files named in the documentation lie")
    parser.add_argument(
        "--names", action="store_true", help="look for names too, where the language model is installed"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args(arguments)
    missing = [name for name in FILES if not (options.data / name).is_file()]
    if missing:
        print(f"{', '.join(missing)} not found, so there is nothing to measure screening on.", file=sys.stderr)
        return 2
    attacks, benign, sentences = (read(options.data / name) for name in FILES)
    report = {
        "injection": injection(attacks, benign),
        "pii": pii(sentences, with_names=options.names and names_available()),
        "targets": TARGETS,
    }
    print(json.dumps(report, indent=2) if options.json else table(report))
    return 0


def read(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def half(row: dict) -> str:
    return "held out" if sha256(row["id"].encode()).digest()[0] % 2 else "tuned"


def source(row: dict) -> str:
    return row["id"].partition(":")[0]


def share(values: Iterable[bool]) -> float | None:
    values = list(values)
    return sum(values) / len(values) if values else None


def timed(call: Callable, texts: list[str]) -> tuple[list, dict]:
    """What `call` returns for each text, and milliseconds a text, after one warm call."""
    call("warm")
    results, times = [], []
    for text in texts:
        start = time.perf_counter()
        results.append(call(text))
        times.append(1000 * (time.perf_counter() - start))
    return results, {"p50_ms": statistics.median(times), "p95_ms": statistics.quantiles(times, n=20)[-1]}


def injection(attacks: list[dict], benign: list[dict]) -> dict:
    findings, times = timed(find_injections, [row["text"] for row in attacks + benign])
    found = dict(zip((row["id"] for row in attacks + benign), findings, strict=True))
    secret = {row["id"]: bool(find_secrets(row["text"])) for row in attacks + benign}
    result: dict = {"times": times, "halves": {}, "sources": {}, "categories": {}, "rules": {}}
    for name in ("tuned", "held out", "both"):
        result["halves"][name] = {
            "attacks": measured([row for row in attacks if name in (half(row), "both")], found, secret),
            "benign": measured([row for row in benign if name in (half(row), "both")], found, secret),
        }
    for kind, rows in (("attacks", attacks), ("benign", benign)):
        by_source, by_category = defaultdict(list), defaultdict(list)
        for row in rows:
            by_source[source(row)].append(row)
            by_category[row["category"]].append(row)
        result["sources"][kind] = {name: measured(some, found, secret) for name, some in sorted(by_source.items())}
        result["categories"][kind] = {name: measured(some, found, secret) for name, some in sorted(by_category.items())}
        rules = Counter(rule for row in rows for rule in {finding.rule for finding in found[row["id"]]})
        result["rules"][kind] = dict(rules.most_common())
    return result


def measured(rows: list[dict], found: dict[str, list[Finding]], secret: dict[str, bool]) -> dict:
    """The share of the rows with a finding: of any severity, by the gravest, and with what is refused as a secret."""
    gravest = [{finding.severity for finding in found[row["id"]]} for row in rows]
    return {
        "texts": len(rows),
        "found": share(bool(some) for some in gravest),
        "high": share("high" in some for some in gravest),
        "medium": share("medium" in some and "high" not in some for some in gravest),
        "low": share(some == {"low"} for some in gravest),
        "found_or_refused": share(bool(found[row["id"]]) or secret[row["id"]] for row in rows),
    }


def pii(rows: list[dict], *, with_names: bool) -> dict:
    found, times = timed(lambda text: find_pii(text, with_names=with_names), [row["text"] for row in rows])
    wanted: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    for row, types in zip(rows, found, strict=True):
        wanted.update(row["label"])
        hit.update(set(row["label"]) & set(types))
        extra.update(set(types) - set(row["label"]))
    looked_for = {kind for types in found for kind in types}
    return {
        "times": times,
        "names": with_names,
        "recall": {
            kind: {"texts": n, "found": hit[kind] / n} for kind, n in wanted.most_common() if kind in looked_for
        },
        "not_looked_for": sorted(kind for kind in wanted if kind not in looked_for),
        "in_texts_without_it": dict(extra.most_common()),
    }


def table(report: dict) -> str:
    lines = ["Injection          texts   found    high  medium     low   found or refused"]
    halves = report["injection"]["halves"]
    for name, kinds in halves.items():
        lines += [line(f"{kind}, {name}", row) for kind, row in kinds.items()]
    for grouping in ("sources", "categories"):
        for kind, rows in report["injection"][grouping].items():
            lines += ["", f"{kind.capitalize()} by {grouping[:-1] if grouping == 'sources' else 'category'}"]
            lines += [line(name, row) for name, row in rows.items()]
    times = report["injection"]["times"]
    lines += ["", f"p50 {times['p50_ms']:.2f} ms, p95 {times['p95_ms']:.2f} ms a text", ""]
    found = report["pii"]
    lines.append(f"Personal data, {'with names' if found['names'] else 'patterns only'}")
    lines += [f"  {kind:24} {row['texts']:5} {row['found']:7.1%}" for kind, row in found["recall"].items()]
    lines.append("  not looked for: " + ", ".join(found["not_looked_for"]))
    lines.append(
        "  in texts not labelled so: " + ", ".join(f"{k} {n}" for k, n in found["in_texts_without_it"].items())
    )
    lines.append(f"  p50 {found['times']['p50_ms']:.2f} ms, p95 {found['times']['p95_ms']:.2f} ms a text")
    both = halves["both"]
    lines += [
        "",
        f"Targets: recall >= {TARGETS['recall']:.0%} (held out {halves['held out']['attacks']['found']:.1%}, "
        f"both {both['attacks']['found']:.1%}), false positives <= {TARGETS['false_positives']:.0%} "
        f"(held out {halves['held out']['benign']['found']:.1%}, both {both['benign']['found']:.1%}), "
        f"p95 < {TARGETS['p95_ms']:.0f} ms",
    ]
    return "\n".join(lines)


def line(name: str, row: dict) -> str:
    shares = [row["found"], row["high"], row["medium"], row["low"]]
    return (
        f"  {name[:40]:40} {row['texts']:5} "
        + " ".join(f"{value:7.1%}" for value in shares)
        + (f" {row['found_or_refused']:7.1%}")
    )


if __name__ == "__main__":
    sys.exit(main())
