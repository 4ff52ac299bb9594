"""Which paths a file of a skill may have: those that mean the same on every system, and nothing outside the folder."""

import re
import unicodedata

from .limits import DEPTH_MOST, PATH_MOST

_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?", re.I)
_DRIVE = re.compile(r"[A-Za-z]:")
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_JUNK = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git"})
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})

Fault = tuple[str, str]  # code, what is wrong and what to do


def normal(path: str) -> str:
    """One form for names that look the same; macOS writes accents apart from their letters."""
    return unicodedata.normalize("NFC", path.removeprefix("./"))


def shown(path: str) -> str:
    """For messages: what can not be seen is spelt out."""
    text = "".join(
        character if unicodedata.category(character) not in _UNSEEN else f"\\u{ord(character):04x}"
        for character in path
    )
    return text if len(text) <= 100 else text[:99] + "…"


def is_junk(path: str) -> bool:
    """Written by a system for itself, not by the author."""
    parts = path.split("/")
    return not _JUNK.isdisjoint(parts) or parts[-1].startswith("._")


def leads_out(path: str) -> Fault | None:
    """Why this path could reach a place outside its folder."""
    if "\0" in path:
        return "nul_path", f"The name {shown(path)} holds a NUL, which hides its end. Make the archive anew."
    if "\\" in path:
        return (
            "backslash",
            f"The path {shown(path)} is written with backslashes. Make the archive anew with a program that writes slashes.",
        )
    if path.startswith("/"):
        return "absolute_path", f"The path {shown(path)} is absolute. Make the archive from inside the folder."
    if _DRIVE.match(path):
        return "drive", f"The path {shown(path)} names a drive. Make the archive from inside the folder."
    if ".." in path.split("/"):
        return (
            "traversal",
            f"The path {shown(path)} leads out of its folder. Take the file out, or move it into the folder.",
        )
    return None


def fault(path: str) -> Fault | None:
    """Why this path, which stays inside, can not be kept."""
    parts = path.split("/")
    if len(parts) - 1 > DEPTH_MOST:
        return "deep", f"{shown(path)} lies more than {DEPTH_MOST} folders deep. Move it up."
    if len(path) > PATH_MOST:
        return "long_path", f"The path {shown(path)} has more than {PATH_MOST} characters. Shorten it."
    for part in parts:
        if part in {"", "."}:
            return "odd_path", f"The path {shown(path)} has an empty part. Make the archive anew."
        if any(unicodedata.category(character) in _UNSEEN for character in part):
            return "unseen", f"The name {shown(path)} holds a character that can not be seen. Rename the file."
        if _DEVICE.fullmatch(part):
            return "device", f"{shown(path)}: {part} is the name of a device on Windows. Rename the file."
        if _FORBIDDEN.search(part) or part[-1] in ". ":
            return (
                "not_portable",
                f'{shown(path)} can not be a file on every system. Rename it, without any of < > : " | ? * and without a dot'
                " or a space at the end.",
            )
    return None


def collision(paths: list[str]) -> Fault | None:
    """Why these paths can not lie in one folder together."""
    held: dict[str, str] = {}
    for path in paths:
        before = held.get(path.casefold())
        held[path.casefold()] = path
        if path == before:
            return "duplicate", f"{shown(path)} is in the archive twice. Keep one."
        if before is not None:
            return "case", f"{shown(before)} and {shown(path)} are one file on many systems. Rename one."
    for path in paths:
        above = path.casefold().split("/")
        for number in range(1, len(above)):
            other = held.get("/".join(above[:number]))
            if other is not None:
                return "file_and_folder", f"{shown(other)} is a file and a folder at once. Rename one."
    return None
