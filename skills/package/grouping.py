"""Files with their paths sorted into skills: a folder with a SKILL.md is one, and whatever lies in it belongs to it."""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from digitalworker.common.errors import Invalid
from skills.document import parse

from . import paths
from .limits import FILE_MOST, FILES_MOST, TOTAL_MOST
from .package import File, Package, Reading, Refusal, Skipped

SKILL = "SKILL.md"


class TooLarge(Exception):
    """One file has more bytes than a file may have."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that is there. `load` gives its bytes and may raise TooLarge; `fault` says why it can not be a file of a skill."""

    path: str
    load: Callable[[], bytes]
    executable: bool = False
    fault: paths.Fault | None = None


class Budget:
    """What all files of one import may weigh together."""

    def __init__(self) -> None:
        self.used = 0

    def take(self, size: int) -> None:
        self.used += size
        if self.used > TOTAL_MOST:
            raise Invalid(
                f"The files have more than {TOTAL_MOST // 2**20} MB together. Leave out what the skills do not need, or send"
                " fewer at a time.",
                code="total",
            )


def too_many() -> Invalid:
    return Invalid(
        f"There are more than {FILES_MOST:,} files. Leave out what the skills do not need, or send fewer at a time.",
        code="files",
    )


def grouped(entries: Iterable[Entry], skipped: Iterable[Skipped], *, top: str | None) -> Reading:
    """The skills among `entries`. `top` is the name of the folder they lie in, None where it has none.

    Raises Invalid where there is no skill at all.
    """
    entries = sorted(entries, key=lambda entry: entry.path)
    passed = list(skipped)
    roots = _roots(entries)
    if not roots:
        raise _no_skill(entries)
    members: dict[str, list[Entry]] = {root: [] for root in sorted(roots)}
    refusals: list[Refusal] = []
    for entry in entries:
        root = _root_of(entry.path, roots)
        if root is not None:
            members[root].append(entry)
        elif entry.fault is not None:
            refusals.append(Refusal(paths.shown(entry.path), *entry.fault))
        else:
            passed.append(Skipped(paths.shown(entry.path), "It lies in no skill's folder."))
    packages: dict[str, Package] = {}
    for root, held in members.items():
        made = _package(root, held, top)
        if isinstance(made, Package) and made.name in packages:
            made = Refusal(
                root, "same_name", f"Another skill here is named {made.name} as well. Send one, or rename it."
            )
        if isinstance(made, Package):
            packages[made.name] = made
        else:
            refusals.append(made)
    return Reading(tuple(packages[name] for name in sorted(packages)), tuple(refusals), tuple(passed))


def _roots(entries: list[Entry]) -> set[str]:
    """The folders with a SKILL.md that lie in no other such folder; '' is the top."""
    found: set[str] = set()
    folders = {entry.path.removesuffix(SKILL).rstrip("/") for entry in entries if entry.path.split("/")[-1] == SKILL}
    for folder in sorted(folders, key=lambda folder: (folder.count("/") if folder else -1, folder)):
        if _root_of(f"{folder}/{SKILL}", found) is None:
            found.add(folder)
    return found


def _root_of(path: str, roots: Set[str]) -> str | None:
    parts = path.split("/")
    return next((root for number in range(len(parts)) if (root := "/".join(parts[:number])) in roots), None)


def _package(root: str, entries: list[Entry], top: str | None) -> Package | Refusal:
    within, where = len(root) + 1 if root else 0, paths.shown(root)
    for entry in entries:
        found = entry.fault or paths.fault(entry.path[within:])
        if found is not None:
            return Refusal(where, *found)
    clash = paths.collision([entry.path[within:] for entry in entries])
    if clash is not None:
        return Refusal(where, *clash)
    files = []
    for entry in entries:
        path = entry.path[within:]
        try:
            files.append(File(path, entry.load(), entry.executable))
        except TooLarge:
            message = f"{paths.shown(path)} has more than {FILE_MOST // 2**20} MB. Leave it out, or make it smaller."
            return Refusal(where, "file", message)
    source = next(file.content for file in files if file.path == SKILL)
    document = parse(source, folder=root.split("/")[-1] if root else top)
    if not document.is_valid:
        reason = str(document.errors[0])
        if len(document.errors) > 1:
            reason += f" (And {len(document.errors) - 1} more.)"
        return Refusal(where, document.errors[0].code, reason, document.errors)
    return Package(document.name, document, tuple(file for file in files if file.path != SKILL))


def _no_skill(entries: list[Entry]) -> Invalid:
    if not entries:
        return Invalid("There is no file in it. Send a folder with a SKILL.md.", code="empty")
    near = next((entry.path for entry in entries if entry.path.split("/")[-1].lower() == SKILL.lower()), None)
    if near is not None:
        return Invalid(
            f"The file {paths.shown(near)} must be named SKILL.md, in these letters. Rename it.", code="no_skill"
        )
    return Invalid("There is no SKILL.md in it. Each skill is a folder with a file of that name.", code="no_skill")
