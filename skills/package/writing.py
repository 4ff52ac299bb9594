"""Skills written as an archive or as folders: the same skills give the same bytes."""

import io
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from digitalworker.common.errors import Conflict, Invalid
from skills.document import NAME_PATTERN

from . import paths
from .grouping import SKILL
from .package import Package

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment a zip archive can name


def write_zip(packages: Iterable[Package]) -> bytes:
    """An archive with a folder for each skill."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content, executable in _files(packages):
            info = zipfile.ZipInfo(path, _EPOCH)
            info.create_system = 3  # Unix, wherever this runs
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(info, content)
    return held.getvalue()


def write_folder(packages: Iterable[Package], path: str | Path) -> list[Path]:
    """A folder below `path` for each skill; the folders made. Raises Conflict where one is there already, before any is made."""
    top = Path(path)
    files = list(_files(packages))
    folders = sorted({top / name.split("/")[0] for name, _, _ in files})
    for folder in folders:
        if os.path.lexists(folder):
            raise Conflict(f"{folder} is there already. Move it away, or name another place.", code="exists")
    for name, content, executable in files:
        target = top / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "xb") as stream:
            stream.write(content)
        if executable:
            target.chmod(target.stat().st_mode | 0o111)
    return folders


def _files(packages: Iterable[Package]) -> Iterator[tuple[str, bytes, bool]]:
    """Path, content and whether it is executable, sorted; nothing that would be refused when read again."""
    seen: set[str] = set()
    for package in sorted(packages, key=lambda package: package.name):
        if not NAME_PATTERN.fullmatch(package.name) or package.name in seen:
            raise Invalid(f"{paths.shown(package.name)} can not be the name of a folder here, or is one already.")
        seen.add(package.name)
        inside = [SKILL, *(file.path for file in package.files)]
        for name in inside:
            found = paths.leads_out(name) or paths.fault(name)
            if found is not None:
                raise Invalid(found[1], code=found[0])
        clash = paths.collision(inside)
        if clash is not None:
            raise Invalid(clash[1], code=clash[0])
        yield f"{package.name}/{SKILL}", package.document.content, False
        for file in sorted(package.files, key=lambda file: file.path):
            yield f"{package.name}/{file.path}", file.content, file.executable
