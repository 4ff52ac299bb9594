"""Skills as folders and archives: read from strangers with suspicion, written the same way every time.

A skill is a folder with a SKILL.md and any files beside it, which are kept byte for byte. Nothing in it is ever run. What an
archive can do to a reader (lead out of its folder, grow without end, point elsewhere, mean two things) is refused, and each
refusal says what to do about it.
"""

from .limits import FILE_MOST, FILES_MOST, TOTAL_MOST, UPLOAD_MOST
from .package import File, Package, Reading, Refusal, Skipped
from .reading import read_folder, read_upload, read_zip
from .writing import write_folder, write_zip

__all__ = [
    "FILES_MOST",
    "FILE_MOST",
    "TOTAL_MOST",
    "UPLOAD_MOST",
    "File",
    "Package",
    "Reading",
    "Refusal",
    "Skipped",
    "read_folder",
    "read_upload",
    "read_zip",
    "write_folder",
    "write_zip",
]
