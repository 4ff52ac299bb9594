"""REST: events, memories and the inbox. Importing this registers their addresses."""

from . import events, items, memories

__all__ = ["events", "items", "memories"]
