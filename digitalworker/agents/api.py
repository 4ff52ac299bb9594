"""REST: role-agents, what was said to them, and the audit."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.filters import PageQuery
from digitalworker.api.pagination import page_link, page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, Moment, OneOf, Revision, StrictSerializer, Text, Whole
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import NotFound
from digitalworker.common.types import ActorKind

from .actions.role_agents import MOST_MEMORIES, create_agent, update_agent
from .choices import OFFERED_PEOPLE_LEARNING, AgentStatus, AuthorKind, EventKind, PeopleLearning, Scope
from .history import PAGE_MOST as HISTORY_MOST
from .history import Filters, search_history
from .models import Person, RoleAgent
from .policies import get_agent, visible_agents
from .selectors import channel_named, events_for

ANY = frozenset(Scope.values)


# --- role-agents ----------------------------------------------------------------------------------------------------


class RoleAgentOut(serializers.Serializer):
    """An AI colleague with a role. `revision` is what a PATCH must send back."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    name = serializers.CharField()
    persona = serializers.CharField()
    status = serializers.ChoiceField(AgentStatus.choices)
    learning_enabled = serializers.BooleanField()
    memory_autosave_enabled = serializers.BooleanField(
        help_text="Whether low-risk facts of its own from verified senders are saved without asking."
    )
    people_learning = serializers.ChoiceField(PeopleLearning.choices)
    memory_limit = serializers.IntegerField()
    person_memory_limit = serializers.IntegerField()
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class RoleAgentSettings(StrictSerializer):
    """What may be set. Pausing, disabling and managers are the console's."""

    name = Text(max_length=80, required=False)
    persona = Text(max_length=2000, allow_blank=True, required=False)
    memory_autosave_enabled = Flag(required=False, help_text="Off: everything it hears waits in the inbox.")
    people_learning = OneOf(OFFERED_PEOPLE_LEARNING, required=False)
    memory_limit = Whole(min_value=1, max_value=MOST_MEMORIES, required=False)
    person_memory_limit = Whole(min_value=1, max_value=MOST_MEMORIES, required=False)


class NewRoleAgent(RoleAgentSettings):
    code = Text(max_length=40, help_text="Small letters, digits, - and _; it can not be changed later.")
    name = Text(max_length=80)


class RoleAgentChange(RoleAgentSettings):
    revision = Revision()


class RoleAgentQuery(PageQuery):
    status = OneOf(AgentStatus.choices, required=False)


class RoleAgents(Endpoint):
    scopes = {"GET": ANY, "POST": {Scope.ADMIN}}

    @operation(
        "role_agents_list", "The role-agents this key reaches", query=RoleAgentQuery, answer=page_of(RoleAgentOut)
    )
    def get(self, request, query):
        agents = visible_agents(self.actor)
        if "status" in query:
            agents = agents.filter(status=query["status"])
        return self.page(agents, query, order=("id",))

    @operation("role_agents_create", "Set up a role-agent", body=NewRoleAgent, answer=RoleAgentOut, status=201)
    def post(self, request, data):
        return create_agent(actor=self.actor, **data)


class OneRoleAgent(Endpoint):
    scopes = {"GET": ANY, "PATCH": {Scope.ADMIN}}

    @operation("role_agents_read", "One role-agent", answer=RoleAgentOut)
    def get(self, request, code):
        return get_agent(self.actor, code)

    @operation("role_agents_change", "Change its settings", body=RoleAgentChange, answer=RoleAgentOut)
    def patch(self, request, code, data):
        return update_agent(actor=self.actor, agent_id=get_agent(self.actor, code).pk, **data)


# --- history --------------------------------------------------------------------------------------------------------


class LineOut(serializers.Serializer):
    """What was said right before or after; `excerpt` is its beginning."""

    event_id = serializers.UUIDField()
    author_kind = serializers.ChoiceField(AuthorKind.choices)
    author = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    excerpt = serializers.CharField()
    cut_after = serializers.BooleanField(help_text="Text is missing after the excerpt.")


class HitOut(serializers.Serializer):
    """One event that was found, and the piece of it that fits best."""

    event_id = serializers.UUIDField()
    thread_id = serializers.UUIDField()
    kind = serializers.ChoiceField(EventKind.choices)
    author_kind = serializers.ChoiceField(AuthorKind.choices)
    author = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    channel = serializers.CharField(help_text="The conversation's, by name; empty for none.")
    person = serializers.CharField(help_text="The conversation's, by name or else by id; empty for none.")
    excerpt = serializers.CharField()
    highlights = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="Start and end of each match, as characters of the excerpt.",
    )
    cut_before = serializers.BooleanField(help_text="Text is missing before the excerpt.")
    cut_after = serializers.BooleanField()
    beside = serializers.BooleanField(help_text="It holds none of the words itself, and stands next to one that does.")
    before = LineOut(allow_null=True)
    after = LineOut(allow_null=True)


class HistoryPage(page_of(HitOut)):  # type: ignore[misc]  # made at run time
    """One page, and how to reach the next."""

    corrected = serializers.CharField(
        help_text="What was searched for instead, where nobody said these words; or empty."
    )
    cut = serializers.BooleanField(
        help_text="The last page, and there may be more hits: a narrower query is the way to them."
    )


