"""SKILL.md: one reader, one validator and one writer for the skills people write here and for those that come from elsewhere.

The format is the public Agent Skills one: YAML frontmatter between two lines `---`, then Markdown. A skill of ours says besides
whom it is for (`scope`, `agent`), what can go wrong (`risk`) and has four sections. See `parse`, `compose`, `with_metadata`.
"""

from .document import Document, Fault
from .fields import FIELDS, OURS, OWN_KEYS, PUBLIC, RISKS, SCOPES
from .fields import NAME as NAME_PATTERN
from .limits import COMPATIBILITY_MOST, DESCRIPTION_MOST, NAME_MOST, SIZE_MOST
from .reading import parse
from .sections import SECTIONS
from .writing import compose, with_metadata

__all__ = [
    "COMPATIBILITY_MOST",
    "DESCRIPTION_MOST",
    "FIELDS",
    "NAME_MOST",
    "NAME_PATTERN",
    "OURS",
    "OWN_KEYS",
    "PUBLIC",
    "RISKS",
    "SCOPES",
    "SECTIONS",
    "SIZE_MOST",
    "Document",
    "Fault",
    "compose",
    "parse",
    "with_metadata",
]
