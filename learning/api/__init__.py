"""REST: events, memories and the inbox. Importing this registers their addresses."""

from . import autosaves, events, items, memories

__all__ = ["autosaves", "events", "items", "memories"]
