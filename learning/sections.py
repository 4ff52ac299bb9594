"""How memories read where an answer is given them: what the runtime writes, and what a reviewer is shown beforehand."""

from .choices import MemoryKind, MemoryScope

CHARACTERS_MOST = 3000  # what one answer carries of memories
MEMORIES_MOST = 20
SKILL_CHARACTERS_MOST = 6000  # what one answer carries of skills as a whole
HIDDEN = "(sensitive, not shown to you)"  # where somebody reads along who may not read this memory


def line_of(key: str | None, content: str) -> str:
    """One memory as one line. Line breaks are folded, so that no memory can pose as a heading or as another memory."""
    content = " ".join(content.split())
    return f"{key}: {content}" if key else content


def title_of(scope: str, kind: str, *, organization: str, agent: str) -> str:
    """The heading such a memory stands under."""
    if scope == MemoryScope.ORGANIZATION:
        return f"What everyone at {organization} knows"
    if scope == MemoryScope.ROLE_AGENT:
        return f"What {agent} knows"
    return "How this user wants to be answered" if kind == MemoryKind.RULE else "Known facts about this user"
