"""Who stands beside a history row, and why. Stamped by the action, never guessed from a request."""

from types import SimpleNamespace

from django.db import models

from .types import Actor


def save(row: models.Model, actor: Actor, reason: str, **kwargs) -> None:
    """Save `row`, and sign the history row that comes with it."""
    # simple-history looks for these two on the row, and asks the user for `.pk` and nothing else.
    vars(row).update(_history_user=SimpleNamespace(pk=actor.user_id), _change_reason=f"{actor.label}: {reason}")
    row.save(**kwargs)
