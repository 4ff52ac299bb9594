"""Who stands beside a history row, and why. Stamped by the action, never guessed from a request."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from django.db import models
from django.dispatch import receiver
from django.utils import timezone
from simple_history.signals import post_create_historical_record
from simple_history.utils import get_history_manager_for_model

from .types import Actor

BATCH = 500


def save(row: models.Model, actor: Actor, reason: str, **kwargs) -> None:
    """Save `row`, and sign the history row that comes with it."""
    _sign(row, actor, reason)
    row.save(**kwargs)


def save_each(rows: Sequence[models.Model], actor: Actor, reason: str, *, fields: Sequence[str]) -> None:
    """The same for many rows of one model that were changed in `fields`: two queries for each BATCH of them."""
    if not rows:
        return
    model, now = type(rows[0]), timezone.now()
    stamped = [field.attname for field in model._meta.concrete_fields if getattr(field, "auto_now", False)]
    for row in rows:
        _sign(row, actor, reason)
        vars(row).update(dict.fromkeys(stamped, now))
    model._default_manager.bulk_update(rows, [*fields, *stamped], batch_size=BATCH)
    written_rows = get_history_manager_for_model(model).bulk_history_create(rows, update=True, batch_size=BATCH)
    for row, written_row in zip(rows, written_rows, strict=True):
        _keep(row, written_row)


def before(row: models.Model, field: str) -> Any:
    """What `row` was, as its history has it, when `field` was last something else than it is now; None where it never was."""
    return row.history.exclude(**{field: getattr(row, field)}).order_by("-history_id").first()  # type: ignore[attr-defined]


def _sign(row: models.Model, actor: Actor, reason: str) -> None:
    # simple-history looks for these two on the row, and asks the user for `.pk` and nothing else.
    vars(row).update(_history_user=SimpleNamespace(pk=actor.user_id), _change_reason=f"{actor.label}: {reason}")


@receiver(post_create_historical_record)
def _keep(instance: models.Model, history_instance: models.Model, **_) -> None:
    # The library hands its row out nowhere else, and reading it back would be a query a save.
    vars(instance)["_history_row"] = history_instance.pk


def written(row: object) -> int | None:
    """The id of the history row written by the last save of `row`, told once: it belongs to one audit row."""
    return vars(row).pop("_history_row", None)
