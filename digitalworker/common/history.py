"""Who stands beside a history row, and why. Stamped by the action, never guessed from a request."""

from types import SimpleNamespace

from django.db import models

from .types import Actor


def save(row: models.Model, actor: Actor, reason: str, **kwargs) -> None:
    """Save `row`, and sign the history row that comes with it."""
    row._history_user = SimpleNamespace(pk=actor.user_id)  # simple-history asks for `.pk` and nothing else
    row._change_reason = f"{actor.label}: {reason}"
    row.save(**kwargs)
