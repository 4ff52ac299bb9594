"""What is looked for in a skill besides what is looked for in every text: dangerous procedures, and the files it comes with.

A file has no place in the document, so what is found in one names the file and its line, with the words themselves.
"""

from collections.abc import Iterable
from dataclasses import asdict

from digitalworker.common.errors import Invalid, Refused
from digitalworker.common.secrets import find_secrets
from skills import dangers
from skills.package import File

from .injection import find_injections

DANGER = "danger"  # the family of the rules of skills/dangers.toml
TEXT_MOST = 500_000  # bytes of a skill's text files; each is looked at for secrets while somebody waits
READ_MOST = 100_000  # characters of a document, and of all files, that are looked through for more than secrets
UNREAD = {"rule": "unread.rest", "severity": "medium", "why": "more text than is looked through for steering"}
_EXCERPT = 200  # characters
_FINDINGS_MOST = 50  # of one skill's dangers, and of its files


def find_in_document(document: str) -> list[dict]:
    """Findings of `danger.*` in a skill's document, with their places; and that there is more of it than is looked through,
    which makes the rest somebody's to read who decides about what is sensitive."""
    found = find_dangers(document[:READ_MOST])
    if rest := document[READ_MOST:]:
        found.append(UNREAD | {"start": READ_MOST, "end": len(document), "excerpt": rest[:_EXCERPT]})
    return found


def find_dangers(text: str) -> list[dict]:
    return [asdict(danger) | {"rule": f"{DANGER}.{danger.rule}"} for danger in dangers.find(text)[:_FINDINGS_MOST]]


def find_in_files(files: Iterable[File]) -> list[dict]:
    """What is in the text files of a skill. Raises Refused where one holds a secret or plainly tries to steer the agent, and
    Invalid where there is more text than can be looked through."""
    texts = [(file.path, file.content.decode()) for file in files if file.is_text]
    if (size := sum(len(file.content) for file in files if file.is_text)) > TEXT_MOST:
        raise Invalid(
            f"The files of this skill hold {size:,} bytes of text, and {TEXT_MOST:,} is the most that is looked through. Leave"
            " out what it does not need.",
            code="too_much_text",
        )
    for path, text in texts:
        if kinds := find_secrets(f"{path}\n{text}"):
            raise Refused(
                f"The file {path} holds what looks like a secret ({', '.join(kinds)}), so the skill was not stored. Take it out"
                " and try again.",
                code="secret",
                kinds=kinds,
            )
    found: list[dict] = []
    left = READ_MOST
    for path, text in texts:
        if len(text) > left:
            found.append(UNREAD | {"file": path, "excerpt": text[:_EXCERPT]})
            continue
        left -= len(text)
        found += _in_file(path, text)
    return found[:_FINDINGS_MOST]


def is_danger(rule: str) -> bool:
    return rule.startswith(f"{DANGER}.")


def _in_file(path: str, text: str) -> Iterable[dict]:
    steering = find_injections(text)
    if grave := next((finding for finding in steering if finding.severity == "high"), None):
        raise Refused(
            f"The file {path} reads like an attempt to steer the agent, in line {_line(text, grave.start)}: {grave.why}. The"
            " skill was not stored.",
            code="injection",
            kinds=[grave.rule],
        )
    for finding in (*map(asdict, steering), *find_dangers(text)):
        start, end = finding.pop("start"), finding.pop("end")
        yield finding | {"file": path, "line": _line(text, start), "excerpt": text[start : min(end, start + _EXCERPT)]}


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
