"""Queue entry points."""

from .ask import close_abandoned


def close_abandoned_runs() -> int:
    return close_abandoned()
