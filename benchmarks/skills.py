"""Whether the right skill is loaded for a question, and none where none is needed, and how long the choice takes.

    python -m benchmarks.skills --data FOLDER [--json] [--mistakes]

FOLDER holds `skills_wild.jsonl`, public Agent Skills as JSON Lines with `id` and `text`. It is no part of this repository, and
of its texts only names are printed. All whose name and description can be read are one catalogue; of several of one name the
first counts. `benchmarks/skill_questions.toml` holds our own questions of an ordinary day: those that fit name the skills that
are right, the others need none. The weights of `skills/selection.py` were fitted on one half of them, by a hash of the text
(`seen`); of the other (`apart`) only the shares were looked at.

*Right* means that a right skill is loaded; *wrong*, that one is loaded that is not right, beside it or in its place. Small
catalogues are drawn ten times: a question that fits asks a catalogue that holds its skill, one that fits none asks any. The
times are the choice's own, without embedding the question; no database is used.
"""

import argparse
import json
import random
import statistics
import sys
import time
import tomllib
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from digitalworker.common.embedding import BundledEngine
from skills.document import parse
from skills.everyday import QUESTIONS
from skills.selection import Catalogue, Choice, Entry, passage_text

OWN = Path(__file__).with_name("skill_questions.toml")
FILE = "skills_wild.jsonl"
TARGETS = {"right": 0.85, "wrong": 0.05, "p95_ms": 15.0}
DRAWS = 10


@dataclass(frozen=True, slots=True)
class Question:
    """`right`: the names of the skills that are; empty where none is needed."""

    text: str
    language: str
    right: frozenset[str]
    half: str
    vector: list[float] | None = None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.skills", description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True, help=f"the folder that holds {FILE}")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--mistakes", action="store_true", help="print the mistakes on the half that was seen")
    options = parser.parse_args(arguments)
    if not (options.data / FILE).is_file():
        print(f"{FILE} not found in {options.data}.", file=sys.stderr)
        return 2
    entries, everyday, asked = embedded(entries_of(options.data / FILE), questions())
    report = measured(entries, everyday, asked)
    print(json.dumps(report, indent=2) if options.json else table(report))
    if options.mistakes:
        print("\n".join(mistakes(Catalogue(entries, everyday), [one for one in asked if one.half == "seen"])))
    return 0


def entries_of(path: Path) -> list[Entry]:
    """One for each name."""
    found: dict[str, Entry] = {}
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            document = parse(row["text"])
            if document.name and document.description:
                when = document.sections.get("when_to_use", "")
                found.setdefault(document.name, Entry(row["id"], document.name, document.description, when))
    return list(found.values())


def questions() -> list[Question]:
    sets = tomllib.loads(OWN.read_text(encoding="utf-8"))
    fit = [(text, language, right) for language, texts in sets["fit"].items() for text, right in texts.items()]
    none = [(text, language, []) for language, texts in sets["none"].items() for text in texts]
    return [Question(text, language, frozenset(right), half(text)) for text, language, right in fit + none]


def half(text: str) -> str:
    return "apart" if sha256(text.encode()).digest()[0] % 2 else "seen"


def embedded(entries: list[Entry], asked: list[Question]) -> tuple[list[Entry], list[list[float]], list[Question]]:
    """With the vectors of the bundled engine."""
    engine = BundledEngine()
    passages = engine.embed_passages([passage_text(entry.name, entry.description) for entry in entries])
    return (
        [replace(entry, vector=vector) for entry, vector in zip(entries, passages, strict=True)],
        [engine.embed_query(question) for question in QUESTIONS],
        [replace(one, vector=engine.embed_query(one.text)) for one in asked],
    )


