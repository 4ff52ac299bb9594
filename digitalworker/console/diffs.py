"""Differences between two texts as lists of (op, text), where op is "equal", "insert", "delete" or "skip"."""

import re
from difflib import SequenceMatcher

Ops = list[tuple[str, str]]

# Comparing is quadratic in the worst case. Past this many pieces a text is shown as replaced instead of compared.
MAX_PIECES = 6000
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def word_ops(old: str, new: str) -> Ops:
    """For prose. Joining equal and delete gives `old`, joining equal and insert gives `new`."""
    return _merged(_compare(_WORDS.findall(old), _WORDS.findall(new)))


def line_ops(old: str, new: str, context: int | None = None) -> Ops:
    """For documents, one op a line and without line ends.

    With `context`, longer unchanged stretches shrink to that many lines around each change and one ("skip", count).
    """
    ops = _compare(old.splitlines(), new.splitlines())
    return ops if context is None else _folded(ops, context)


def _compare(old: list[str], new: list[str]) -> Ops:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    ops: Ops = [("equal", piece) for piece in old[:start]]
    if len(middle_old) + len(middle_new) > MAX_PIECES:
        ops += [("delete", piece) for piece in middle_old] + [("insert", piece) for piece in middle_new]
    else:
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                ops += [("equal", piece) for piece in middle_old[i1:i2]]
            else:
                ops += [("delete", piece) for piece in middle_old[i1:i2]]
                ops += [("insert", piece) for piece in middle_new[j1:j2]]
    return ops + [("equal", piece) for piece in old[len(old) - end :]]


def _merged(ops: Ops) -> Ops:
    """Joins neighbours, and a space between two changed words to the change, so that phrases read as phrases."""
    runs: list[list[str]] = []  # [unchanged] and [deleted, inserted], in turn
    for op, text in ops:
        if op == "equal":
            if not runs or len(runs[-1]) == 2:
                runs.append([""])
            runs[-1][0] += text
        else:
            if not runs or len(runs[-1]) == 1:
                runs.append(["", ""])
            runs[-1][op == "insert"] += text
    joined: list[list[str]] = []
    for index, run in enumerate(runs):
        inside = 0 < index < len(runs) - 1
        if len(run) == 1 and inside and run[0].isspace() and "\n" not in run[0]:
            run = [run[0], run[0]]
        if joined and len(run) == 2 and len(joined[-1]) == 2:
            joined[-1] = [joined[-1][0] + run[0], joined[-1][1] + run[1]]
        else:
            joined.append(run)
    merged: Ops = []
    for run in joined:
        merged += [("equal", run[0])] if len(run) == 1 else [("delete", run[0]), ("insert", run[1])]
    return [(op, text) for op, text in merged if text]


def _folded(ops: Ops, context: int) -> Ops:
    changed = [index for index, (op, _) in enumerate(ops) if op != "equal"]
    keep = {near for index in changed for near in range(index - context, index + context + 1)}
    folded: Ops = []
    skipped: Ops = []

    def flush() -> None:
        # One hidden line costs as much room as the note that hides it.
        folded.extend(skipped if len(skipped) < 2 else [("skip", str(len(skipped)))])
        skipped.clear()

    for index, op in enumerate(ops):
        if index in keep:
            flush()
            folded.append(op)
        else:
            skipped.append(op)
    flush()
    return folded
