"""What a text plainly says about its author, about how to be answered, or about what the agent got wrong.

English only; other languages give nothing. The patterns stand in `patterns`, `directives` and `corrections`.
"""

from digitalworker.agents.choices import EventKind
from learning.choices import MemoryScope

from .author import about_author
from .clauses import sentences
from .corrections import corrections
from .directives import directives
from .found import Found


def extract(text: str, kind: str = EventKind.MESSAGE) -> list[Found]:
    """At most a few things, each with its own key or words. Two values for one key cancel each other out."""
    found: list[Found] = []
    corrects = kind in {EventKind.CORRECTION, EventKind.DRAFT_EDIT}
    # A draft is addressed to somebody else: its "I" is the agent, so only an explicit correction counts.
    speaks_for_self = kind != EventKind.DRAFT_EDIT
    for sentence in sentences(text):
        hits = list(about_author(sentence)) if speaks_for_self else []
        hits = hits or list(directives(sentence, MemoryScope.ROLE_AGENT if corrects else MemoryScope.PERSON, kind))
        if corrects and not hits:
            hits = list(corrections(sentence, marked=kind == EventKind.CORRECTION))
        found += hits
    return _agreeing(found)


def _agreeing(found: list[Found]) -> list[Found]:
    values: dict[tuple, set[str]] = {}
    for one in found:
        if one.key:
            values.setdefault((one.scope, one.key), set()).add(one.content.casefold())
    kept: dict[tuple, Found] = {}
    for one in found:
        if one.key and len(values[one.scope, one.key]) > 1:
            continue
        kept.setdefault((one.scope, one.key, one.content.casefold()), one)
    return list(kept.values())