def measured(entries: list[Entry], everyday: list, asked: list[Question]) -> dict:
    known = {entry.name for entry in entries}
    if missing := {name for one in asked for name in one.right} - known:
        raise SystemExit(f"Questions ask for skills that are not there: {', '.join(sorted(missing))}.")
    whole = Catalogue(entries, everyday)
    english = [one for one in asked if one.language == "en"]
    report: dict = {"skills": len(entries), "questions": len(asked), "targets": TARGETS, "rows": {}}
    rows = report["rows"]
    rows["English"] = shares([(one, ask(whole, one)) for one in english])
    for name in ("seen", "apart"):
        rows[f"English, {name}"] = shares([(one, ask(whole, one)) for one in english if one.half == name])
    for language in ("de", "fr", "es"):
        rows[language] = shares([(one, ask(whole, one)) for one in asked if one.language == language])
    for name in ("seen", "apart"):
        rows[f"all languages, {name}"] = shares([(one, ask(whole, one)) for one in asked if one.half == name])
    rows["at most one skill"] = shares([(one, ask(whole, one, at_most=1)) for one in english])
    bare = [replace(one, vector=None) for one in english]
    rows["words alone"] = shares([(one, ask(whole, one)) for one in bare])
    for name in ("seen", "apart"):
        rows[f"words alone, {name}"] = shares([(one, ask(whole, one)) for one in bare if one.half == name])
    for size in (10, 3, 1):
        rows[f"of {size}"] = shares(drawn(entries, everyday, english, size))
        rows[f"of {size}, words alone"] = shares(drawn(entries, everyday, bare, size))
    report["times"] = timed(whole, asked)
    return report


def ask(catalogue: Catalogue, one: Question, at_most: int = 2) -> Choice:
    return catalogue.choose(one.text, one.vector, at_most=at_most)


def drawn(entries: list[Entry], everyday: list, asked: list[Question], size: int) -> list[tuple[Question, Choice]]:
    pairs = []
    chance = random.Random(size)
    for one in asked:
        for _ in range(DRAWS):
            right = [entry for entry in entries if entry.name in one.right]
            some = right[:1] + chance.sample([entry for entry in entries if entry not in right], size - len(right[:1]))
            pairs.append((one, ask(Catalogue(some, everyday), one)))
    return pairs


def shares(pairs: list[tuple[Question, Choice]]) -> dict:
    fit = [(one.right, {each.name for each in choice.chosen}) for one, choice in pairs if one.right]
    none = [bool(choice.chosen) for one, choice in pairs if not one.right]
    return {
        "fit": len(fit),
        "right": statistics.mean(bool(right & chosen) for right, chosen in fit),
        "wrong_beside": statistics.mean(bool(chosen - right) for right, chosen in fit),
        "none": len(none),
        "wrong": statistics.mean(none),
    }


def timed(catalogue: Catalogue, asked: list[Question], rounds: int = 20) -> dict:
    """Milliseconds a choice, by the clock."""
    times = []
    for one in asked * rounds:
        start = time.perf_counter()
        ask(catalogue, one)
        times.append(1000 * (time.perf_counter() - start))
    return {"p50_ms": statistics.median(times), "p95_ms": statistics.quantiles(times, n=20)[-1]}


def mistakes(catalogue: Catalogue, asked: list[Question]) -> list[str]:
    lines = []
    for one in asked:
        choice = ask(catalogue, one)
        if {each.name for each in choice.chosen} != one.right & {each.name for each in choice.chosen} or (
            one.right and not choice.chosen
        ):
            best = "; ".join(f"{each.name} {each.score:.2f}" for each in (*choice.chosen, *choice.considered)[:2])
            lines.append(f"  {one.text} -> {len(choice.chosen)} of: {best}")
    return lines


def table(report: dict) -> str:
    lines = [f"{report['skills']} skills, {report['questions']} questions", ""]
    lines.append(f"{'':28}  fit   right  wrong | none   wrong")
    lines += [
        f"{name:28} {row['fit']:4} {row['right']:7.1%} {row['wrong_beside']:6.1%} | {row['none']:4} {row['wrong']:7.1%}"
        for name, row in report["rows"].items()
    ]
    late = report["times"]["p95_ms"]
    lines += [
        "",
        f"p50 {report['times']['p50_ms']:.2f} ms, p95 {late:.2f} ms a choice (at most {TARGETS['p95_ms']:.0f})",
    ]
    for name in ("English", "English, apart"):
        row = report["rows"][name]
        met = row["right"] >= TARGETS["right"] and row["wrong"] <= TARGETS["wrong"] and late <= TARGETS["p95_ms"]
        lines.append(
            f"targets {'met' if met else 'NOT met'}, {name}: right {row['right']:.1%} (at least {TARGETS['right']:.0%}), wrong "
            f"where none is needed {row['wrong']:.1%} (at most {TARGETS['wrong']:.0%})"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
