"""REST: events, memories and the inbox."""

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from digitalworker.agents.actions.conversations import BATCH_MOST, EventDraft
from digitalworker.agents.api import get_person
from digitalworker.agents.choices import AuthorKind, EventKind, Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import get_agent, managed_agents
from digitalworker.api.endpoints import Endpoint, operation, read_body
from digitalworker.api.filters import PageQuery, Query
from digitalworker.api.pagination import page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, Moment, Revision, StrictSerializer, Text
from digitalworker.common.errors import Invalid, NotFound

from .actions import remember as memory_actions
from .actions import review
from .actions.intake import take_in
from .choices import ItemKind, ItemStatus, MemoryKind, MemoryScope, MemoryStatus, Risk, Source
from .models import LearningItem
from .policies import TRANSITIONS, allowed_actions, may_read_sensitive, visible_items, visible_memories

REASON_MOST = 500
READERS = frozenset({Scope.REVIEW, Scope.AUDIT})
REVIEWERS = frozenset({Scope.REVIEW})


class Guarded(serializers.Serializer):
    """A row whose `SECRETS` are null, and `hidden` true, where it is sensitive and the key may only know that it exists."""

    SECRETS: tuple[str, ...] = ()

    hidden = serializers.SerializerMethodField(help_text="True where its text is withheld from this key.")

    def get_hidden(self, row) -> bool:
        return row.sensitive and not may_read_sensitive(self.context["actor"])

    def to_representation(self, row):
        shown = super().to_representation(row)
        return shown | dict.fromkeys(self.SECRETS) if shown["hidden"] else shown


# --- events ---------------------------------------------------------------------------------------------------------


class NewEvent(StrictSerializer):
    """Something said or done. It goes to the thread named, or to a new one."""

    kind = serializers.ChoiceField(EventKind.choices, default=EventKind.MESSAGE)
    text = Text(allow_blank=True, default="")
    author_kind = serializers.ChoiceField(AuthorKind.choices, default=AuthorKind.PERSON)
    author = Text(allow_blank=True, default="", help_text="A name to show.")
    verified = Flag(default=False, help_text="You checked the sender's identity.")
    external_user_id = Text(allow_null=True, default=None)
    thread_id = serializers.UUIDField(allow_null=True, default=None)
    thread_external_id = Text(allow_null=True, default=None, help_text="Your own id of the conversation.")
    channel = Text(allow_null=True, default=None, help_text="Name or provider's id of an assigned channel.")
    payload = serializers.DictField(default=dict)
    idempotency_key = Text(allow_null=True, default=None, help_text="Sent twice, the event is stored once.")
    occurred_at = Moment(allow_null=True, default=None, help_text="Now, unless you say when.")


class NewEvents(StrictSerializer):
    events = NewEvent(many=True, allow_empty=False, max_length=BATCH_MOST)  # type: ignore[call-arg]


class RecordedOut(serializers.Serializer):
    id = serializers.UUIDField(source="event.id")
    thread_id = serializers.UUIDField(source="event.thread_id")
    duplicate = serializers.SerializerMethodField(
        help_text="Its idempotency key was known; this is the event kept then."
    )

    def get_duplicate(self, recorded) -> bool:
        return not recorded.created


class RecordedEventsOut(serializers.Serializer):
    """The events are stored. What is to be learned from them is looked at later."""

    events = RecordedOut(many=True, help_text="In the order they were sent.")
    duplicates = serializers.IntegerField()


class Events(Endpoint):
    scopes = {"POST": {Scope.RUNTIME}}

    @operation(
        "role_agents_events",
        "Tell it what was said or done",
        details='One event, or `{"events": [...]}`. All are stored, or, if one can not be taken, none; `errors` then '
        "names each by its place, such as `1.text`.",
        documented_body=PolymorphicProxySerializer("Events", [NewEvent, NewEvents], resource_type_field_name=None),
        answer=RecordedEventsOut,
        status=202,
    )
    def post(self, request, code):
        agent = get_agent(self.actor, code)
        recorded = _record(self.actor, agent, request.data)
        return {"events": recorded, "duplicates": sum(not one.created for one in recorded)}


def _record(actor, agent: RoleAgent, body):
    many = isinstance(body, dict) and "events" in body
    try:
        rows = read_body(NewEvents, body)["events"] if many else [read_body(NewEvent, body)]
        return take_in(actor=actor, role_agent=agent, drafts=[EventDraft(**row) for row in rows])
    except serializers.ValidationError as error:
        # The place alone names a faulty event, whichever floor found the fault.
        raise serializers.ValidationError(_by_place(error.detail)) from None
    except Invalid as error:
        if not many:
            error.errors = {name.removeprefix("0."): messages for name, messages in error.errors.items()}
        raise


def _by_place(detail):
    faults = detail.get("events") if isinstance(detail, dict) else None
    if not isinstance(faults, dict) or "non_field_errors" in faults:
        return detail
    return {name: fault for name, fault in detail.items() if name != "events"} | faults


# --- memories -------------------------------------------------------------------------------------------------------


