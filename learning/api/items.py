"""REST: the inbox."""

from rest_framework import serializers

from digitalworker.agents.api import get_person
from digitalworker.agents.policies import get_agent, managed_agents
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.pagination import page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import OneOf, Revision, StrictSerializer, Text
from digitalworker.common.errors import Conflict
from digitalworker.common.text import REASON_MOST

from ..actions import review
from ..actions.suggest import suggest
from ..choices import ItemKind, ItemStatus, MemoryKind, Risk, Source, Why
from ..models import LearningItem
from ..policies import TRANSITIONS, allowed_actions, may_read_sensitive
from ..selectors.inbox import filtered, find_item
from .item_query import LearningItemQuery, filters_of
from .memories import NewMemory
from .shared import READERS, REVIEWERS, Guarded, Seen


class LearningItemOut(Guarded):
    """Something proposed. A decision sends back `revision`, and an approval also the `digest` of what was read."""

    SECRETS = (
        "person",
        "proposed",
        "digest",
        "source_refs",
        "rationale",
        "findings",
        "pii_entities",
        "decision_reason",
        "event",
        "thread",
        "risk",
        "confidence",
        "detector",
        "replaces",
        "near",
        "skill",
    )

    id = serializers.UUIDField()
    role_agent = serializers.CharField(source="role_agent.code")
    person = serializers.CharField(source="person.external_user_id", default=None, allow_null=True)
    kind = serializers.ChoiceField(ItemKind.choices)
    status = serializers.ChoiceField(ItemStatus.choices)
    proposed = serializers.DictField(
        source="proposed_payload",
        allow_null=True,
        help_text="`scope`, `kind`, `key` and `content` of a memory; of a skill its `document` and what it was made from.",
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
    risk = serializers.ChoiceField(Risk.choices, allow_null=True)
    sensitive = serializers.BooleanField()
    findings = serializers.ListField(allow_null=True)
    pii_entities = serializers.ListField(child=serializers.CharField(), allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    detector = serializers.CharField(
        allow_null=True, help_text="What heard it: a model, or the local extractor. Empty: nobody listened for it."
    )
    assigned_to = serializers.EmailField(
        source="assigned_to.email", default=None, allow_null=True, help_text="Who is expected to decide it."
    )
    replaces = serializers.UUIDField(
        source="replaces_id", allow_null=True, help_text="The memory an approval supersedes."
    )
    near = serializers.UUIDField(
        source="near_id", allow_null=True, help_text="A memory it is much like; an approval leaves that as it is."
    )
    memory = serializers.UUIDField(source="memory_id", allow_null=True, help_text="The memory an approval made.")
    skill = serializers.UUIDField(
        source="skill_id", allow_null=True, help_text="The skill it would change, or that an approval made."
    )
    skill_version = serializers.UUIDField(
        source="skill_version_id", allow_null=True, help_text="The version of it that an approval made."
    )
    decided_by = serializers.CharField(source="decided_by_label")
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField(allow_null=True)
    edited = serializers.BooleanField()
    allowed_actions = serializers.SerializerMethodField(help_text="What this key may do to it now.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_allowed_actions(self, item: LearningItem) -> list[str]:
        known = self.context["reviewable"]
        return [action.address for action in allowed_actions(self.context["actor"], item, reviewable=known)]


class NewItem(NewMemory):
    """With a `key`, an approval supersedes what the key holds."""


class EditedMemory(StrictSerializer):
    """What changes of the proposal. Its scope and whom it is about never do."""

    kind = OneOf(MemoryKind.choices, required=False)
    key = Text(allow_null=True, required=False)
    content = Text(required=False)
    document = Text(required=False, trim_whitespace=False, help_text="Of a skill; it is changed as a whole.")
    tone_rules_md = Text(required=False, help_text="Of a soul, as the next two.")
    do_not_do_md = Text(required=False, allow_blank=True)
    critique_rules_md = Text(required=False, allow_blank=True)


class Approval(StrictSerializer):
    revision = Revision()
    digest = Text(max_length=64, help_text="The `digest` of the text you read.")
    edited = EditedMemory(required=False, help_text="Approve it in these words instead.")
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")
    replaces_seen = Text(
        max_length=60,
        allow_blank=True,
        required=False,
        help_text="What you read as the memory this replaces, as `id:revision`; empty for none. If it is another by now,"
        " nothing is replaced: 409 `replaces_changed`. Left out, it is not asked.",
    )


class Rejection(StrictSerializer):
    revision = Revision()
    digest = Text(max_length=64, required=False)
    why = OneOf(Why.choices, required=False, help_text="One of the usual reasons.")
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class ItemEdit(EditedMemory):
    revision = Revision()

    def validate(self, data):
        if len(data) == 1:
            raise serializers.ValidationError(
                "Send what changes: kind, key or content of a memory, or the document of a skill."
            )
        return data


class InboxEndpoint(Endpoint):
    def render_context(self):
        reviewable = frozenset(managed_agents(self.actor).values_list("pk", flat=True))
        return super().render_context() | {"reviewable": reviewable}


class LearningItems(InboxEndpoint):
    scopes = {"GET": READERS, "POST": REVIEWERS}

    @operation(
        "learning_items_list",
        "What is proposed, and how it was decided, newest first",
        query=LearningItemQuery,
        answer=page_of(LearningItemOut),
    )
    def get(self, request, query):
        filters = filters_of(self.actor, query)
        columns = {"kind": "kind", "person": "person__external_user_id", "sensitive": "sensitive"}
        rows = filtered(self.actor, filters).filter(**{columns[name]: query[name] for name in columns if name in query})
        if "person" in query and not may_read_sensitive(self.actor):
            rows = rows.filter(sensitive=False)  # whom a hidden one is about, is hidden too
        related = rows.select_related("organization", "role_agent", "person", "assigned_to")
        return self.page(related, query, order=filters.but(status="").order)

    @operation(
        "learning_items_create",
        "Propose something by hand",
        details="It waits for a person. What waits already in these words is the answer, and no second one is made; what is "
        "known already is a 409 `known_already` with its `holder`.",
        body=NewItem,
        answer=LearningItemOut,
        status=201,
    )
    def post(self, request, data):
        agent = get_agent(self.actor, data.pop("role_agent"))
        person = get_person(agent, data.pop("external_user_id")) if "external_user_id" in data else None
        proposed = suggest(actor=self.actor, role_agent=agent, person=person, source=Source.API, **data)
        if proposed.memory:
            holder = str(proposed.memory.pk)
            raise Conflict("This is known already, so nothing was proposed.", code="known_already", holder=holder)
        return proposed.item


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
    assert name in TRANSITIONS  # noqa: S101 - the address is the transition's, as `allowed_actions` gives it
    register(f"learning-items/<uuid:item_id>/{name}/", endpoint, f"learning-item-{name}")
