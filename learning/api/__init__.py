"""REST: events, memories and the inbox. Importing this registers their addresses."""

from . import autosaves, bulk, events, items, memories, operations, skills, souls, transfer, triage

__all__ = ["autosaves", "bulk", "events", "items", "memories", "operations", "skills", "souls", "transfer", "triage"]
