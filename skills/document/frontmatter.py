"""The YAML of a frontmatter, read as a tree of texts with places, and never as objects.

YAML can do more than a few keys need, and what it can do besides is either a way to hide something (a key given twice, an
alias that grows, a tag that makes an object) or a way to be read differently elsewhere (`on` as true, `1.10` as 1.1). The first
is refused. The second keeps its own words here: `Value.text` is what the author wrote and `Value.kind` what YAML makes of it.
"""

from dataclasses import dataclass, field

import yaml

from .limits import DEPTH_MOST

_KINDS = {
    "str": "text",
    "int": "number",
    "float": "number",
    "bool": "truth value",
    "timestamp": "date",
    "null": "nothing",
    "value": "text",
    "seq": "list",
    "map": "mapping",
}


@dataclass(frozen=True, slots=True)
class Value:
    """Offsets are places in the YAML text; `key` is where the key begins that the value belongs to."""

    kind: str
    text: str
    start: int
    end: int
    key: int
    flow: bool = False
    items: tuple["Value", ...] = ()
    entries: dict[str, "Value"] = field(default_factory=dict)


class Unreadable(Exception):
    """The YAML can not be read from `offset` on."""

    def __init__(self, offset: int, code: str, message: str, help: str) -> None:
        super().__init__(message)
        self.offset, self.code, self.message, self.help = offset, code, message, help


class _Loader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent, index):
        event = self.peek_event()
        at = event.start_mark.index
        if isinstance(event, yaml.AliasEvent):
            raise Unreadable(
                at, "alias", f'"*{event.anchor}" refers to another place.', "Write the value out where it is needed."
            )
        if event.anchor is not None:
            raise Unreadable(at, "anchor", f'"&{event.anchor}" names a place to refer to.', "Take it out.")
        if event.tag is not None:
            raise Unreadable(
                at,
                "tag",
                "A value says of which type it is, with an exclamation mark.",
                "Take the tag out, or quote the value.",
            )
        self.depth += 1
        if self.depth > DEPTH_MOST:
            raise Unreadable(
                at,
                "depth",
                f"More than {DEPTH_MOST} lists and mappings lie inside each other.",
                "Move what is that deep into a file beside SKILL.md.",
            )
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def read(text: str) -> Value | None:
    """The tree, or None where there is nothing but space and comments. Raises Unreadable."""
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.reader.ReaderError as error:
        raise Unreadable(
            error.position, "character", "A character here may not stand in YAML.", "Take it out; it may be invisible."
        ) from error
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from error
    finally:
        if loader is not None:
            loader.dispose()
    return None if node is None else _value(node, node.start_mark.index)


def _value(node: yaml.Node, key: int) -> Value:
    kind = _KINDS.get(node.tag.rpartition(":")[2], "text")
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode):
        return Value(kind, node.value, start, end, key)
    assert isinstance(node, yaml.CollectionNode)  # noqa: S101
    if isinstance(node, yaml.SequenceNode):
        items = tuple(_value(item, item.start_mark.index) for item in node.value)
        return Value("list", "", start, end, key, bool(node.flow_style), items=items)
    entries: dict[str, Value] = {}
    for name, value in node.value:
        at = name.start_mark.index
        if not isinstance(name, yaml.ScalarNode):
            raise Unreadable(at, "key", "A key is a list or a mapping.", "Write a single word as the key.")
        if name.tag == "tag:yaml.org,2002:merge":
            raise Unreadable(
                at, "merge", '"<<" merges one mapping into another.', "Write the keys out where they are needed."
            )
        if name.value in entries:
            raise Unreadable(at, "duplicate_key", f'The key "{name.value}" is here twice.', "Keep one of the two.")
        entries[name.value] = _value(value, at)
    return Value("mapping", "", start, end, key, bool(node.flow_style), entries=entries)


def _explained(error: yaml.MarkedYAMLError, text: str) -> Unreadable:
    """The parser's error in words that say what to do."""
    mark = error.problem_mark or error.context_mark
    at = mark.index if mark is not None else 0
    began = error.context_mark.index if error.context_mark is not None else at
    problem, context = error.problem or "", error.context or ""
    if problem.startswith("mapping values are not allowed"):
        return Unreadable(
            at,
            "colon",
            "A colon followed by a space stands inside a text without quotes.",
            "Put the whole text behind the key in double quotes.",
        )
    if problem.startswith("found character"):
        character = text[at : at + 1]
        if character == "\t":
            return Unreadable(at, "tab", "A tab stands where YAML wants spaces.", "Replace it by spaces.")
        return Unreadable(
            at, "unquoted", f"A text can not begin with {character} in YAML.", "Put the text in double quotes."
        )
    if "flow" in context and "scalar" not in context:
        return Unreadable(
            began,
            "bracket",
            f"The bracket {text[began : began + 1]} that opens here is not closed, or a comma is missing behind it.",
            "Close it, or put the whole text in double quotes.",
        )
    if "quoted scalar" in context:
        return Unreadable(
            began,
            "quote",
            "The quotation mark that opens here is not closed well.",
            "Close it; inside double quotes a backslash is written twice.",
        )
    if "block mapping" in context or "block collection" in context or "block sequence" in context:
        return Unreadable(
            at,
            "indentation",
            "This line does not stand under the ones before it.",
            "Indent keys of one level by the same number of spaces, and close quotes where the text ends.",
        )
    if "simple key" in context:
        return Unreadable(
            began, "no_colon", "A key has no colon behind it.", "Write key: value, and indent what continues a text."
        )
    if "single document" in context or "document start" in problem:
        return Unreadable(
            at,
            "documents",
            "A second YAML document begins here.",
            'Keep one; between the lines "---" no "..." may stand.',
        )
    return Unreadable(
        at, "yaml", f"YAML can not be read here: {problem or context}.", "Put the text in double quotes, or correct it."
    )
