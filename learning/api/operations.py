"""REST: how detection goes, and another go for what failed."""

from rest_framework import serializers

from digitalworker.agents.choices import Scope
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import StrictSerializer

from ..actions import detections
from ..choices import DetectionState
from ..selectors.operations import COUNTED_MOST, FAILURES_SHOWN, operations

OPERATORS = frozenset({Scope.ADMIN})


class QueueOut(serializers.Serializer):
    """Messages still to be looked at."""

    depth = serializers.IntegerField(help_text=f"Counted up to {COUNTED_MOST:,}; `more` says that there are more.")
    more = serializers.BooleanField()
    queued = serializers.IntegerField(help_text="Due now.")
    working = serializers.IntegerField(help_text="Being looked at.")
    waiting = serializers.DictField(
        child=serializers.IntegerField(), help_text="By reason: over_budget, model_down, error."
    )
    oldest = serializers.DateTimeField(allow_null=True, help_text="When the longest waiting one came in.")


class FailureOut(serializers.Serializer):
    event_id = serializers.UUIDField()
    role_agent = serializers.CharField(source="role_agent.code")
    error = serializers.CharField(help_text="The error's class.")
    attempts = serializers.IntegerField(source="failures")
    failed_at = serializers.DateTimeField(source="finished_at")


class LatelyOut(serializers.Serializer):
    """How it ended in the last seven days."""

    outcomes = serializers.DictField(child=serializers.IntegerField())
    setbacks = serializers.DictField(
        child=serializers.IntegerField(), help_text="What kept the usual detector from listening."
    )
    triage_share = serializers.FloatField(
        allow_null=True, help_text="Of those looked at where learning is on, set aside at first sight."
    )


class SpendOut(serializers.Serializer):
    """The detector's model calls of today (UTC) and their budget."""

    enabled = serializers.BooleanField(source="access.enabled")
    calls = serializers.IntegerField(source="today.sum_calls")
    daily_calls = serializers.IntegerField(source="access.daily_calls")
    tokens = serializers.IntegerField(source="today.sum_tokens")
    daily_tokens = serializers.IntegerField(source="access.daily_tokens")
    failed = serializers.IntegerField(source="today.sum_failed")
    refused = serializers.IntegerField(source="today.sum_refused")


class OperationsOut(serializers.Serializer):
    """Numbers only; never what was said."""

    queue = QueueOut()
    failed = serializers.IntegerField(help_text=f"Counted up to {COUNTED_MOST:,}.")
    failures = FailureOut(many=True, help_text=f"The latest {FAILURES_SHOWN}.")
    lately = LatelyOut()
    detector = serializers.CharField(help_text="The model's name, or `local extractor`.")
    spend = SpendOut()
    worker_seen_at = serializers.DateTimeField(allow_null=True)
    worker_beats = serializers.BooleanField()
    not_looked_through = serializers.IntegerField(
        help_text="Proposals and memories that could not be looked through for personal data. Each is tried again, less often "
        "each time, and once a day at least."
    )
    unsent = serializers.IntegerField(
        help_text="Mails to people who were given proposals that failed five times, in the last seven days."
    )


class Operations(Endpoint):
    scopes = {"GET": OPERATORS}

    @operation("operations_read", "How looking for something to learn goes", answer=OperationsOut)
    def get(self, request):
        return operations(self.actor)


class Retry(StrictSerializer):
    event_id = serializers.UUIDField(allow_null=True, help_text="One failed message; null: all that failed.")


class RetriedOut(serializers.Serializer):
    state = serializers.ChoiceField([(DetectionState.PENDING.value, DetectionState.PENDING.value)])
    messages = serializers.IntegerField(help_text="How many are looked at again.")


class RetryFailed(Endpoint):
    scopes = {"POST": OPERATORS}

    @operation(
        "operations_retry",
        "Have failed messages looked at again",
        details="409 `not_failed` where there is nothing to retry.",
        body=Retry,
        answer=RetriedOut,
        status=202,
    )
    def post(self, request, data):
        count = 1
        if event_id := data["event_id"]:
            detections.retry(actor=self.actor, event_id=event_id)
        else:
            count = detections.retry_all(actor=self.actor)
        return {"state": DetectionState.PENDING, "messages": count}


register("operations/", Operations, "operations")
register("operations/retry/", RetryFailed, "operations-retry")