class HistoryQuery(PageQuery):
    q = serializers.CharField(
        max_length=2000,
        allow_blank=True,
        help_text='Any of these words, best match first; `"these words"` as they stand, `begin*`, `-without`.',
    )
    person = serializers.CharField(
        max_length=200,
        required=False,
        help_text="An external_user_id: only that person's conversations and those of nobody in particular.",
    )
    channel = serializers.CharField(max_length=200, required=False, help_text="The channel's id or its name.")
    author_kind = OneOf(AuthorKind.choices, required=False, help_text="Who said it.")
    since = Moment(required=False, help_text="Said at this moment or later.")
    until = Moment(required=False, help_text="Said before this moment.")
    limit = Whole(min_value=1, max_value=HISTORY_MOST, default=20, help_text="Rows on a page.")


class History(Endpoint):
    scopes = {"GET": {Scope.RUNTIME, Scope.AUDIT}}

    @operation(
        "role_agents_history",
        "Search what was said",
        details="Pages end after 100 hits and lead forward only. What narrows a search narrows what stands beside a match as "
        "well; `before` and `after` are the conversation as it was.",
        query=HistoryQuery,
        answer=HistoryPage,
    )
    def get(self, request, code, query):
        agent = get_agent(self.actor, code)
        hits = search_history(
            actor=self.actor,
            agent=agent,
            query=query["q"],
            person=get_person(agent, query["person"]) if "person" in query else None,
            filters=Filters(
                channel=channel_named(agent, query["channel"]) if "channel" in query else None,
                author_kind=query.get("author_kind"),
                since=query.get("since"),
                until=query.get("until"),
            ),
            limit=query["limit"],
            cursor=query["cursor"],
        )
        return {
            "next": page_link(request, hits.next),
            "previous": None,
            "results": hits.rows,
            "corrected": hits.corrected,
            "cut": hits.cut,
        }


def get_person(agent: RoleAgent, external_user_id: str) -> Person:
    person = Person.objects.filter(role_agent=agent, external_user_id=external_user_id).first()
    if person is None:
        raise NotFound(f"{agent.name} knows no such person.")
    return person


# --- the audit ------------------------------------------------------------------------------------------------------


class AuditQuery(PageQuery):
    role_agent = serializers.CharField(max_length=40, required=False, help_text="Code of a role-agent.")
    verb = OneOf([(verb.value, verb.value) for verb in Verb], required=False)
    actor_kind = OneOf([(kind.value, kind.value) for kind in ActorKind], required=False)
    object_type = serializers.CharField(max_length=40, required=False, help_text="Such as `learningitem` or `memory`.")
    object_id = serializers.CharField(max_length=64, required=False)
    since = Moment(required=False, help_text="From this moment on.")
    until = Moment(required=False, help_text="Before this moment.")


class AuditAgentOut(serializers.Serializer):
    id = serializers.UUIDField(source="role_agent_id")
    name = serializers.CharField(source="role_agent_label", help_text="As it was called then.")


class AuditActorOut(serializers.Serializer):
    kind = serializers.ChoiceField([(kind.value, kind.value) for kind in ActorKind], source="actor_kind")
    label = serializers.CharField(source="actor_label")  # type: ignore[assignment]  # a field called as an option of its base
    user_id = serializers.IntegerField(source="actor_user_id", allow_null=True)


class AuditObjectOut(serializers.Serializer):
    type = serializers.CharField(source="object_type")
    id = serializers.CharField(source="object_id")
    label = serializers.CharField(source="object_label")  # type: ignore[assignment]  # a field called as an option of its base


class AuditEventOut(serializers.Serializer):
    """One thing that happened. It never holds the text of a memory, nor who an end user is."""

    id = serializers.UUIDField()
    created_at = serializers.DateTimeField()
    verb = serializers.ChoiceField([(verb.value, verb.value) for verb in Verb])
    sentence = serializers.CharField()
    role_agent = serializers.SerializerMethodField()
    actor = AuditActorOut(source="*")
    object = AuditObjectOut(source="*")
    reason = serializers.CharField()
    source_refs = serializers.ListField(child=serializers.DictField())
    details = serializers.DictField()
    request_id = serializers.CharField()

    @extend_schema_field(AuditAgentOut(allow_null=True))
    def get_role_agent(self, event: LearningEvent) -> dict | None:
        return AuditAgentOut(event).data if event.role_agent_id else None


class AuditEvents(Endpoint):
    scopes = {"GET": {Scope.AUDIT}}

    @operation("audit_events_list", "Who did what, newest first", query=AuditQuery, answer=page_of(AuditEventOut))
    def get(self, request, query):
        events = events_for(self.actor)
        if "role_agent" in query:
            events = events.filter(
                role_agent_id__in=visible_agents(self.actor).filter(code=query["role_agent"]).values("pk")
            )
        if "since" in query:
            events = events.filter(created_at__gte=query["since"])
        if "until" in query:
            events = events.filter(created_at__lt=query["until"])
        exact = ("verb", "actor_kind", "object_type", "object_id")
        return self.page(events.filter(**{name: query[name] for name in exact if name in query}), query)


register("role-agents/", RoleAgents, "role-agents")
register("role-agents/<slug:code>/", OneRoleAgent, "role-agent")
register("role-agents/<slug:code>/history/", History, "history")
register("audit-events/", AuditEvents, "audit-events")
