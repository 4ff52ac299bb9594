"""REST: what is known."""

from rest_framework import serializers

from digitalworker.agents.api import get_person
from digitalworker.agents.policies import get_agent, visible_agents
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.filters import PageQuery, Query
from digitalworker.api.pagination import page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, OneOf, Revision, StrictSerializer, Text
from digitalworker.common.text import REASON_MOST, clean

from ..actions import remember as memory_actions
from ..actions.pin import PINS_MOST, pin_memory, unpin_memory
from ..actions.promote import demote_memory, promote_memory
from ..actions.sensitivity import unmark_memory
from ..choices import MemoryKind, MemoryScope, MemoryStatus, Risk, Source
from ..policies import may_read_sensitive, visible_memories
from ..selectors.library import NO, SEARCH_MOST, SORTS, YES, MemoryFilters, narrowed
from ..selectors.memories import find_memory
from .shared import READERS, REVIEWERS, Guarded, Seen


class MemoryOut(Guarded):
    """Something known. `revision` is what a change must send back."""

    SECRETS = ("person", "key", "content", "digest", "risk", "pii_entities", "confidence", "event", "thread", "item")

    id = serializers.UUIDField()
    scope = serializers.ChoiceField(MemoryScope.choices)
    role_agent = serializers.CharField(source="role_agent.code", default=None, allow_null=True, help_text="Its code.")
    person = serializers.CharField(
        source="person.external_user_id", default=None, allow_null=True, help_text="The person's external_user_id."
    )
    kind = serializers.ChoiceField(MemoryKind.choices)
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(MemoryStatus.choices)
    superseded_by = serializers.UUIDField(source="superseded_by_id", allow_null=True)
    risk = serializers.ChoiceField(Risk.choices, allow_null=True)
    sensitive = serializers.BooleanField()
    pii_entities = serializers.ListField(child=serializers.CharField(), allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    source = serializers.ChoiceField(Source.choices)  # type: ignore[assignment]  # a field called as an option of its base
    created_by = serializers.CharField(source="created_by_label")
    event = serializers.UUIDField(source="event_id", allow_null=True, help_text="The message it was learned from.")
    thread = serializers.UUIDField(source="thread_id", allow_null=True)
    item = serializers.UUIDField(source="item_id", allow_null=True, help_text="The learning item that was approved.")
    reviewed_by = serializers.CharField(source="reviewer_label")
    reviewed_at = serializers.DateTimeField(allow_null=True)
    autosaved = serializers.BooleanField(help_text="Let in by policy, without asking a person.")
    pinned = serializers.BooleanField(help_text="First in its part of every answer.")
    use_count = serializers.IntegerField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True)


class Narrowed(Query):
    """The filters of a list of memories, the same as in the console."""

    q = serializers.CharField(
        max_length=SEARCH_MOST,
        required=False,
        help_text="All of these words, or beginnings of words, in content or key.",
    )
    role_agent = serializers.CharField(max_length=40, required=False, help_text="Code of a role-agent.")
    person = serializers.CharField(max_length=200, required=False, help_text="An external_user_id.")
    scope = OneOf(MemoryScope.choices, required=False)
    kind = OneOf(MemoryKind.choices, required=False)
    risk = OneOf(Risk.choices, required=False)
    source = OneOf(Source.choices, required=False)  # type: ignore[assignment]  # as above
    sensitive = Flag(required=False)
    autosaved = Flag(required=False, help_text="Let in by policy, without asking a person.")
    pinned = Flag(required=False)
    unused = Flag(required=False, help_text="Never yet in an answer.")
    reviewer = serializers.CharField(max_length=SEARCH_MOST, required=False, help_text="Part of who let it in.")
    status = OneOf(
        [*MemoryStatus.choices, ("any", "Any")],
        default=MemoryStatus.ACTIVE,
        help_text="What is known now, unless you ask for more.",
    )

    def validate_unused(self, value: bool) -> bool:
        if not value:
            raise serializers.ValidationError("Use true, or leave it away.")
        return value


def filters_of(query: dict) -> MemoryFilters:
    """All but role_agent and person, which the caller looks up."""
    exact = {name: query[name] for name in ("scope", "kind", "risk", "source", "reviewer") if name in query}
    flags = {name: YES if query[name] else NO for name in ("sensitive", "autosaved", "pinned") if name in query}
    return MemoryFilters(
        status="" if query["status"] == "any" else query["status"],
        search=clean(query.get("q", "")),
        unused=query.get("unused", False),
        sort=query.get("sort", ""),
        **exact,
        **flags,
    )


class MemoryQuery(Narrowed, PageQuery):
    sort = OneOf(
        [(name, words) for name, (words, _, _) in SORTS.items() if name], required=False, help_text="Else newest first."
    )


class NewMemory(StrictSerializer):
    """With a `key`, what the key held is superseded."""

    role_agent = Text(max_length=40, help_text="Code of the role-agent it is taught through.")
    scope = OneOf(MemoryScope.choices, default=MemoryScope.ROLE_AGENT)
    external_user_id = Text(max_length=200, required=False, help_text="Of the person, for the scope person.")
    kind = OneOf(MemoryKind.choices, default=MemoryKind.FACT)
    key = Text(allow_null=True, default=None)
    content = Text()
    risk = OneOf(Risk.choices, default=Risk.LOW)
    sensitive = Flag(default=False)

    def validate(self, data):
        about_person = data["scope"] == MemoryScope.PERSON
        if about_person != ("external_user_id" in data):
            message = "Say which person." if about_person else "Only a memory about a person names one."
            raise serializers.ValidationError({"external_user_id": [message]})
        return data


