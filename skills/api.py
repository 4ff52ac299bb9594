"""REST: the skills there are, and what is done to them. What is only proposed is the inbox's matter."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers

from digitalworker.agents.choices import Scope
from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import AnyAnswer, Endpoint, operation
from digitalworker.api.filters import PageQuery, Query
from digitalworker.api.pagination import page_of
from digitalworker.api.registry import register
from digitalworker.api.serializers import OneOf, Revision, StrictSerializer, Text, Whole
from digitalworker.common.text import REASON_MOST, clean

from . import reading
from .actions import lifecycle
from .actions.export import export_skill
from .choices import SkillStatus
from .models import Skill, SkillFile, SkillVersion
from .policies import allowed_actions, may_read, visible_skills
from .views.files import zipped

READERS = frozenset({Scope.REVIEW, Scope.AUDIT})
REVIEWERS = frozenset({Scope.REVIEW})
NUMBER_MOST = 2_147_483_647


class _Guarded(serializers.Serializer):
    """`SECRETS` are null, and `hidden` true, where the version is sensitive and the key may only know that it exists."""

    SECRETS: tuple[str, ...] = ()

    hidden = serializers.SerializerMethodField(help_text="True where its words are withheld from this key.")

    def get_hidden(self, row) -> bool:
        return not may_read(self.context["actor"], row if isinstance(row, SkillVersion) else row.active_version)

    def to_representation(self, row):
        shown = super().to_representation(row)
        return shown | dict.fromkeys(self.SECRETS) if shown["hidden"] else shown


class SkillOut(_Guarded):
    """A skill, with what its version in use says of itself. An act sends back `revision`."""

    SECRETS = ("name", "description", "risk", "digest")

    id = serializers.UUIDField()
    role_agent = serializers.CharField(
        source="role_agent.code", default=None, allow_null=True, help_text="Null: every role-agent may be given it."
    )
    name = serializers.CharField(allow_null=True)
    description = serializers.CharField(source="active_version.description", allow_null=True)
    status = serializers.ChoiceField(SkillStatus.choices)
    version = serializers.IntegerField(source="active_version.number", help_text="The one in use.")
    version_id = serializers.UUIDField(source="active_version_id")
    digest = serializers.CharField(
        source="active_version.digest", allow_null=True, help_text="SHA-256 over its SKILL.md and all its files."
    )
    risk = serializers.CharField(source="active_version.risk", allow_null=True)
    sensitive = serializers.BooleanField(source="active_version.sensitive")
    approved_by = serializers.CharField(source="active_version.approved_by_label")
    use_count = serializers.IntegerField(help_text="Answers that loaded it.")
    last_used_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField()
    allowed_actions = serializers.SerializerMethodField(help_text="What this key may do to it now.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_allowed_actions(self, skill: Skill) -> list[str]:
        return [action.name for action in allowed_actions(self.context["actor"], skill)]


class SkillVersionOut(_Guarded):
    """One version; it never changes."""

    SECRETS: tuple[str, ...] = ("description", "risk", "lacks", "digest", "item")

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    in_use = serializers.SerializerMethodField(help_text="Whether it is what the skill says now.")
    description = serializers.CharField(allow_null=True)
    risk = serializers.CharField(allow_null=True)
    lacks = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Sections that a skill from elsewhere is without."
    )
    digest = serializers.CharField(allow_null=True)
    sensitive = serializers.BooleanField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field called as an option of its base
    item = serializers.UUIDField(source="item_id", allow_null=True, help_text="The proposal it was approved from.")
    proposed_by = serializers.CharField(source="proposed_by_label")
    approved_by = serializers.CharField(source="approved_by_label")
    created_at = serializers.DateTimeField()

    def get_in_use(self, version: SkillVersion) -> bool:
        return version.skill.active_version_id == version.pk

    def get_hidden(self, version: SkillVersion) -> bool:
        return super().get_hidden(version) or super().get_hidden(version.skill)


class SkillFileOut(serializers.Serializer):
    path = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    digest = serializers.CharField()
    is_script = serializers.SerializerMethodField(help_text="Somebody could run it. It is kept, and never run here.")

    def get_is_script(self, file: SkillFile) -> bool:
        return reading.is_script(file)


class WholeVersionOut(SkillVersionOut):
    """A version with what it says."""

    SECRETS = (*SkillVersionOut.SECRETS, "document", "files")

    document = serializers.CharField(allow_null=True, help_text="The exact SKILL.md.")
    files = serializers.SerializerMethodField(help_text="What came beside it; the bytes are in the export.")

    def get_files(self, version: SkillVersion) -> SkillFileOut(many=True, allow_null=True):  # type: ignore[valid-type]  # for the schema
        return SkillFileOut(reading.files_of(version), many=True).data


class SkillQuery(PageQuery):
    role_agent = serializers.CharField(
        max_length=40, required=False, help_text="Code of a role-agent: what it may be given, its own and everyone's."
    )
    status = OneOf(
        [*SkillStatus.choices, ("any", "Any")],
        default=SkillStatus.ACTIVE,
        help_text="Those in use, unless you ask for more.",
    )
    q = serializers.CharField(
        max_length=reading.SEARCH_MOST, required=False, help_text="These letters in its name or description."
    )


class ExportQuery(Query):
    number = Whole(min_value=1, max_value=NUMBER_MOST, required=False, help_text="A version; else the one in use.")


class Act(StrictSerializer):
    revision = Revision()
    reason = Text(max_length=REASON_MOST, allow_blank=True, default="")


class Reversion(Act):
    number = Whole(min_value=1, max_value=NUMBER_MOST, help_text="The version to be in use again.")


class Skills(Endpoint):
    scopes = {"GET": READERS}

    @operation("skills_list", "The skills there are, newest first", query=SkillQuery, answer=page_of(SkillOut))
    def get(self, request, query):
        rows = visible_skills(self.actor)
        if "role_agent" in query:
            rows = reading.of_agent(self.actor, get_agent(self.actor, query["role_agent"]))
        if query["status"] != "any":
            rows = rows.filter(status=query["status"])
        rows = reading.searched(self.actor, rows, clean(query.get("q", "")))
        return self.page(rows.select_related("active_version", "role_agent"), query)


class OneSkill(Endpoint):
    scopes = {"GET": READERS}

    @operation("skills_read", "One skill, in whatever state", answer=SkillOut)
    def get(self, request, skill_id):
        return reading.find_skill(self.actor, skill_id)


class Versions(Endpoint):
    scopes = {"GET": READERS}

    @operation("skills_versions", "Its versions, newest first", query=PageQuery, answer=page_of(SkillVersionOut))
    def get(self, request, skill_id, query):
        skill = reading.find_skill(self.actor, skill_id)
        rows = SkillVersion.objects.filter(skill=skill).select_related("skill__active_version").defer("document")
        return self.page(rows, query, order=("-number",))


class OneVersion(Endpoint):
    scopes = {"GET": READERS}

    @operation("skills_version", "What one version says", answer=WholeVersionOut)
    def get(self, request, skill_id, number):
        return reading.any_version(reading.find_skill(self.actor, skill_id), number)


class _Acting(Endpoint):
    scopes = {"POST": REVIEWERS}

    def done(self, action, skill_id, data):
        action(actor=self.actor, skill_id=skill_id, **data)
        return reading.find_skill(self.actor, skill_id)


class Revert(_Acting):
    @operation(
        "skills_revert",
        "Put another version in use",
        details="It is screened again: 422 where it holds what nobody judged when it was let in. The skill is active afterwards.",
        body=Reversion,
        answer=SkillOut,
    )
    def post(self, request, skill_id, data):
        return self.done(lifecycle.revert, skill_id, data)


class Pause(_Acting):
    @operation("skills_pause", "Give it to no agent for now", body=Act, answer=SkillOut)
    def post(self, request, skill_id, data):
        return self.done(lifecycle.pause, skill_id, data)


class Resume(_Acting):
    @operation(
        "skills_resume",
        "Give it to agents again",
        details="Also one that was archived. It is screened again, as by `revert/`.",
        body=Act,
        answer=SkillOut,
    )
    def post(self, request, skill_id, data):
        return self.done(lifecycle.resume, skill_id, data)


class Archive(_Acting):
    @operation("skills_archive", "Give it to no agent any more", body=Act, answer=SkillOut)
    def post(self, request, skill_id, data):
        return self.done(lifecycle.archive, skill_id, data)


class Export(Endpoint):
    scopes = {"GET": READERS}
    content_negotiation_class = AnyAnswer

    @extend_schema(
        operation_id="skills_export",
        summary="One skill as a zip archive, in the public Agent Skills format",
        parameters=[ExportQuery],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request, skill_id):
        query = ExportQuery.read(request)
        exported = export_skill(actor=self.actor, skill_id=skill_id, number=query.get("number"))
        return zipped(exported, exported.packages[0].name)

    get.details = (  # type: ignore[attr-defined]  # read by the schema
        "What is not in the public format is under `metadata`; a skill from elsewhere comes back byte for byte. It is audited."
    )


register("skills/", Skills, "skills")
register("skills/<uuid:skill_id>/", OneSkill, "skill")
register("skills/<uuid:skill_id>/versions/", Versions, "skill-versions")
register("skills/<uuid:skill_id>/versions/<int:number>/", OneVersion, "skill-version")
register("skills/<uuid:skill_id>/revert/", Revert, "skill-revert")
register("skills/<uuid:skill_id>/pause/", Pause, "skill-pause")
register("skills/<uuid:skill_id>/resume/", Resume, "skill-resume")
register("skills/<uuid:skill_id>/archive/", Archive, "skill-archive")
register("skills/<uuid:skill_id>/export/", Export, "skill-export")