class MemoryOut(Guarded):
    """Something known. `revision` is what a change must send back."""

    SECRETS = ("key", "content", "digest", "pii_entities")

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
    risk = serializers.ChoiceField(Risk.choices)
    sensitive = serializers.BooleanField()
    pii_entities = serializers.ListField(child=serializers.CharField(), allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    source = serializers.ChoiceField(Source.choices)  # type: ignore[assignment]
    created_by = serializers.CharField(source="created_by_label")
    event = serializers.UUIDField(source="event_id", allow_null=True, help_text="The message it was learned from.")
    thread = serializers.UUIDField(source="thread_id", allow_null=True)
    item = serializers.UUIDField(source="item_id", allow_null=True, help_text="The learning item that was approved.")
    reviewed_by = serializers.CharField(source="reviewer_label")
    reviewed_at = serializers.DateTimeField(allow_null=True)
    use_count = serializers.IntegerField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True)


class MemoryQuery(PageQuery):
    role_agent = serializers.CharField(max_length=40, required=False, help_text="Code of a role-agent.")
    person = serializers.CharField(max_length=200, required=False, help_text="An external_user_id.")
    scope = serializers.ChoiceField(MemoryScope.choices, required=False)
    kind = serializers.ChoiceField(MemoryKind.choices, required=False)
    sensitive = Flag(required=False)
    status = serializers.ChoiceField(
        [*MemoryStatus.choices, ("any", "Any")],
        default=MemoryStatus.ACTIVE,
        help_text="What is known now, unless you ask for more.",
    )


class NewMemory(StrictSerializer):
    """With a `key`, what the key held is superseded."""

    role_agent = Text(max_length=40, help_text="Code of the role-agent it is taught through.")
    scope = serializers.ChoiceField(MemoryScope.choices, default=MemoryScope.ROLE_AGENT)
    external_user_id = Text(max_length=200, required=False, help_text="Of the person, for the scope person.")
    kind = serializers.ChoiceField(MemoryKind.choices, default=MemoryKind.FACT)
    key = Text(allow_null=True, default=None)
    content = Text()
    risk = serializers.ChoiceField(Risk.choices, default=Risk.LOW)
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


class Seen(StrictSerializer):
    revision = Revision()


class DeletionQuery(Query):
    revision = Revision()
    reason = serializers.CharField(max_length=REASON_MOST, allow_blank=True, default="")


class Memories(Endpoint):
    scopes = {"GET": READERS, "POST": REVIEWERS}

    @operation("memories_list", "What is known, newest first", query=MemoryQuery, answer=page_of(MemoryOut))
    def get(self, request, query):
        rows = visible_memories(self.actor).select_related("role_agent", "person")
        columns = {"role_agent": "role_agent__code", "person": "person__external_user_id", "status": "status"}
        columns |= {"scope": "scope", "kind": "kind", "sensitive": "sensitive"}
        exact = {column: query[name] for name, column in columns.items() if query.get(name, "any") != "any"}
        return self.page(rows.filter(**exact), query)

    @operation("memories_create", "Remember something by hand", body=NewMemory, answer=MemoryOut, status=201)
    def post(self, request, data):
        agent = get_agent(self.actor, data.pop("role_agent"))
        person = get_person(agent, data.pop("external_user_id")) if "external_user_id" in data else None
        return memory_actions.remember(actor=self.actor, role_agent=agent, person=person, source=Source.API, **data)


class OneMemory(Endpoint):
    scopes = {"GET": READERS, "PATCH": REVIEWERS, "DELETE": REVIEWERS}

    @operation("memories_read", "One memory, in whatever state", answer=MemoryOut)
    def get(self, request, memory_id):
        memory = visible_memories(self.actor).select_related("role_agent", "person").filter(pk=memory_id).first()
        if memory is None:
            raise NotFound("There is no such memory.")
        return memory

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


# --- the inbox ------------------------------------------------------------------------------------------------------


