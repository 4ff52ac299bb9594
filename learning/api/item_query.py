"""REST: what the inbox is asked for. The same filters as on its pages, in the words of the API."""

from rest_framework import serializers

from digitalworker.api.filters import PageQuery
from digitalworker.api.serializers import Flag, OneOf, Whole
from digitalworker.common.types import Actor

from ..choices import ItemKind, ItemStatus, MemoryKind, MemoryScope, Risk, Source
from ..selectors.filters import ARCHIVE_MOST, FINDING_LABELS, ME, NOBODY, SEARCH_MOST, SORTS, Filters
from ..selectors.views import member_id

LATEST = f"Of what is decided, the newest {ARCHIVE_MOST:,} of each state are looked through."


class LearningItemQuery(PageQuery):
    role_agent = serializers.CharField(max_length=40, required=False, help_text="Code of a role-agent.")
    status = OneOf(ItemStatus.choices, required=False)
    kind = OneOf(ItemKind.choices, required=False)
    memory_kind = OneOf(MemoryKind.choices, required=False, help_text="Of what kind a memory is.")
    scope = OneOf(MemoryScope.choices, required=False)
    risk = OneOf(Risk.choices, required=False)
    sensitive = Flag(required=False)
    person = serializers.CharField(max_length=200, required=False, help_text="An external_user_id.")
    assigned_to = serializers.CharField(
        max_length=254, required=False, help_text="An e-mail address, `me` for who issued the key, or `nobody`."
    )
    older_than_days = Whole(min_value=1, max_value=3650, required=False)
    finding = OneOf([*FINDING_LABELS.items()], required=False, help_text="What screening found.")
    source = OneOf(Source.choices, required=False)  # type: ignore[assignment]  # as an option of its base
    channel = serializers.UUIDField(required=False, help_text="Where it was heard.")
    updates = OneOf(["true"], required=False, help_text="Only what would replace something known.")
    decidable = OneOf(["true"], required=False, help_text="Only what this key may decide.")
    q = serializers.CharField(
        max_length=SEARCH_MOST, required=False, help_text=f"Words in it, or whom it is about. {LATEST}"
    )
    sort = OneOf(
        [(name, label) for name, label in SORTS.items() if name],
        required=False,
        help_text=f"Newest first unless given. By `risk` and `size`: {LATEST[0].lower()}{LATEST[1:]}",
    )


def filters_of(actor: Actor, query: dict) -> Filters:
    """All but `kind`, `person` and `sensitive`, which the API also takes where the pages do not."""
    assigned = query.get("assigned_to", "")
    same = {name: query[name] for name in ("scope", "risk", "finding", "source", "q", "sort") if name in query}
    return Filters(
        status=query.get("status", ""),
        agent=query.get("role_agent", ""),
        kind=query.get("memory_kind", ""),
        assignee=assigned if assigned in {"", ME, NOBODY} else member_id(actor, assigned),
        age=str(query.get("older_than_days", "")),
        channel=str(query.get("channel", "")),
        updates="updates" in query,
        yours="decidable" in query,
        **same,
    )
