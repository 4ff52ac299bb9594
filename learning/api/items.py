"""REST: the inbox."""

from rest_framework import serializers

from digitalworker.agents.policies import managed_agents
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.filters import PageQuery
from digitalworker.api.pagination import page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, Revision, StrictSerializer, Text

from ..actions import review
from ..choices import ItemKind, ItemStatus, MemoryKind, Risk, Source
from ..models import LearningItem
from ..policies import TRANSITIONS, allowed_actions, visible_items
from ..selectors.inbox import find_item
from .shared import READERS, REASON_MOST, REVIEWERS, Guarded, Seen


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
    source = serializers.ChoiceField(Source.choices)  # type: ignore[assignment]  # a field called as an option of its base
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
        return find_item(self.actor, item_id)


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


register("learning-items/", LearningItems, "learning-items")
register("learning-items/<uuid:item_id>/", OneLearningItem, "learning-item")
for name, endpoint in {"approve": ApproveItem, "reject": RejectItem, "edit": EditItem, "reopen": ReopenItem}.items():
    assert name in TRANSITIONS  # noqa: S101 - the address is the transition's name, as `allowed_actions` gives it
    register(f"learning-items/<uuid:item_id>/{name}/", endpoint, f"learning-item-{name}")
