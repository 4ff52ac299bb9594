"""Nothing is stored as known or proposed that was not screened: every action that can write a memory or an item is walked,
call by call, and must come by `screen`. One that writes no words says so here, and why."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.processes import ROOT

ACTIONS = ROOT / "learning" / "actions"
MODELS = {"Memory", "LearningItem", "ItemFile"}
WRITES = {"create", "bulk_create", "bulk_update", "update", "get_or_create", "update_or_create"}

# Actions that write rows and no words of anybody: states, dates, pointers and signatures.
NO_WORDS = {
    "remember.delete_memory": "takes a memory out of every prompt; the words stay as they are",
    "remember.mark_kept": "signs what is known",
    "remember.mark_superseded": "points to the newer row",
    "_withdraw.withdraw": "gives the place back to words that `screen_replaced` has seen",
    "autosave.keep_autosave": "signs what is known",
    "pin.pin_memory": "sets the order",
    "pin.unpin_memory": "sets the order",
    "review.reject": "a state and a reason, which `refuse_secrets` has seen",
    "reassign.reassign": "whose turn it is",
    "reassign.unassign_who_may_not": "whose turn it is",
    "sensitivity.guard": "who may read it",
    "sensitivity.mark_sensitive": "who may read it",
    "sensitivity.unmark_sensitive": "who may read it",
    "sensitivity.unmark_memory": "who may read it",
    "look_through.look_through": "the kinds of personal data, and who may read it",
    "_item.save_pending": "saves what its caller has screened",
    "_same.add_evidence": "counts, and where it was said",
    "_same.pending_with_evidence": "counts, and where it was said",
    "_let_in.let_in": "as `remember.write`",
    "remember.hold": "as `remember.write`",
    "remember.write": "what its callers have screened; `test_whoever_calls_the_writers_has_screened` looks at them",
}
# These write what they are given: whoever calls them must have screened it.
WRITERS = {"remember.write", "remember.hold", "_let_in.let_in", "_item.save_pending"}


class _Function:
    def __init__(self, name: str, node: ast.AST, imports: dict[str, str]):
        self.name = name
        self.calls: set[str] = set()
        self.writes = False
        module = name.partition(".")[0]
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                self.calls.add(imports.get(child.id, f"{module}.{child.id}"))
            if isinstance(child, ast.Call):
                self.writes |= _is_write(child)


def _is_write(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in MODELS
    if not isinstance(function, ast.Attribute):
        return False
    source = ast.unparse(function.value)
    if function.attr in {"save", "save_each"}:
        return source == "history"
    about_them = any(f"{model}." in source for model in MODELS) or source == "same" or "_default_manager" in source
    return function.attr in WRITES and about_them


@cache
def functions() -> dict[str, _Function]:
    found = {}
    for path in sorted(ACTIONS.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = {
            alias.asname or alias.name: f"{node.module.rpartition('.')[2]}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module and (node.level or "learning.actions" in node.module)
            for alias in node.names
        }
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                name = f"{path.stem}.{node.name}"
                found[name] = _Function(name, node, imports)
    return found


def reached(name: str) -> set[str]:
    seen, waiting = set(), [name]
    while waiting:
        here = waiting.pop()
        if here not in seen and here in functions():
            seen.add(here)
            waiting += functions()[here].calls
    return seen


def writing() -> list[str]:
    """Every action that may end in a written memory or item, by itself or through what it calls."""
    public = [name for name in functions() if not name.partition(".")[2].startswith("_")]
    return [name for name in public if any(functions()[each].writes for each in reached(name))]


def screens(name: str) -> bool:
    return "_screening.screen" in reached(name)


@pytest.mark.parametrize("name", writing())
def test_every_action_that_writes_words_screens_them(name):
    assert screens(name) or name in NO_WORDS, f"{name} writes memories or items and never calls screen()."


def test_whoever_calls_the_writers_has_screened():
    callers = [name for name, each in functions().items() if each.calls & WRITERS and name not in WRITERS]
    entries = [name for name in writing() if reached(name) & set(callers)]
    assert entries
    assert [name for name in entries if not screens(name) and name not in NO_WORDS] == []


def test_no_excuse_outlives_what_it_excuses():
    assert [name for name in NO_WORDS if name not in writing()] == []
    assert [name for name in NO_WORDS if screens(name)] == []


def test_nobody_else_writes_memories_or_items():
    others = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for folder in ("digitalworker", "learning", "skills", "souls")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if ACTIONS not in path.parents and "migrations" not in path.parts
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and _is_model_write(call) and not _counts_or_dates(call, path)
    ]
    assert others == []


def _is_model_write(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id in MODELS
    if isinstance(call.func, ast.Attribute) and call.func.attr in WRITES:
        return any(ast.unparse(call.func.value).startswith(f"{model}.") for model in MODELS)
    return False


def _counts_or_dates(call: ast.Call, path: Path) -> bool:
    """An answer counts what it used; the demo sets dates back, so that its stories have a past."""
    demo = {"created_at", "decided_at", "deleted_at", None} if "demo" in path.parts else set()
    return {keyword.arg for keyword in call.keywords} <= {"use_count", "last_used_at"} | demo
