"""The responder that needs no model: it reads out what the context pack holds, and says that this is all it does.

Rules are for the agent to follow, not for the person to read, so they stay out; so does what hardly fits the question.
"""

from learning.choices import MemoryKind, MemoryScope

from .context import ContextPack, Included

LINES_MOST = 5
PROCEDURE_MOST = 1_500  # characters of a procedure that are read out
FITS_FROM = 0.2  # of 1: below, a memory shares next to nothing with the question
NO_MODEL = "No language model is configured, so this is a plain read-out of what I was given."


def respond(pack: ContextPack) -> str:
    told = [item for item in pack.included if item.memory.kind != MemoryKind.RULE]
    person = [item for item in told if item.memory.scope == MemoryScope.PERSON]
    shared = [item for item in told if item.memory.scope != MemoryScope.PERSON and item.memory.score >= FITS_FROM]
    shared = sorted(shared, key=lambda item: (-item.memory.score, str(item.memory.id)))[:LINES_MOST]
    parts = [NO_MODEL]
    if person:
        parts.append(_listed("About you I know:", person))
    if shared:
        parts.append(_listed("What may help with your question:", shared))
    parts += [f"The procedure {each.skill.name} says:\n{_beginning(each.body)}" for each in pack.procedures.loaded]
    if not person and not shared and not pack.procedures.loaded:
        parts.append("I know nothing yet that could help with your question. It is recorded.")
    return "\n\n".join(parts)


def _beginning(body: str) -> str:
    return body if len(body) <= PROCEDURE_MOST else f"{body[:PROCEDURE_MOST].rstrip()} …"


def _listed(title: str, items: list[Included]) -> str:
    return "\n".join([title, *(f"- {item.line}" for item in items)])
