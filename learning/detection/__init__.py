"""Listening without a model: which events could teach something, and what a plain statement in one says.

It is deterministic and quick, works offline, and would rather miss a fact than invent one.
"""

from .extract import extract
from .found import Found
from .triage import triage

__all__ = ["Found", "extract", "triage"]
