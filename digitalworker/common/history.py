"""Who stands beside a history row, and why. Stamped by the action, never guessed from a request."""

from types import SimpleNamespace

from django.db import models
from django.dispatch import receiver
from simple_history.signals import post_create_historical_record

from .types import Actor


def save(row: models.Model, actor: Actor, reason: str, **kwargs) -> None:
    """Save `row`, and sign the history row that comes with it."""
    # simple-history looks for these two on the row, and asks the user for `.pk` and nothing else.
    vars(row).update(_history_user=SimpleNamespace(pk=actor.user_id), _change_reason=f"{actor.label}: {reason}")
    row.save(**kwargs)


@receiver(post_create_historical_record)
def _keep(instance: models.Model, history_instance: models.Model, **_) -> None:
    # The library hands its row out nowhere else, and reading it back would be a query a save.
    vars(instance)["_history_row"] = history_instance.pk


def written(row: object) -> int | None:
    """The id of the history row written by the last save of `row`, told once: it belongs to one audit row."""
    return vars(row).pop("_history_row", None)
