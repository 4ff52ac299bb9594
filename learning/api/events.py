"""REST: telling a role-agent what was said or done."""

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from digitalworker.agents.actions.conversations import BATCH_MOST, EventDraft
from digitalworker.agents.choices import AuthorKind, EventKind, Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import Endpoint, operation, read_body
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, Moment, OneOf, StrictSerializer, Text
from digitalworker.common.errors import Conflict, Invalid

from ..actions.intake import take_in

CONFLICT = "idempotency_conflict"


class NewEvent(StrictSerializer):
    """Something said or done. It goes to the thread named, or to a new one."""

    kind = OneOf(EventKind.choices, default=EventKind.MESSAGE)
    text = Text(allow_blank=True, default="")
    author_kind = OneOf(AuthorKind.choices, default=AuthorKind.PERSON)
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
    events = NewEvent(many=True, allow_empty=False, max_length=BATCH_MOST)  # type: ignore[call-arg]  # the stub knows no `many`


class RecordedOut(serializers.Serializer):
    id = serializers.UUIDField(source="event.id")
    thread_id = serializers.UUIDField(source="event.thread_id")
    duplicate = serializers.SerializerMethodField(
        help_text="Its idempotency key was known, with the same text; this is the event kept then."
    )
    code = serializers.SerializerMethodField(
        help_text="`idempotency_conflict`: its idempotency key belongs to the event named here, which has another text, so "
        "this one was not stored."
    )

    def get_duplicate(self, recorded) -> bool:
        return not recorded.created and not recorded.conflict

    @extend_schema_field(serializers.ChoiceField([(CONFLICT, CONFLICT)], allow_null=True))
    def get_code(self, recorded) -> str | None:
        return CONFLICT if recorded.conflict else None


class RecordedEventsOut(serializers.Serializer):
    """The events are stored. What is to be learned from them is looked at later."""

    events = RecordedOut(many=True, help_text="In the order they were sent.")
    duplicates = serializers.IntegerField()
    conflicts = serializers.IntegerField(help_text="Of another text than what was kept under their idempotency key.")


class Events(Endpoint):
    scopes = {"POST": {Scope.RUNTIME}}

    @operation(
        "role_agents_events",
        "Tell it what was said or done",
        details='One event, or `{"events": [...]}`. All are stored, or, if one can not be taken, none; `errors` then '
        "names each by its place, such as `1.text`. An event whose idempotency key belongs to another text adds nothing: "
        "alone it is a 409 `idempotency_conflict`, in a batch its `code` says so.",
        documented_body=PolymorphicProxySerializer("Events", [NewEvent, NewEvents], resource_type_field_name=None),
        answer=RecordedEventsOut,
        status=202,
    )
    def post(self, request, code):
        agent = get_agent(self.actor, code)
        recorded = _record(self.actor, agent, request.data)
        conflicts = sum(one.conflict for one in recorded)
        if conflicts and len(recorded) == 1:
            raise Conflict(
                "This idempotency key belongs to an event with another text. Nothing was stored.",
                code=CONFLICT,
                event=str(recorded[0].event.pk),
            )
        known = sum(not one.created for one in recorded)
        return {"events": recorded, "duplicates": known - conflicts, "conflicts": conflicts}


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


register("role-agents/<slug:code>/events/", Events, "events")
