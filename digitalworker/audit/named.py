"""What the audit asks of a row to be able to tell of it."""

from typing import Any, Protocol
from uuid import UUID

from django.db.models.options import Options


class _Row(Protocol):
    @property
    def pk(self) -> Any: ...

    @property
    def _meta(self) -> "Options[Any]": ...


class Named(_Row, Protocol):
    """A row that tells its own name, free of learned text and of whom it is about: the audit can not be erased."""

    def audit_label(self) -> str: ...


class Owned(_Row, Protocol):
    """A row of one organisation."""

    @property
    def organization_id(self) -> UUID: ...


def object_type_of(row: _Row) -> str:
    return str(row._meta.model_name)
