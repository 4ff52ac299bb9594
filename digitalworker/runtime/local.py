"""The responder that needs no model: it reads out what the context pack holds, and says that this is all it does."""

from learning.choices import MemoryKind, MemoryScope

from .context import ContextPack

LINES_MOST = 6
NO_MODEL = "No language model is configured, so this is a plain read-out of what I was given."


def respond(pack: ContextPack) -> str:
    person = [item for item in pack.included if item.memory.scope == MemoryScope.PERSON and item.memory.kind != MemoryKind.RULE]
    shared = [item for item in pack.included if item.memory.scope != MemoryScope.PERSON]
    shared = sorted(shared, key=lambda item: (-item.memory.score, str(item.memory.id)))[:LINES_MOST]
    parts = [NO_MODEL]
    if person:
        parts.append("About you I know:\n" + "\n".join(f"- {item.line}" for item in person))
    if shared:
        parts.append("What may help with your question:\n" + "\n".join(f"- {item.line}" for item in shared))
    if not person and not shared:
        parts.append("I know nothing yet that could help with your question. It is recorded.")
    return "\n\n".join(parts)
