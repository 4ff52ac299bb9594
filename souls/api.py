"""REST: the souls there are, which an agent has, and what is done to them. What is only proposed is the inbox's matter."""

from rest_framework import serializers

from digitalworker.agents.choices import Scope
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.filters import PageQuery
from digitalworker.api.pagination import page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import OneOf, Revision, StrictSerializer, Text, Whole
from digitalworker.common.errors import Invalid
from digitalworker.common.text import REASON_MOST

from .actions.assign import assign, pause_soul, resume_soul
from .actions.versions import describe, revert
from .models import CODE_MOST, NAME_MOST, SUMMARY_MOST, Soul, SoulAssignment, SoulVersion
from .policies import may_name, may_read, visible_souls
from .selectors import find_soul, soul_had_by

READERS = frozenset({Scope.REVIEW, Scope.AUDIT})
REVIEWERS = frozenset({Scope.REVIEW})
NUMBER_MOST = 2_147_483_647
ACTS = [(name, name) for name in ("assign", "pause", "resume")]


class SoulVersionOut(serializers.Serializer):
    """What a soul says, in markdown; a version never changes. Its words are null, and `hidden` true, where it is sensitive and
    the key may only know that it exists."""

    SECRETS = ("tone_rules_md", "do_not_do_md", "critique_rules_md", "digest", "item")

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    hidden = serializers.SerializerMethodField(help_text="True where its words are withheld from this key.")
    tone_rules_md = serializers.CharField(allow_null=True)
    do_not_do_md = serializers.CharField(allow_null=True)
    critique_rules_md = serializers.CharField(allow_null=True, help_text="Kept; no answer uses them yet.")
    digest = serializers.CharField(allow_null=True, help_text="SHA-256 over its three parts.")
    sensitive = serializers.BooleanField()
    item = serializers.UUIDField(source="item_id", allow_null=True, help_text="The learning item that was approved.")
    proposed_by = serializers.CharField(source="proposed_by_label")
    approved_by = serializers.CharField(source="approved_by_label")
    created_at = serializers.DateTimeField()

    def get_hidden(self, version: SoulVersion) -> bool:
        return not may_read(self.context["actor"], version)

    def to_representation(self, version):
        shown = super().to_representation(version)
        return shown | dict.fromkeys(self.SECRETS) if shown["hidden"] else shown


class SoulOut(serializers.Serializer):
    """How an agent talks. An act sends back `revision`."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    name = serializers.CharField(allow_null=True, help_text="Null where its version in use is hidden from this key.")
    summary = serializers.CharField(allow_null=True)
    active = SoulVersionOut(source="active_version", allow_null=True, help_text="The version in use.")
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def to_representation(self, soul):
        shown = super().to_representation(soul)
        return shown if may_name(self.context["actor"], soul) else shown | {"name": None, "summary": None}


class SoulChange(StrictSerializer):
    revision = Revision()
    name = Text(max_length=NAME_MOST, required=False)
    summary = Text(max_length=SUMMARY_MOST, allow_blank=True, required=False)


class SoulRevert(StrictSerializer):
    revision = Revision()
    number = Whole(min_value=1, max_value=NUMBER_MOST, help_text="Of the version that is to be in use again.")
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class AgentSoulOut(serializers.Serializer):
    """Which soul an agent talks by. `revision` is what an assignment sends back."""

    role_agent = serializers.CharField()
    soul = SoulOut(allow_null=True)
    assigned = serializers.BooleanField(help_text="False: it is the organisation's default.")
    paused = serializers.BooleanField(help_text="True: no answer has it until it is resumed.")
    revision = serializers.IntegerField(help_text="Of the assignment; 0 where there is none.")


class AgentSoulAct(StrictSerializer):
    action = OneOf(ACTS)
    soul = Text(max_length=CODE_MOST, required=False, help_text="The code of the soul to assign.")
    revision = Whole(
        min_value=0,
        max_value=NUMBER_MOST,
        required=False,
        help_text="Of the assignment that you saw, to assign another.",
    )
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="", help_text="Why it is paused or resumed.")

    def validate(self, given: dict) -> dict:
        needed = ("soul", "revision") if given["action"] == "assign" else ()
        if missing := {name: ["This is needed to assign."] for name in needed if name not in given}:
            raise serializers.ValidationError(missing)
        return given


class Souls(Endpoint):
    scopes = {"GET": READERS}

    @operation("souls_list", "The souls of the organisation", query=PageQuery, answer=page_of(SoulOut))
    def get(self, request, query):
        return self.page(visible_souls(self.actor).select_related("active_version"), query, order=("id",))


class OneSoul(Endpoint):
    scopes = {"GET": READERS, "PATCH": REVIEWERS}

    @operation("souls_read", "One soul, with what it says", answer=SoulOut)
    def get(self, request, code):
        return find_soul(self.actor, code)

    @operation("souls_change", "Change what it is called", body=SoulChange, answer=SoulOut)
    def patch(self, request, code, data):
        return describe(actor=self.actor, soul_id=find_soul(self.actor, code).pk, **data)


class SoulVersions(Endpoint):
    scopes = {"GET": READERS}

    @operation("souls_versions", "Its versions, newest first", query=PageQuery, answer=page_of(SoulVersionOut))
    def get(self, request, code, query):
        return self.page(find_soul(self.actor, code).versions.all(), query)


class RevertSoul(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "souls_revert",
        "Put an earlier version back in use",
        details="It is screened again. Where other role-agents have the soul, or would by default, an owner or admin decides.",
        body=SoulRevert,
        answer=SoulOut,
    )
    def post(self, request, code, data):
        return revert(actor=self.actor, soul_id=find_soul(self.actor, code).pk, **data)


class AgentSoul(Endpoint):
    scopes = {"GET": READERS, "POST": REVIEWERS}

    @operation("role_agents_soul", "Which soul it talks by", answer=AgentSoulOut)
    def get(self, request, code):
        return _of_agent(get_agent(self.actor, code))

    @operation(
        "role_agents_soul_change", "Assign another soul, pause or resume it", body=AgentSoulAct, answer=AgentSoulOut
    )
    def post(self, request, code, data):
        agent = get_agent(self.actor, code)
        if data["action"] == "assign":
            if data["reason"]:
                message = "An assignment has no reason; leave it away."
                raise Invalid(f"reason: {message}", errors={"reason": [message]})
            assign(actor=self.actor, agent_id=agent.pk, code=data["soul"], revision=data["revision"])
            return _of_agent(agent)
        act = pause_soul if data["action"] == "pause" else resume_soul
        return _of_agent(act(actor=self.actor, agent_id=agent.pk, reason=data["reason"]))


def _of_agent(agent: RoleAgent) -> dict:
    soul: Soul | None = soul_had_by(agent)
    assignment = SoulAssignment.objects.filter(role_agent=agent).first()
    return {
        "role_agent": agent.code,
        "soul": soul,
        "assigned": bool(assignment and soul and assignment.soul_id == soul.pk),
        "paused": agent.soul_paused,
        "revision": assignment.revision if assignment else 0,
    }


register("souls/", Souls, "souls")
register("souls/<slug:code>/", OneSoul, "soul")
register("souls/<slug:code>/versions/", SoulVersions, "soul-versions")
register("souls/<slug:code>/revert/", RevertSoul, "soul-revert")
register("role-agents/<slug:code>/soul/", AgentSoul, "role-agent-soul")
