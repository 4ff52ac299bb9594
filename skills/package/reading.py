"""Skills read from a folder, an archive or a single file that somebody sent."""

import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from digitalworker.common.errors import Invalid
from skills.document import parse

from . import paths
from .grouping import Budget, Entry, TooLarge, grouped, too_many
from .limits import FILE_MOST, FILES_MOST, RATIO_MOST, UPLOAD_MOST
from .package import Package, Reading, Refusal, Skipped

_CHUNK = 64 * 1024
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OTHERS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
_LINK = "link", "{path} is a symbolic link. Put the file itself in its place."
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    struct.error,
    NotImplementedError,
    ValueError,
    OSError,
)


def read_upload(filename: str, data: bytes) -> Reading:
    """What somebody sent: an archive, or one SKILL.md under any name. Raises Invalid where it is neither, or hostile."""
    if data.startswith(_ZIP) or filename.lower().endswith(".zip"):
        return read_zip(data)
    other = next((name for magic, name in _OTHERS.items() if data.startswith(magic)), None)
    if data[257:262] == b"ustar":
        other = "tar"
    if other is not None:
        raise Invalid(f"This is a {other} archive. Send a zip archive.", code="not_zip")
    if not filename.lower().endswith((".md", ".markdown")):
        raise Invalid("This is neither a zip archive nor a SKILL.md. Send one of them.", code="not_skill")
    document = parse(data)
    if not document.is_valid:
        return Reading((), (Refusal("", document.errors[0].code, str(document.errors[0]), document.errors),))
    return Reading((Package(document.name, document),))


def read_zip(archive: bytes | IO[bytes]) -> Reading:
    """The skills of a zip archive, with one at its top or several in folders. Raises Invalid where all of it is refused."""
    data = archive if isinstance(archive, bytes) else archive.read(UPLOAD_MOST + 1)
    if len(data) > UPLOAD_MOST:
        raise Invalid(
            f"The archive has more than {UPLOAD_MOST // 2**20} MB. Leave out what the skills do not need, or send fewer at a"
            " time.",
            code="upload",
        )
    if not data:
        raise Invalid("The file is empty. Send a zip archive.", code="empty")
    with _unbroken():
        opened = zipfile.ZipFile(io.BytesIO(data))
    with opened:
        return _read_zip(opened, len(data))


@contextmanager
def _unbroken() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise Invalid("The archive is damaged, or no zip archive. Make it anew.", code="not_zip") from error


def _read_zip(archive: zipfile.ZipFile, weight: int) -> Reading:
    infos = archive.infolist()
    if len(infos) > FILES_MOST:
        raise too_many()
    budget = _Measured(weight)
    entries, skipped = [], []
    for info in infos:
        name = _name(info)
        out = paths.leads_out(name)
        if out is not None:
            raise Invalid(out[1], code=out[0])
        path = paths.normal(name)
        if info.flag_bits & 0x1:
            raise Invalid("The archive is locked with a password. Make it anew without one.", code="encrypted")
        if paths.is_junk(path):
            skipped.append(Skipped(paths.shown(path.rstrip("/")), "A system wrote it for itself."))
            continue
        mode = info.external_attr >> 16
        if info.is_dir() and not stat.S_ISLNK(mode):
            continue
        fault = None
        if stat.S_ISLNK(mode):
            fault = _LINK[0], _LINK[1].format(path=paths.shown(path))
        elif stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            fault = "special", f"{paths.shown(path)} is no file. Leave it out."
        elif info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            fault = (
                "compression",
                f"{paths.shown(path)} is packed in a rare way. Make the archive anew, as a plain zip.",
            )

        def load(info=info, path=path) -> bytes:
            with _unbroken(), archive.open(info) as stream:
                return budget.read(stream, info.compress_size, path)

        entries.append(Entry(path, load, bool(mode & 0o111), fault))
    return grouped(entries, skipped, top=None)


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it is in the archive. One that is not said to be UTF-8 is tried as such first, for macOS writes it so."""
    name = info.orig_filename
    if info.flag_bits & 0x800 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        return name


class _Measured(Budget):
    """Counts what comes out of an archive while it comes out: what its headers say is what its author wrote."""

    def __init__(self, weight: int) -> None:
        super().__init__()
        self.weight = weight

    def read(self, stream: IO[bytes], packed: int, path: str) -> bytes:
        most = max(2**20, RATIO_MOST * min(packed, self.weight))
        held = bytearray()
        while chunk := stream.read(_CHUNK):
            held += chunk
            self.take(len(chunk))
            if len(held) > FILE_MOST:
                raise TooLarge
            if len(held) > most or self.used > max(2**20, RATIO_MOST * self.weight):
                raise Invalid(
                    f"{paths.shown(path)} grows to more than {RATIO_MOST} times its packed size, as an archive does that is"
                    " made to fill a disk. Leave it out.",
                    code="bomb",
                )
        return bytes(held)


def read_folder(path: str | Path) -> Reading:
    """The skills of a folder: itself, where it has a SKILL.md, or those in it. Links are not followed.

    Raises Invalid where there is none, or too much.
    """
    top = Path(path)
    if not top.is_dir():
        raise Invalid(
            f"{top} is no folder. Name the folder of a skill, or one that holds such folders.", code="no_folder"
        )
    budget = Budget()
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for found in _walk(top):
        name = found.relative_to(top).as_posix()
        inside = paths.normal(name)
        if paths.is_junk(inside):
            skipped.append(Skipped(paths.shown(inside), "A system wrote it for itself."))
            continue
        if len(entries) == FILES_MOST:
            raise too_many()
        mode = found.lstat().st_mode
        fault = paths.leads_out(name)
        if stat.S_ISLNK(mode):
            fault = _LINK[0], _LINK[1].format(path=paths.shown(inside))
        elif not stat.S_ISREG(mode):
            fault = "special", f"{paths.shown(inside)} is no file. Leave it out."

        def load(found=found) -> bytes:
            content = _bytes(found)
            budget.take(len(content))
            return content

        entries.append(Entry(inside, load, bool(mode & 0o111), fault))
    return grouped(entries, skipped, top=top.resolve().name)


def _walk(top: Path) -> Iterator[Path]:
    """Every file and every link below `top`; a folder that a system wrote for itself counts as one file."""
    for folder, folders, files in os.walk(top):
        here = Path(folder)
        for name in sorted(folders):
            if (here / name).is_symlink() or paths.is_junk(name):
                yield here / name
        folders[:] = sorted(name for name in folders if not paths.is_junk(name))
        yield from (here / name for name in sorted(files))


def _bytes(path: Path) -> bytes:
    """Not the file that a link leads to, even if it became one a moment ago."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Invalid(
            f"{path} can not be read: {error.strerror}. Allow it, or leave it out.", code="unreadable"
        ) from error
    with open(descriptor, "rb") as stream:
        content = stream.read(FILE_MOST + 1)
    if len(content) > FILE_MOST:
        raise TooLarge
    return content
