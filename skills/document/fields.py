"""The keys of a frontmatter: which there are, and what may stand in them."""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any

from .document import Fault
from .frontmatter import Value
from .limits import COMPATIBILITY_MOST, DESCRIPTION_MOST, NAME_MOST

PUBLIC = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
OURS = ("scope", "agent", "risk")
FIELDS = (*PUBLIC, *OURS)
OWN_KEYS = {
    key: f"digitalworker-{key}" for key in OURS
}  # under `metadata`, where the public format has room for others
SCOPES = ("role_agent", "organization")
RISKS = ("low", "medium", "high")

# The public text allows "unicode lowercase alphanumeric characters (a-z)". Names are typed after a slash and told apart by eye
# here, so letters that only look like a-z are none.
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CODE = re.compile(r"[-a-zA-Z0-9_]{1,64}")
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\)?)?")

_Fault = Callable[..., Fault]


def slug(text: str) -> str:
    """A name made of `text` that would be taken, or '' where it has no letters for one."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:NAME_MOST].strip("-")


class Fields:
    """Reads the keys of one frontmatter: `read` gives the fields of a Document, and `faults` says what is wrong with them."""

    def __init__(self, tree: Value, fault: Callable[..., Fault], *, strict: bool, folder: str | None) -> None:
        self.tree, self._fault, self.strict, self.folder = tree, fault, strict, folder
        self.faults: list[Fault] = []

    def read(self) -> dict[str, Any]:
        for key, value in self.tree.entries.items():
            if key not in FIELDS:
                self._unknown(key, value)
        found: dict[str, Any] = {
            "name": self._name(),
            "description": self._description(),
            "license": self._text("license"),
            "compatibility": self._compatibility(),
            "allowed_tools": tuple(self._tools()),
            "metadata": self._metadata(),
        }
        return found | self._ours(found["metadata"])

    def _say(self, at: int, code: str, message: str, help: str, *, severe: bool = True) -> None:
        self.faults.append(self._fault(at, code, message, help, "error" if severe else "warning"))

    def _unknown(self, key: str, value: Value) -> None:
        near = get_close_matches(key.lower().replace("_", "-"), FIELDS, n=1, cutoff=0.8)
        message = f'"{_short(key)}" is no key of the format' + ("." if self.strict else "; it is kept and not read.")
        help = f'Write "{near[0]}" if that is meant.' if near else "Put it under metadata, or take it out."
        self._say(value.key, "unknown_key", message, help, severe=self.strict)

    def _text(self, key: str) -> str:
        value = self.tree.entries.get(key)
        if value is None or value.kind == "nothing":
            return ""
        if value.kind in {"list", "mapping"}:
            self._say(value.start, "type", f"{key} is a {value.kind}.", f"Write it as one text: {key}: ...")
            return ""
        if value.kind != "text":
            self._say(
                value.start,
                "type",
                f"{key} is a {value.kind} to YAML: {_short(value.text)}.",
                f'Put it in quotes: {key}: "{_short(value.text)}".',
            )
        return value.text.strip()

    def _at(self, key: str) -> int:
        value = self.tree.entries.get(key)
        return self.tree.start if value is None else value.key

    def _name(self) -> str:
        name, at = self._text("name"), self._at("name")
        better = slug(self.folder or "") or "expense-claim"
        value = self.tree.entries.get("name")
        if not name:
            if value is None or value.kind in {"nothing", "text"}:
                self._say(at, "no_name", "The skill has no name.", f"Write: name: {better}")
        elif len(name) > NAME_MOST:
            self._say(
                at,
                "name",
                f"The name has {len(name)} characters, and {NAME_MOST} is the most.",
                f"Write a shorter one: name: {slug(name) or better}",
            )
        elif not NAME.fullmatch(name):
            self._say(
                at,
                "name",
                f'"{_short(name)}" is no name of a skill: those have small letters a-z, digits and single hyphens between them.',
                f"Write: name: {slug(name) or better}"
                + ("" if self.folder is None else ", and name the folder the same."),
            )
        elif self.folder is not None and self.folder != name:
            self._say(
                at,
                "folder",
                f'The skill is named "{name}" and lies in the folder "{_short(self.folder)}".',
                f'Name the folder "{name}"'
                + (f", or write: name: {self.folder}" if NAME.fullmatch(self.folder) else "."),
            )
        return name

    def _description(self) -> str:
        text, at = self._text("description"), self._at("description")
        value = self.tree.entries.get("description")
        if not text and (value is None or value.kind in {"nothing", "text"}):
            self._say(
                at,
                "no_description",
                "The skill has no description.",
                "Write: description: what it does, and when to use it.",
            )
        elif len(text) > DESCRIPTION_MOST:
            self._say(
                at,
                "description",
                f"The description has {len(text):,} characters, and {DESCRIPTION_MOST:,} is the most.",
                "Shorten it, and move the rest below the frontmatter.",
            )
        return text

    def _compatibility(self) -> str:
        text = self._text("compatibility")
        if len(text) > COMPATIBILITY_MOST:
            self._say(
                self._at("compatibility"),
                "compatibility",
                f"compatibility has {len(text):,} characters, and {COMPATIBILITY_MOST} is the most.",
                "Shorten it, and move the rest below the frontmatter.",
            )
        return text

    def _tools(self) -> Iterator[str]:
        value = self.tree.entries.get("allowed-tools")
        if value is None or value.kind == "nothing":
            return
        if value.kind == "mapping" or any(item.kind in {"list", "mapping"} for item in value.items):
            self._say(value.start, "type", "allowed-tools is no list of names.", "Write: allowed-tools: Read Grep")
            return
        self._say(
            value.key,
            "tools",
            "allowed-tools is kept and grants nothing.",
            "Tools are given to an agent by its settings.",
            severe=False,
        )
        if value.kind == "list":
            yield from (item.text for item in value.items)
        else:
            yield from _TOOL.findall(value.text)

    def _metadata(self) -> dict[str, str]:
        value = self.tree.entries.get("metadata")
        if value is None or value.kind == "nothing":
            return {}
        if value.kind != "mapping":
            self._say(
                value.start, "type", f"metadata is a {value.kind}.", "Write keys below it, indented: author: somebody"
            )
            return {}
        found = {}
        for key, entry in value.entries.items():
            if entry.kind in {"list", "mapping"}:
                self._say(
                    entry.key,
                    "metadata",
                    f'"{_short(key)}" under metadata is a {entry.kind}; it is kept and not read.',
                    "The format has texts there.",
                    severe=False,
                )
                continue
            if entry.kind not in {"text", "nothing"}:
                self._say(
                    entry.start,
                    "metadata",
                    f'"{_short(key)}" under metadata is a {entry.kind} to YAML, and read as the text {_short(entry.text)}.',
                    f'Put it in quotes: "{_short(entry.text)}".',
                    severe=False,
                )
            found[key] = entry.text
        return found

    def _ours(self, metadata: dict[str, str]) -> dict[str, str]:
        scope = self._one_of("scope", SCOPES, "role_agent", metadata)
        risk = self._one_of("risk", RISKS, "medium", metadata)
        agent, at = self._own("agent", metadata)
        if agent and not _CODE.fullmatch(agent):
            self._say(
                at,
                "agent",
                f'"{_short(agent)}" is no code of a role-agent.',
                "Write its code, or take it out.",
                severe=self.strict,
            )
            agent = ""
        if agent and scope == "organization" and self.strict:
            self._say(
                at,
                "agent",
                "A skill of the whole organization names an agent.",
                "Take agent out, or write: scope: role_agent",
            )
        return {"scope": scope, "agent": agent, "risk": risk}

    def _own(self, key: str, metadata: dict[str, str]) -> tuple[str, int]:
        """One of our fields and its place, from the top level or from where an export puts it."""
        value = self.tree.entries.get(key)
        if value is None:
            below = self.tree.entries.get("metadata")
            if OWN_KEYS[key] not in metadata or below is None:
                return "", self.tree.start
            return metadata[OWN_KEYS[key]].strip(), below.entries[OWN_KEYS[key]].key
        if value.kind in {"list", "mapping"}:
            self._say(
                value.start, "type", f"{key} is a {value.kind}; it is not read.", "Write one word.", severe=self.strict
            )
            return "", value.key
        return value.text.strip(), value.key

    def _one_of(self, key: str, words: tuple[str, ...], default: str, metadata: dict[str, str]) -> str:
        word, at = self._own(key, metadata)
        if not word:
            return default
        if word in words:
            return word
        message = f'{key} is "{_short(word)}"' + ("." if self.strict else f", and read as {default}.")
        self._say(at, key, message, f"Write one of: {', '.join(words)}.", severe=self.strict)
        return default


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
