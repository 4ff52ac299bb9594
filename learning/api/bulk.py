"""REST: many items decided in one call."""

from rest_framework import serializers

from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import OneOf, Revision, StrictSerializer, Text
from digitalworker.common.text import REASON_MOST

from ..actions import bulk
from ..choices import Why
from ..policies import TRANSITIONS
from .shared import REVIEWERS

NAMES = {TRANSITIONS[name].address: name for name in bulk.NAMES}  # as `allowed_actions` gives them


class BulkChoice(StrictSerializer):
    id = serializers.UUIDField()
    revision = Revision()
    digest = Text(max_length=64, required=False, help_text="The `digest` of the text you read; approving needs it.")
    replaces_seen = Text(max_length=60, required=False, allow_blank=True, help_text="As of a single approval.")


class BulkDecision(StrictSerializer):
    """One action for many items. Those that changed since you read them are left, and the answer says so."""

    action = OneOf([(address, address) for address in NAMES])
    items = BulkChoice(many=True, allow_empty=False, max_length=bulk.MOST)  # type: ignore[call-arg]  # of the list
    reason = Text(max_length=REASON_MOST, allow_blank=True, required=False, help_text="Of an approval or a rejection.")
    why = OneOf(Why.choices, required=False, help_text="Of a rejection.")
    to = serializers.EmailField(
        required=False,
        allow_null=True,
        help_text="Whom `reassign` gives the items: an e-mail address; null for nobody.",
    )

    def validate(self, data):
        fitting = {"approve": {"reason"}, "reject": {"reason", "why"}, "reassign": {"to"}}.get(data["action"], set())
        errors = {
            name: [f"This does not go with {data['action']}."] for name in data.keys() - {"action", "items"} - fitting
        }
        if data["action"] == "reassign" and "to" not in data:
            errors["to"] = ["Say whom, or null for nobody."]
        if data["action"] == "approve" and any("digest" not in item for item in data["items"]):
            errors["items"] = ["An approval names the digest of each text."]
        if data["action"] != "approve" and any("replaces_seen" in item for item in data["items"]):
            errors["items"] = [f"replaces_seen does not go with {data['action']}."]
        if errors:
            raise serializers.ValidationError(errors)
        return data


class BulkResultOut(serializers.Serializer):
    id = serializers.UUIDField(source="item_id")
    status = serializers.SerializerMethodField(help_text="As if it had been decided alone: 200, 403, 404, 409 or 422.")
    revision = serializers.IntegerField(source="item.revision", default=None, allow_null=True)
    code = serializers.CharField(source="error.code", default=None, allow_null=True)
    detail = serializers.CharField(source="error.detail", default=None, allow_null=True)

    def get_status(self, result: bulk.Result) -> int:
        return result.error.status if result.error else 200


class BulkOut(serializers.Serializer):
    """What came of each item, in the order they were sent; one that was sent twice is there once."""

    done = serializers.IntegerField(help_text="How many of them were decided.")
    results = BulkResultOut(many=True)


class BulkDecisions(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "learning_items_bulk",
        "Decide many",
        details="Each is decided by itself, as by its own call: one that can not be leaves the others decided.",
        body=BulkDecision,
        answer=BulkOut,
    )
    def post(self, request, data):
        choices = [
            bulk.Choice(item["id"], item["revision"], item.get("digest"), item.get("replaces_seen"))
            for item in data.pop("items")
        ]
        how = {"email" if name == "to" else name: value for name, value in data.items() if name != "action"}
        results = bulk.decide(actor=self.actor, name=NAMES[data["action"]], choices=choices, **how)
        return {"done": sum(result.done for result in results), "results": results}


register("learning-items/bulk/", BulkDecisions, "learning-items-bulk")
