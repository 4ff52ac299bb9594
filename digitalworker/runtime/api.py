"""REST: asking, the context pack for one's own runtime, and why an answer was what it was."""

from typing import Any
from uuid import UUID

from django.db.models import Prefetch, prefetch_related_objects
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from digitalworker.agents.actions.conversations import ID_MOST
from digitalworker.agents.choices import Scope
from digitalworker.agents.models import Person, RoleAgent, Thread
from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, StrictSerializer, Text
from digitalworker.common.errors import Conflict, NotFound
from digitalworker.common.text import within
from learning.api.shared import Guarded
from learning.choices import MemoryKind, MemoryScope, MemoryStatus, Source
from skills.policies import may_read as may_read_skill

from .ask import QUESTION_MOST, Answer, ask
from .context import CHARACTERS_MOST, MEMORIES_MOST, ContextPack, build_context
from .models import AgentRun, Route, RunMemory, RunSkill, RunStatus
from .selectors.runs import get_run

# --- the pack -------------------------------------------------------------------------------------------------------


class PackedMemoryOut(serializers.Serializer):
    """A memory that was given to the answer, and why."""

    id = serializers.UUIDField(source="memory.id")
    scope = serializers.ChoiceField(MemoryScope.choices, source="memory.scope")
    kind = serializers.ChoiceField(MemoryKind.choices, source="memory.kind")
    key = serializers.CharField(source="memory.key", allow_null=True)
    content = serializers.CharField(source="memory.content")
    score = serializers.FloatField(source="memory.score")
    why = serializers.CharField()


class LeftOutOut(serializers.Serializer):
    """A memory that was looked at and left out, and why; `by` is the memory that beat it, where one did."""

    id = serializers.UUIDField(source="memory.id")
    scope = serializers.ChoiceField(MemoryScope.choices, source="memory.scope")
    score = serializers.FloatField(source="memory.score")
    reason = serializers.CharField()
    by = serializers.UUIDField(allow_null=True)


class PackedSoulOut(serializers.Serializer):
    """How the agent talks in this answer."""

    id = serializers.UUIDField(source="soul_id")
    code = serializers.CharField()
    version = serializers.IntegerField(source="number")
    digest = serializers.CharField()


class ListedSkillOut(serializers.Serializer):
    """A skill that the agent may load by its name."""

    id = serializers.UUIDField(source="skill_id")
    name = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField(source="number")
    digest = serializers.CharField()


class PackedSkillOut(serializers.Serializer):
    """A skill that is in the prompt as a whole, and why."""

    id = serializers.UUIDField(source="skill.skill_id")
    name = serializers.CharField(source="skill.name")
    version = serializers.IntegerField(source="skill.number")
    digest = serializers.CharField(source="skill.digest")
    body = serializers.CharField()
    score = serializers.FloatField()
    why = serializers.CharField()


class BudgetOut(serializers.Serializer):
    memories = serializers.IntegerField()
    characters = serializers.IntegerField()
    memories_used = serializers.IntegerField()
    characters_used = serializers.IntegerField()


class ContextOut(serializers.Serializer):
    """The context pack. The same state and the same question give the same pack."""

    rendered = serializers.CharField(help_text="The whole system prompt.")
    memories = PackedMemoryOut(many=True, source="included")
    dropped = LeftOutOut(many=True)
    totals = serializers.DictField(child=serializers.IntegerField(), help_text="Live memories of each scope.")
    budget = serializers.SerializerMethodField()
    soul = PackedSoulOut(allow_null=True, help_text="null: it is paused.")
    skills = PackedSkillOut(many=True, source="procedures.loaded")
    skills_listed = ListedSkillOut(many=True, source="procedures.listed")
    prompt = serializers.CharField(source="prompt_version")
    embedding = serializers.CharField(allow_null=True, help_text="The engine that ranked; null: words alone did.")
    notices = serializers.ListField(child=serializers.CharField())

    @extend_schema_field(BudgetOut)
    def get_budget(self, pack: ContextPack) -> dict[str, int]:
        return {
            "memories": MEMORIES_MOST,
            "characters": CHARACTERS_MOST,
            "memories_used": len(pack.included),
            "characters_used": pack.characters,
        }


class ContextQuestion(StrictSerializer):
    question = Text(max_length=QUESTION_MOST)
    external_user_id = Text(max_length=ID_MOST, required=False)
    thread_id = serializers.UUIDField(required=False, help_text="A conversation with this role-agent.")


class Context(Endpoint):
    scopes = {"POST": {Scope.RUNTIME}}

    @operation(
        "role_agents_context",
        "What it would be given for a question",
        details="For your own runtime. Nothing is recorded; a person who is not known yet simply has no memories.",
        body=ContextQuestion,
        answer=ContextOut,
    )
    def post(self, request, code, data):
        agent = get_agent(self.actor, code)
        return build_context(
            organization=agent.organization,
            role_agent=agent,
            question=within(data["question"], field="question", most=QUESTION_MOST),
            person=_person(agent, data.get("external_user_id"), data.get("thread_id")),
        )


