"""REST: proposing how an agent talks. It waits in the inbox; nothing here is in use before somebody approves it."""

from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, StrictSerializer, Text
from souls.models import CODE_MOST, NAME_MOST, RULES_MOST, SUMMARY_MOST
from souls.selectors import find_soul

from ..actions.propose_soul import RATIONALE_MOST, SoulWords, propose_soul
from ..choices import Source
from ..soul_text import PARTS
from .items import InboxEndpoint, LearningItemOut
from .shared import REVIEWERS


class _Proposed(StrictSerializer):
    role_agent = Text(max_length=40, help_text="Code of the role-agent it is proposed for.")
    rationale = Text(max_length=RATIONALE_MOST, allow_blank=True, default="", help_text="Why, for who decides.")
    sensitive = Flag(default=False, help_text="Only owners, admins and auditors read it.")


class NewSoul(_Proposed):
    code = Text(max_length=CODE_MOST, help_text="Small letters, digits, - and _; it can not be changed later.")
    name = Text(max_length=NAME_MOST)
    summary = Text(max_length=SUMMARY_MOST, allow_blank=True, default="")
    tone_rules_md = Text(max_length=RULES_MOST)
    do_not_do_md = Text(max_length=RULES_MOST, allow_blank=True, default="")
    critique_rules_md = Text(max_length=RULES_MOST, allow_blank=True, default="")


class SoulUpdate(_Proposed):
    """What it is to say instead. A part that is left away stays as it is."""

    tone_rules_md = Text(max_length=RULES_MOST, required=False)
    do_not_do_md = Text(max_length=RULES_MOST, allow_blank=True, required=False)
    critique_rules_md = Text(max_length=RULES_MOST, allow_blank=True, required=False)


class ProposeSoul(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "souls_propose",
        "Propose a soul",
        details="It waits for a person, and nobody has it before somebody assigns it. 422 `beyond_tone` names each sentence that"
        " asks for more than a tone.",
        body=NewSoul,
        answer=LearningItemOut,
        status=201,
    )
    def post(self, request, data):
        agent = get_agent(self.actor, data["role_agent"])
        named = {name: data[name] for name in ("code", "name", "summary", "rationale")}
        words = SoulWords({name: data[name] for name in PARTS}, **named)
        return propose_soul(
            actor=self.actor, role_agent=agent, words=words, source=Source.API, sensitive=data["sensitive"]
        )


class ProposeSoulUpdate(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "souls_propose_update",
        "Propose what a soul is to say instead",
        details="It waits for a person: an owner or admin where other role-agents have the soul, or would by default.",
        body=SoulUpdate,
        answer=LearningItemOut,
        status=201,
    )
    def post(self, request, code, data):
        agent, soul = get_agent(self.actor, data["role_agent"]), find_soul(self.actor, code)
        parts = {name: data.get(name, getattr(soul.active_version, name, "")) for name in PARTS}
        return propose_soul(
            actor=self.actor,
            role_agent=agent,
            words=SoulWords(parts, rationale=data["rationale"]),
            soul=soul,
            source=Source.API,
            sensitive=data["sensitive"],
        )


register("souls/", ProposeSoul, "souls")
register("souls/<slug:code>/propose-update/", ProposeSoulUpdate, "soul-propose-update")
