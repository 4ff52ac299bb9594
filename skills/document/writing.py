"""Skills written as documents: new ones, and ours with their own fields where the public format has room for them."""

import json

import yaml

from digitalworker.common.errors import Invalid

from . import frontmatter
from .fields import OURS, OWN_KEYS
from .lines import Lines
from .reading import _FENCE, parse
from .sections import SECTIONS

_BOM = "\ufeff"


def compose(
    name: str,
    description: str,
    when_to_use: str,
    procedure: str,
    do_not_do: str,
    verification: str,
    *,
    scope: str = "role_agent",
    agent: str = "",
    risk: str = "medium",
) -> str:
    """A document of ours that reads back as exactly this. Raises Invalid, by field, for what would not."""
    head = {"name": name, "description": description.strip(), "scope": scope, "agent": agent, "risk": risk}
    if not agent:
        del head["agent"]
    given = {"when_to_use": when_to_use, "procedure": procedure, "do_not_do": do_not_do, "verification": verification}
    texts = {section: text.strip() for section, text in given.items()}
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000)
    body = "\n\n".join(f"## {SECTIONS[section]}\n\n{text}" for section, text in texts.items())
    source = f"---\n{front}---\n\n{body}\n"
    document = parse(source, strict=True)
    errors: dict[str, list[str]] = {}
    for section, text in texts.items():
        if not text:
            errors[section] = [f"{SECTIONS[section]}: Write at least a sentence."]
        elif document.sections.get(section) != text:
            errors[section] = [
                f"{SECTIONS[section]}: Use no headings above level 4, and close what is opened with ```."
            ]
    if not errors and document.errors:
        errors["document"] = [str(fault) for fault in document.errors]
    elif not errors and document.description != head["description"]:
        errors["description"] = ["description: Use spaces where there are unusual line ends."]
    if errors:
        raise Invalid(next(iter(errors.values()))[0], errors=errors)
    return source


def with_metadata(source: str, **ours: str) -> str:
    """`source` with `scope`, `agent` and `risk` under `metadata`, and every other character as it was.

    They are taken from the top level of the document, or from `ours`, which may name more keys: those go under `metadata` as
    they are. A document that has none of them comes back unchanged, and so does one without our four sections while `ours` is
    empty: what it calls `risk` is its author's word and not ours. Raises Invalid for a document that can not be read.
    """
    start = len(_BOM) if source.startswith(_BOM) else 0
    lines = Lines(source)
    document = parse(source)
    begin, end = lines.after(start), len(source) - len(document.body)
    end = lines.start(end - 1)
    if not document.is_valid or not _FENCE.fullmatch(source[start:begin].rstrip("\r\n")):
        raise Invalid(str(document.errors[0]))
    if not ours and not document.is_ours:
        return source
    head = source[begin:end]
    tree = frontmatter.read(head)
    if tree is None:
        raise Invalid("The document has no keys.")
    kept = {OWN_KEYS.get(key, key): value for key, value in ours.items()}
    for key in OURS:
        value = tree.entries.get(key)
        if value is not None and value.text:
            kept.setdefault(OWN_KEYS[key], value.text)
    edits = [_without(head, tree.entries[key]) for key in OURS if key in tree.entries]
    newline = "\r\n" if source[start:begin].endswith("\r\n") else source[begin - 1]
    edits += _added(head, tree, kept, newline)
    for first, last, text in sorted(edits, reverse=True):
        head = head[:first] + text + head[last:]
    return source[:begin] + head + source[end:]


def _without(head: str, value: frontmatter.Value) -> tuple[int, int, str]:
    """The lines of a key taken out."""
    lines = Lines(head)
    last = max(value.key, value.end - 1)
    return lines.start(value.key), lines.after(last), ""


def _added(head: str, tree: frontmatter.Value, kept: dict[str, str], newline: str) -> list[tuple[int, int, str]]:
    """The edits that put `kept` under `metadata`."""
    metadata = tree.entries.get("metadata")
    held = metadata.entries if metadata is not None else {}
    edits = [(held[key].start, held[key].end, _quoted(value)) for key, value in kept.items() if key in held]
    new = {key: _quoted(value) for key, value in kept.items() if key not in held}
    if not new:
        return edits
    lines = Lines(head)
    if metadata is None:
        text = f"metadata:{newline}" + "".join(f"  {key}: {value}{newline}" for key, value in new.items())
        return [*edits, (len(head), len(head), text)]
    if metadata.kind == "nothing":
        text = "".join(f"{newline}  {key}: {value}" for key, value in new.items())
        return [*edits, (metadata.start, metadata.end, text)]
    if metadata.flow:
        text = ", ".join(f"{json.dumps(key)}: {value}" for key, value in new.items())
        return [*edits, (metadata.start + 1, metadata.start + 1, text + (", " if held else ""))]
    first = next(iter(held.values())).key
    indent = head[lines.start(first) : first]
    text = "".join(f"{indent}{key}: {value}{newline}" for key, value in new.items())
    return [*edits, (lines.start(first), lines.start(first), text)]


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
