"""How well secrets, personal data and delicate matters are found, how often wrongly, and how long it takes.

    python -m benchmarks.pii --data FOLDER [--json]

FOLDER holds, as JSON Lines with `text`: `support_turns.jsonl`, `injection_benign.jsonl`, `locomo_turns.jsonl`,
`not_memory_commands.jsonl` (ordinary words, in which nothing should be found) and `pii_sentences.jsonl` (with `label`, the types
it holds). None of it is part of this repository, and no text of it is printed. Secrets that must be found are put together
here, by form and value; so are telephone numbers of thirty countries and cards of the networks, beside numbers of orders.

Times are of the processor, so that others who use the machine do not count.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from digitalworker.common.secrets import find_secrets, redact
from learning.screening.personal import kinds_of
from learning.screening.pii import find_pii
from learning.screening.sensitive import find_sensitive
from tests.learning.told import TALK, told

ORDINARY = ("support_turns.jsonl", "injection_benign.jsonl", "locomo_turns.jsonl", "not_memory_commands.jsonl")
FORMS = {
    "phone": (
        "my phone is {}",
        "Phone: {}",
        "You can call me at {}",
        "her number is {}",
        "mi móvil es {}",
        "{} (mobile)",
    )
}
FORMS["card"] = ("my card {} is blocked", "card number: {}", "Charge {} please", "The credit card is {}.")
FORMS["order"] = ("order {} has shipped", "invoice #{}", "tracking number {}", "item ID: {}", "ticket {} is closed")
NETWORKS = (
    ("4", 16),
    ("4", 13),
    ("51", 16),
    ("2221", 16),
    ("34", 15),
    ("36", 14),
    ("3528", 16),
    ("6011", 16),
    ("6759", 16),
)
COUNTRIES = "US GB DE FR ES IT NL AT CH PL SE CA DK NO FI PT BE IE CZ GR AU NZ JP IN BR MX ZA TR RO HU".split()  # noqa: SIM905


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pii", description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="where the files named in the documentation lie")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    options = parser.parse_args(arguments)
    missing = [name for name in (*ORDINARY, "pii_sentences.jsonl") if not (options.data / name).is_file()]
    if missing:
        print(f"{', '.join(missing)} not found, so there is nothing to measure.", file=sys.stderr)
        return 2
    ordinary = {name: [row["text"] for row in read(options.data / name)] for name in ORDINARY}
    report = {
        "secrets": secrets(ordinary),
        "pii": pii(read(options.data / "pii_sentences.jsonl")),
        "numbers": numbers(),
        "sensitive": sensitive(ordinary),
    }
    print(json.dumps(report, indent=2) if options.json else "\n".join(lines(report)))
    return 0


def read(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def timed(call: Callable, texts: list[str]) -> tuple[list, dict]:
    call("warm")
    results, times = [], []
    for text in texts:
        start = time.process_time()
        results.append(call(text))
        times.append(1000 * (time.process_time() - start))
    return results, {"p50_ms": statistics.median(times), "p95_ms": statistics.quantiles(times, n=20)[-1]}


def secrets(ordinary: dict[str, list[str]]) -> dict:
    sentences = told()
    missed = Counter(
        kind for kind, value, text in sentences if kind not in find_secrets(text) or value in redact(text).text
    )
    wanted = Counter(kind for kind, _, _ in sentences)
    taken = {name: sum(bool(find_secrets(text)) for text in texts) for name, texts in ordinary.items()}
    _, times = timed(find_secrets, [text for texts in ordinary.values() for text in texts])
    return {
        "found": {kind: {"texts": n, "found": 1 - missed[kind] / n} for kind, n in wanted.items()},
        "talk": {"texts": len(TALK), "taken": sum(bool(find_secrets(text)) for text in TALK)},
        "ordinary": {name: {"texts": len(texts), "taken": taken[name]} for name, texts in ordinary.items()},
        "times": times,
    }


def pii(rows: list[dict]) -> dict:
    """By type, what waits for nobody (`by form`) and what a worker finds (`by a worker`)."""
    texts = [row["text"] for row in rows]
    result: dict = {}
    for name, finder in (("by form", kinds_of), ("by a worker", find_pii)):
        found, times = timed(finder, texts)
        wanted = Counter(kind for row in rows for kind in row["label"])
        hit = Counter(kind for row, kinds in zip(rows, found, strict=True) for kind in set(row["label"]) & set(kinds))
        extra = Counter(kind for row, kinds in zip(rows, found, strict=True) for kind in set(kinds) - set(row["label"]))
        looked_for = {kind for kinds in found for kind in kinds}
        result[name] = {
            "recall": {kind: {"texts": n, "found": hit[kind] / n} for kind, n in wanted.items() if kind in looked_for},
            "not_looked_for": sorted(set(wanted) - looked_for),
            "in_texts_without_it": dict(extra),
            "times": times,
        }
    return result


def numbers() -> dict:
    """Telephone numbers and cards that were never seen before, and numbers that are neither."""
    made = {"phone": _phones(), "card": _cards(), "order": _orders()}
    kind = {"phone": "PHONE_NUMBER", "card": "CREDIT_CARD"}
    result = {
        name: sum(kind[name] in kinds_of(text) for text in texts) / len(texts)
        for name, texts in made.items()
        if name in kind
    }
    wrong = sum(bool(set(kinds_of(text)) & set(kind.values())) for text in made["order"])
    return result | {"order_taken_for_one": wrong / len(made["order"])}


def _phones() -> list[str]:
    import phonenumbers

    formats = (phonenumbers.PhoneNumberFormat.NATIONAL, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    kinds = (phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE)
    examples = [phonenumbers.example_number_for_type(country, kind) for country in COUNTRIES for kind in kinds]
    written = [phonenumbers.format_number(one, form) for one in examples if one for form in formats]
    return [form.format(number) for number in written for form in FORMS["phone"]]


def _cards() -> list[str]:
    chance = random.Random(7)
    texts = []
    for beginning, length in NETWORKS * 20:
        digits = beginning + "".join(chance.choices("0123456789", k=length - len(beginning) - 1))
        doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits))]
        digits += str(-sum(one - 9 if one > 9 else one for one in doubled) % 10)
        groups = [digits[place : place + 4] for place in range(0, length, 4)]
        texts.append(chance.choice(FORMS["card"]).format(chance.choice(["", " ", "-"]).join(groups)))
    return texts


def _orders() -> list[str]:
    chance = random.Random(7)
    return [
        chance.choice(FORMS["order"]).format(
            "".join(chance.choices("0123456789", k=chance.choice((8, 9, 10, 12, 13, 16))))
        )
        for _ in range(500)
    ]


def sensitive(ordinary: dict[str, list[str]]) -> dict:
    rules = {
        name: dict(Counter(rule for text in texts for rule in {finding.rule for finding in find_sensitive(text)}))
        for name, texts in ordinary.items()
    }
    _, times = timed(find_sensitive, [text for texts in ordinary.values() for text in texts])
    return {"found": {name: {"texts": len(ordinary[name]), **found} for name, found in rules.items()}, "times": times}


def lines(report: dict) -> list[str]:
    def took(times: dict) -> str:
        return f"  p50 {times['p50_ms']:.2f} ms, p95 {times['p95_ms']:.2f} ms a text"

    found = report["secrets"]
    out = ["Secrets"]
    out += [f"  {kind:24} {row['texts']:5} {row['found']:7.1%}" for kind, row in found["found"].items()]
    out.append(f"  {'talk taken for one':24} {found['talk']['texts']:5} {found['talk']['taken']:5}")
    out += [f"  {name:24} {row['texts']:5} {row['taken']:5}" for name, row in found["ordinary"].items()]
    out.append(took(found["times"]))
    for name, row in report["pii"].items():
        out += ["", f"Personal data, {name}"]
        out += [f"  {kind:24} {one['texts']:5} {one['found']:7.1%}" for kind, one in row["recall"].items()]
        out.append("  not looked for: " + ", ".join(row["not_looked_for"]))
        out.append(
            "  in texts not labelled so: " + ", ".join(f"{kind} {n}" for kind, n in row["in_texts_without_it"].items())
        )
        out.append(took(row["times"]))
    out += ["", "Numbers made here"]
    out += [f"  {name.replace('_', ' '):24} {share:13.1%}" for name, share in report["numbers"].items()]
    out += ["", "Somebody else's data and delicate matters, in ordinary words"]
    for name, row in report["sensitive"]["found"].items():
        rules = ", ".join(f"{rule} {n}" for rule, n in row.items() if rule != "texts") or "nothing"
        out.append(f"  {name:24} {row['texts']:5}  {rules}")
    return [*out, took(report["sensitive"]["times"])]


if __name__ == "__main__":
    sys.exit(main())
