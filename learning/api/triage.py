"""REST: what can be done with a proposal besides deciding it."""

from rest_framework import serializers

from digitalworker.api.endpoints import operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import Revision, StrictSerializer

from ..actions import convert, reassign, sensitivity
from ..policies import TRANSITIONS
from .items import InboxEndpoint, LearningItemOut
from .memories import NotSensitive
from .shared import REVIEWERS, Seen


class Assignment(StrictSerializer):
    revision = Revision()
    to = serializers.EmailField(
        allow_null=True, help_text="E-mail address of somebody who may decide it; null for nobody."
    )


class ReassignItem(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_reassign",
        "Say who is expected to decide it",
        details="It bars nobody: whoever may decide it still can.",
        body=Assignment,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return reassign.reassign(actor=self.actor, item_id=item_id, revision=data["revision"], email=data["to"])


class MarkSensitive(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_mark_sensitive",
        "Let only owners and admins read and decide it",
        body=Seen,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return sensitivity.mark_sensitive(actor=self.actor, item_id=item_id, **data)


class UnmarkSensitive(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_unmark_sensitive",
        "Let the role-agent's managers read and decide it again",
        body=NotSensitive,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return sensitivity.unmark_sensitive(actor=self.actor, item_id=item_id, **data)


class ConvertItem(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_convert",
        "Make a memory a skill, or a skill a memory",
        details="It stays pending. A draft that nobody changed gives back the memory it was written from.",
        body=Seen,
        answer=LearningItemOut,
    )
    def post(self, request, item_id, data):
        return convert.convert(actor=self.actor, item_id=item_id, **data)


for name, endpoint in {
    "reassign": ReassignItem,
    "mark_sensitive": MarkSensitive,
    "unmark_sensitive": UnmarkSensitive,
    "convert": ConvertItem,
}.items():
    address = TRANSITIONS[name].address
    register(f"learning-items/<uuid:item_id>/{address}/", endpoint, f"learning-item-{address}")
