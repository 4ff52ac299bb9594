"""The filters that are on, in words."""

from digitalworker.common.types import Actor
from learning import words
from learning.choices import MemoryScope, Risk, Source
from learning.selectors import filters as known
from learning.selectors import views as saved
from learning.selectors.filters import AGEING, ME, NOBODY, Filters


def labels(filters: Filters, actor: Actor) -> dict[str, str]:
    """What is filtered by, in words, for the filters that no chip of the list stands for. The field's name leads to it."""
    said = {
        "kind": known.KINDS.get(filters.kind, ""),
        "scope": dict(MemoryScope.choices).get(filters.scope, ""),
        "risk": dict(Risk.choices).get(filters.risk, ""),
        "finding": known.FINDING_LABELS.get(filters.finding, ""),
        "source": dict(Source.choices).get(filters.source, ""),
        "updates": "Updates" if filters.updates else "",
        "alike": "Alike" if filters.alike else "",
        "q": f"“{words.plain(filters.q, 24)}”" if filters.q else "",
        "sort": known.SORTS[filters.sort] if filters.sort else "",
    }
    if filters.age not in {"", str(AGEING.days)}:
        said["age"] = f"Older than {known.AGES[filters.age]}"
    if filters.channel:
        said["channel"] = saved.channel_name(actor, filters.channel) or "Another channel"
    if filters.assignee == NOBODY:
        said["assignee"] = "Assigned to nobody"
    elif filters.assignee not in {"", ME}:
        said["assignee"] = f"Assigned to {saved.member_name(actor, filters.assignee) or 'somebody else'}"
    return {name: label for name, label in said.items() if label}
