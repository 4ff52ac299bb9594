"""The souls that every organisation starts with, and which of them an agent has until somebody assigns another."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from uuid import UUID

from django.db import transaction

from digitalworker.common.ids import uuid7
from digitalworker.common.text import digest

DEFAULT = "balanced_helper"
APPROVED_BY = "Digital Worker"  # nobody of the organisation proposed or approved these
PARTS = ("tone_rules_md", "do_not_do_md", "critique_rules_md")


@dataclass(frozen=True, slots=True)
class Starting:
    code: str
    name: str
    summary: str
    tone_rules_md: str
    do_not_do_md: str
    critique_rules_md: str

    @property
    def digest(self) -> str:
        return soul_digest(self.tone_rules_md, self.do_not_do_md, self.critique_rules_md)


def soul_digest(tone_rules_md: str, do_not_do_md: str, critique_rules_md: str) -> str:
    """What a version of a soul is told by, whatever it is called and whoever has it."""
    return digest("soul", tone_rules_md, do_not_do_md, critique_rules_md)


@cache
def library() -> tuple[Starting, ...]:
    read = tomllib.loads(Path(__file__).with_name("library.toml").read_text(encoding="utf-8"))
    return tuple(Starting(**{name: text.strip() for name, text in soul.items()}) for soul in read["soul"])


@transaction.atomic(savepoint=False)  # a soul is there before the version that it points at
def stock(soul, version, history, organization_ids: Iterable[UUID], *, now: datetime) -> None:
    """Gives organisations without souls the library, in three statements however many there are.

    The models are handed in: a migration has them as they were then. History rows are written by hand because rows that are
    inserted together write none.
    """
    souls, versions = [], []
    for organization_id in organization_ids:
        for starting in library():
            soul_id, version_id = uuid7(), uuid7()
            souls.append(
                soul(
                    id=soul_id,
                    organization_id=organization_id,
                    code=starting.code,
                    name=starting.name,
                    summary=starting.summary,
                    active_version_id=version_id,
                    created_at=now,
                    updated_at=now,
                )
            )
            versions.append(
                version(
                    id=version_id,
                    organization_id=organization_id,
                    soul_id=soul_id,
                    number=1,
                    digest=starting.digest,
                    proposed_by_label=APPROVED_BY,
                    approved_by_label=APPROVED_BY,
                    created_at=now,
                    **{name: getattr(starting, name) for name in PARTS},
                )
            )
    soul.objects.bulk_create(souls)
    version.objects.bulk_create(versions)
    history.objects.bulk_create(
        history(
            history_date=now,
            history_type="+",
            history_change_reason="comes with Digital Worker",
            **{field.attname: getattr(made, field.attname) for field in soul._meta.concrete_fields},
        )
        for made in souls
    )
