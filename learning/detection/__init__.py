"""Listening: which events could teach something (`triage`), and what is said in one.

Without a model the local extractor listens (`extract`): deterministic, quick, offline, and it would rather miss a fact than
invent one. With one, `by_model` asks it. `loop_guard` knows what the agent itself had said.
"""

from .extract import extract
from .found import Found
from .triage import triage

__all__ = ["Found", "extract", "triage"]