def _person(agent: RoleAgent, external_user_id: str | None, thread_id: UUID | None) -> Person | None:
    """Whom it is about: the conversation says so, or else the id; where both do, they must agree."""
    if thread_id is None:
        return Person.objects.filter(role_agent=agent, external_user_id=external_user_id or "").first()
    thread = Thread.objects.select_related("person").filter(role_agent=agent, pk=thread_id).first()
    if thread is None or (external_user_id and thread.person and thread.person.external_user_id != external_user_id):
        raise NotFound("There is no such conversation.")
    return thread.person


# --- asking ---------------------------------------------------------------------------------------------------------


class Question(StrictSerializer):
    question = Text(max_length=QUESTION_MOST)
    external_user_id = Text(max_length=ID_MOST, allow_null=True, default=None, help_text="Your id of who asks.")
    thread_id = serializers.UUIDField(allow_null=True, default=None, help_text="Left away, a new conversation starts.")
    channel = Text(max_length=ID_MOST, allow_null=True, default=None, help_text="Name or id of an assigned channel.")
    verified = Flag(default=False, help_text="You checked the sender's identity.")
    idempotency_key = Text(
        max_length=ID_MOST, allow_null=True, default=None, help_text="Sent twice, it is asked once and answered alike."
    )


class GivenMemoryOut(serializers.Serializer):
    """A memory the answer was given, as the run keeps it."""

    id = serializers.UUIDField(source="memory_id")
    scope = serializers.ChoiceField(MemoryScope.choices, source="memory.scope")
    kind = serializers.ChoiceField(MemoryKind.choices, source="memory.kind")
    key = serializers.CharField(source="memory.key", allow_null=True)
    content = serializers.CharField(source="memory.content")
    why = serializers.CharField()


class GivenSkillOut(serializers.Serializer):
    """A skill the answer loaded, as the run keeps it."""

    id = serializers.UUIDField(source="version.skill_id")
    name = serializers.CharField(source="version.skill.name")
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField()
    why = serializers.CharField()


class GivenSoulOut(serializers.Serializer):
    id = serializers.UUIDField(source="soul_id")
    code = serializers.CharField(source="soul.code")
    version = serializers.IntegerField(source="number")
    digest = serializers.CharField()


class UsageOut(serializers.Serializer):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()


class AnswerMetadataOut(serializers.Serializer):
    route = serializers.ChoiceField(Route.choices, source="run.route")
    memory_injected = serializers.SerializerMethodField(help_text="Whether any memory was given to the answer.")
    memory_proposed = serializers.SerializerMethodField(
        help_text="Whether the agent proposed something to remember while it answered. Detection runs later."
    )
    memories = GivenMemoryOut(many=True, source="run.memories")
    skills = GivenSkillOut(many=True, source="run.skills", help_text="Those that were loaded.")
    soul = GivenSoulOut(source="run.soul_version", allow_null=True)
    model = serializers.CharField(source="run.model", help_text="Empty where no model was asked.")
    usage = UsageOut(source="run")
    notices = serializers.ListField(child=serializers.CharField(), source="run.notices")

    def get_memory_injected(self, answer: Answer) -> bool:
        return bool(answer.run.manifest.get("memories"))

    def get_memory_proposed(self, answer: Answer) -> bool:
        return answer.run.memory_proposed > 0


class AnswerOut(serializers.Serializer):
    answer = serializers.CharField(source="text")
    thread_id = serializers.UUIDField()
    run_id = serializers.UUIDField(source="run.id")
    metadata = AnswerMetadataOut(source="*")


class Ask(Endpoint):
    scopes = {"POST": {Scope.RUNTIME}}

    @operation(
        "role_agents_ask",
        "Ask it something",
        details="The question is recorded before it is answered, and looked at later for anything to learn. A model that "
        "fails gives an answer that says so.",
        body=Question,
        answer=AnswerOut,
    )
    def post(self, request, code, data):
        answer = ask(actor=self.actor, role_agent=get_agent(self.actor, code), **data)
        if answer.run.status == RunStatus.RUNNING:
            raise Conflict("This is still being answered. Send it again in a moment.", code="still_answering")
        prefetch_related_objects([answer.run], Prefetch("memories", RunMemory.objects.select_related("memory")))
        return answer


# --- runs -----------------------------------------------------------------------------------------------------------


