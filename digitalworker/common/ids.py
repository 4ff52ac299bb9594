"""Identifiers made outside the database."""

import uuid

from uuid_utils import compat


def uuid7() -> uuid.UUID:
    """A time-ordered identifier (RFC 9562, version 7), as a standard `uuid.UUID`.

    Time-ordered, so that new rows land at the end of an index instead of all over it, and ids made here sort with
    those PostgreSQL's `uuidv7()` makes. Python has `uuid.uuid7` from 3.14 on; `uuid_utils` fills in until then.
    """
    return compat.uuid7()