class LearningItemOut(Guarded):
    """Something proposed. A decision sends back `revision`, and an approval also the `digest` of what was read."""

    SECRETS = ("proposed", "digest", "source_refs", "rationale", "findings", "pii_entities", "decision_reason")

    id = serializers.UUIDField()
    role_agent = serializers.CharField(source="role_agent.code")
    person = serializers.CharField(source="person.external_user_id", default=None, allow_null=True)
    kind = serializers.ChoiceField(ItemKind.choices)
    status = serializers.ChoiceField(ItemStatus.choices)
    proposed = serializers.DictField(
        source="proposed_payload", allow_null=True, help_text="`scope`, `kind`, `key` and `content` of the memory."
    )
    digest = serializers.CharField(allow_null=True)
    revision = serializers.IntegerField()
    source_refs = serializers.ListField(
        child=serializers.DictField(), allow_null=True, help_text="The messages it rests on, and where in them."
    )
    evidence_count = serializers.IntegerField()
    event = serializers.UUIDField(source="event_id", allow_null=True)
    thread = serializers.UUIDField(source="thread_id", allow_null=True)
    source = serializers.ChoiceField(Source.choices)  # type: ignore[assignment]
    proposed_by = serializers.CharField(source="proposed_by_label")
    rationale = serializers.CharField(allow_null=True)
    risk = serializers.ChoiceField(Risk.choices)
    sensitive = serializers.BooleanField()
    findings = serializers.ListField(allow_null=True)
    pii_entities = serializers.ListField(child=serializers.CharField(), allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    replaces = serializers.UUIDField(
        source="replaces_id", allow_null=True, help_text="The memory an approval supersedes."
    )
    memory = serializers.UUIDField(source="memory_id", allow_null=True, help_text="The memory an approval made.")
    decided_by = serializers.CharField(source="decided_by_label")
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField(allow_null=True)
    edited = serializers.BooleanField()
    allowed_actions = serializers.SerializerMethodField(help_text="What this key may do to it now.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_allowed_actions(self, item: LearningItem) -> list[str]:
        known = self.context["reviewable"]
        return [action.name for action in allowed_actions(self.context["actor"], item, reviewable=known)]


class LearningItemQuery(PageQuery):
    role_agent = serializers.CharField(max_length=40, required=False, help_text="Code of a role-agent.")
    status = serializers.ChoiceField(ItemStatus.choices, required=False)
    kind = serializers.ChoiceField(ItemKind.choices, required=False)
    risk = serializers.ChoiceField(Risk.choices, required=False)
    sensitive = Flag(required=False)
    person = serializers.CharField(max_length=200, required=False, help_text="An external_user_id.")


class EditedMemory(StrictSerializer):
    """What changes of the proposal. Its scope and whom it is about never do."""

    kind = serializers.ChoiceField(MemoryKind.choices, required=False)
    key = Text(allow_null=True, required=False)
    content = Text(required=False)


class Approval(StrictSerializer):
    revision = Revision()
    digest = Text(max_length=64, help_text="The `digest` of the text you read.")
    edited = EditedMemory(required=False, help_text="Approve it in these words instead.")
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class Rejection(StrictSerializer):
    revision = Revision()
    digest = Text(max_length=64, required=False)
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class ItemEdit(EditedMemory):
    revision = Revision()

    def validate(self, data):
        if len(data) == 1:
            raise serializers.ValidationError("Send what changes: kind, key or content.")
        return data


class InboxEndpoint(Endpoint):
    def render_context(self):
        reviewable = frozenset(managed_agents(self.actor).values_list("pk", flat=True))
        return super().render_context() | {"reviewable": reviewable}


class LearningItems(InboxEndpoint):
    scopes = {"GET": READERS}

    @operation(
        "learning_items_list",
        "What is proposed, and how it was decided, newest first",
        query=LearningItemQuery,
        answer=page_of(LearningItemOut),
    )
    def get(self, request, query):
        rows = visible_items(self.actor).select_related("role_agent", "person")
        columns = {"role_agent": "role_agent__code", "person": "person__external_user_id"}
        columns |= {name: name for name in ("status", "kind", "risk", "sensitive")}
        return self.page(
            rows.filter(**{column: query[name] for name, column in columns.items() if name in query}), query
        )


class OneLearningItem(InboxEndpoint):
    scopes = {"GET": READERS}

    @operation("learning_items_read", "One proposal", answer=LearningItemOut)
    def get(self, request, item_id):
        item = visible_items(self.actor).select_related("role_agent", "person").filter(pk=item_id).first()
        if item is None:
            raise NotFound("There is no such learning item.")
        return item


class ApproveItem(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_approve",
        "Let it become known",
        details="A second decision is a 409 that says who decided what.",
        body=Approval,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return review.approve(actor=self.actor, item_id=item_id, digest_seen=data.pop("digest"), **data)


class RejectItem(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation("learning_items_reject", "Do not learn it", body=Rejection, answer=LearningItemOut)
    def post(self, request, item_id, data):
        return review.reject(actor=self.actor, item_id=item_id, digest_seen=data.pop("digest", None), **data)


class EditItem(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_edit",
        "Change what is proposed, and leave it pending",
        details="Whoever had it open must read it again: the revision and the digest change.",
        body=ItemEdit,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return review.edit(actor=self.actor, item_id=item_id, revision=data.pop("revision"), changes=data)


class ReopenItem(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_reopen",
        "Undo a decision",
        details="It waits again, and the memory it had made leaves every answer.",
        body=Seen,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return review.reopen(actor=self.actor, item_id=item_id, **data)


register("role-agents/<slug:code>/events/", Events, "events")
register("memories/", Memories, "memories")
register("memories/<uuid:memory_id>/", OneMemory, "memory")
register("memories/<uuid:memory_id>/supersede/", SupersedeMemory, "memory-supersede")
register("memories/<uuid:memory_id>/restore/", RestoreMemory, "memory-restore")
register("learning-items/", LearningItems, "learning-items")
register("learning-items/<uuid:item_id>/", OneLearningItem, "learning-item")
for name, endpoint in {"approve": ApproveItem, "reject": RejectItem, "edit": EditItem, "reopen": ReopenItem}.items():
    assert name in TRANSITIONS  # noqa: S101 - the address is the transition's name, as `allowed_actions` gives it
    register(f"learning-items/<uuid:item_id>/{name}/", endpoint, f"learning-item-{name}")