class ProvenanceOut(serializers.Serializer):
    """Where a memory came from and who let it in."""

    source = serializers.ChoiceField(Source.choices)  # type: ignore[assignment]  # a field called as an option of its base
    event = serializers.UUIDField(source="event_id", allow_null=True)
    thread = serializers.UUIDField(source="thread_id", allow_null=True)
    item = serializers.UUIDField(source="item_id", allow_null=True)
    created_by = serializers.CharField(source="created_by_label")
    reviewed_by = serializers.CharField(source="reviewer_label", help_text="Empty where policy let it in.")
    reviewed_at = serializers.DateTimeField(allow_null=True)


class RunMemoryOut(Guarded):
    """A memory the answer was given. Its words are those of today; `changed_since` says whether they are others."""

    SECRETS = ("key", "content")

    id = serializers.UUIDField(source="memory_id")
    scope = serializers.ChoiceField(MemoryScope.choices, source="memory.scope")
    kind = serializers.ChoiceField(MemoryKind.choices, source="memory.kind")
    key = serializers.CharField(source="memory.key", allow_null=True)
    content = serializers.CharField(source="memory.content", allow_null=True)
    why = serializers.CharField()
    status = serializers.ChoiceField(MemoryStatus.choices, source="memory.status", help_text="Today.")
    changed_since = serializers.SerializerMethodField()
    provenance = ProvenanceOut(source="memory")

    def get_hidden(self, row: RunMemory) -> bool:
        """A limited key may not list what the whole organisation knows, so it does not read it here either."""
        limited = self.context["actor"].agent_ids is not None
        return (limited and row.memory.scope == MemoryScope.ORGANIZATION) or super().get_hidden(row.memory)

    def get_changed_since(self, row: RunMemory) -> bool:
        return row.digest != row.memory.digest


class RunSkillOut(Guarded):
    """A skill the answer loaded. `in_use`: the version is the skill's own today."""

    SECRETS = ("name",)

    id = serializers.UUIDField(source="version.skill_id")
    name = serializers.CharField(source="version.skill.name", allow_null=True)
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField()
    why = serializers.CharField()
    in_use = serializers.SerializerMethodField()

    def get_hidden(self, row: RunSkill) -> bool:
        """A limited key may not list what the whole organisation has, so it does not read it here either."""
        limited = self.context["actor"].agent_ids is not None
        return (limited and row.version.skill.role_agent_id is None) or not may_read_skill(
            self.context["actor"], row.version
        )

    def get_in_use(self, row: RunSkill) -> bool:
        return row.version.skill.active_version_id == row.version_id


class RunOut(serializers.Serializer):
    """One answer, and everything that went into it."""

    id = serializers.UUIDField()
    role_agent = serializers.CharField(source="role_agent.code")
    thread_id = serializers.UUIDField()
    person = serializers.CharField(source="person.external_user_id", default=None, allow_null=True)
    question_id = serializers.UUIDField(help_text="The event that asked.")
    question = serializers.CharField(source="question.text", help_text="Empty where texts are not stored.")
    reply_id = serializers.UUIDField(allow_null=True)
    answer = serializers.CharField(source="reply.text", default=None, allow_null=True)
    asked_by = serializers.CharField(source="asked_by_label")
    status = serializers.ChoiceField(RunStatus.choices)
    route = serializers.ChoiceField(Route.choices, allow_blank=True)
    model = serializers.CharField()
    prompt = serializers.CharField(source="prompt_version")
    memories = serializers.SerializerMethodField()
    skills = serializers.SerializerMethodField()
    soul = GivenSoulOut(source="soul_version", allow_null=True)
    manifest = serializers.DictField(help_text="Ids, digests and reasons of all that was given and left out.")
    memory_proposed = serializers.IntegerField(help_text="Proposals the agent made while it answered.")
    tool_calls = serializers.ListField(child=serializers.DictField())
    notices = serializers.ListField(child=serializers.CharField())
    usage = UsageOut(source="*")
    timings = serializers.DictField(child=serializers.IntegerField(), help_text="Milliseconds by step.")
    error_code = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(RunMemoryOut(many=True))
    def get_memories(self, run: AgentRun) -> Any:
        rows = run.memories.select_related("memory").defer("memory__tsv")
        return RunMemoryOut(rows, many=True, context=self.context).data

    @extend_schema_field(RunSkillOut(many=True))
    def get_skills(self, run: AgentRun) -> Any:
        rows = run.skills.select_related("version__skill")
        return RunSkillOut(rows, many=True, context=self.context).data


class OneRun(Endpoint):
    scopes = {"GET": {Scope.RUNTIME, Scope.AUDIT, Scope.REVIEW}}

    @operation("runs_read", "Why did it say that?", answer=RunOut)
    def get(self, request, run_id):
        return get_run(self.actor, run_id)


register("role-agents/<slug:code>/ask/", Ask, "ask")
register("role-agents/<slug:code>/context/", Context, "context")
register("runs/<uuid:run_id>/", OneRun, "run")