class MemoryWording(StrictSerializer):
    revision = Revision()
    content = Text()


class Replacement(MemoryWording):
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class DeletionQuery(Query):
    revision = Revision()
    reason = serializers.CharField(max_length=REASON_MOST, allow_blank=True, default="")


class Memories(Endpoint):
    scopes = {"GET": READERS, "POST": REVIEWERS}

    @operation("memories_list", "What is known, newest first", query=MemoryQuery, answer=page_of(MemoryOut))
    def get(self, request, query):
        rows, filters = visible_memories(self.actor).select_related("role_agent", "person"), filters_of(query)
        if "role_agent" in query:
            rows = rows.filter(role_agent=visible_agents(self.actor).filter(code=query["role_agent"]).first())
        if "person" in query:
            rows = rows.filter(person__external_user_id=query["person"])
            if not may_read_sensitive(self.actor):
                rows = rows.filter(sensitive=False)  # whom a hidden one is about, is hidden too
        _, order, worked_out = SORTS[filters.sort]
        if not filters.sort and "role_agent" not in query:
            order = ("-id",)  # by time too, and there is an index for it over all role-agents
        return self.page(narrowed(self.actor, rows, filters).annotate(**worked_out), query, order=order)

    @operation("memories_create", "Remember something by hand", body=NewMemory, answer=MemoryOut, status=201)
    def post(self, request, data):
        agent = get_agent(self.actor, data.pop("role_agent"))
        person = get_person(agent, data.pop("external_user_id")) if "external_user_id" in data else None
        return memory_actions.remember(actor=self.actor, role_agent=agent, person=person, source=Source.API, **data)


class OneMemory(Endpoint):
    scopes = {"GET": READERS, "PATCH": REVIEWERS, "DELETE": REVIEWERS}

    @operation("memories_read", "One memory, in whatever state", answer=MemoryOut)
    def get(self, request, memory_id):
        return find_memory(self.actor, memory_id)

    @operation("memories_edit", "Mend its wording in place", body=MemoryWording, answer=MemoryOut)
    def patch(self, request, memory_id, data):
        return memory_actions.edit_memory(actor=self.actor, memory_id=memory_id, **data)

    @operation(
        "memories_delete",
        "Take it out of every answer",
        details="It can be restored; the answer is the memory as it is now.",
        query=DeletionQuery,
        answer=MemoryOut,
    )
    def delete(self, request, memory_id, query):
        return memory_actions.delete_memory(actor=self.actor, memory_id=memory_id, **query)


class SupersedeMemory(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_supersede",
        "Put a new memory in its place",
        details="The old one stays readable as superseded; the answer is the new one.",
        body=Replacement,
        answer=MemoryOut,
        status=201,
    )
    def post(self, request, memory_id, data):
        return memory_actions.supersede(actor=self.actor, memory_id=memory_id, **data)


class RestoreMemory(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation("memories_restore", "Make a deleted or superseded memory live again", body=Seen, answer=MemoryOut)
    def post(self, request, memory_id, data):
        return memory_actions.restore_memory(actor=self.actor, memory_id=memory_id, **data)


class Promotion(Seen):
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class PromoteMemory(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_promote",
        "Let every role-agent know it",
        details="Only what a role-agent knows can be promoted. Its row is superseded by the organisation's, which is the "
        "answer. Where everyone knows something under that key already, the answer is a 409 with its `holder`.",
        body=Promotion,
        answer=MemoryOut,
        status=201,
    )
    def post(self, request, memory_id, data):
        return promote_memory(actor=self.actor, memory_id=memory_id, **data)


class DemoteMemory(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_demote",
        "Undo a promotion",
        details="What everyone knew is deleted; the answer is the role-agent's own memory, live again.",
        body=Seen,
        answer=MemoryOut,
    )
    def post(self, request, memory_id, data):
        return demote_memory(actor=self.actor, memory_id=memory_id, **data)


class NotSensitive(Seen):
    reason = Text(max_length=REASON_MOST)


class UnmarkSensitive(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_unmark_sensitive",
        "Let the role-agent's managers read and decide it again",
        details="What it said before stays hidden from them.",
        body=NotSensitive,
        answer=MemoryOut,
    )
    def post(self, request, memory_id, data):
        return unmark_memory(actor=self.actor, memory_id=memory_id, **data)


class PinMemory(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_pin",
        "Put it first in its part of every answer",
        details=f"At most {PINS_MOST} of one role-agent, one person or the organisation; one more is a 409 `full`.",
        body=Seen,
        answer=MemoryOut,
    )
    def post(self, request, memory_id, data):
        return pin_memory(actor=self.actor, memory_id=memory_id, **data)


class UnpinMemory(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation("memories_unpin", "Use it when it fits the question", body=Seen, answer=MemoryOut)
    def post(self, request, memory_id, data):
        return unpin_memory(actor=self.actor, memory_id=memory_id, **data)


register("memories/", Memories, "memories")
register("memories/<uuid:memory_id>/", OneMemory, "memory")
register("memories/<uuid:memory_id>/supersede/", SupersedeMemory, "memory-supersede")
register("memories/<uuid:memory_id>/restore/", RestoreMemory, "memory-restore")
register("memories/<uuid:memory_id>/promote/", PromoteMemory, "memory-promote")
register("memories/<uuid:memory_id>/demote/", DemoteMemory, "memory-demote")
register("memories/<uuid:memory_id>/unmark-sensitive/", UnmarkSensitive, "memory-unmark-sensitive")
register("memories/<uuid:memory_id>/pin/", PinMemory, "memory-pin")
register("memories/<uuid:memory_id>/unpin/", UnpinMemory, "memory-unpin")
