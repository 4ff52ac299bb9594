"""REST: proposing skills, one by one or as files. Each waits in the inbox; nothing here is in use before somebody approves it."""

import base64
import binascii
from uuid import UUID

from rest_framework import serializers

from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, OneOf, StrictSerializer, Text
from digitalworker.common.errors import Invalid
from skills.package import read_upload

from ..actions.import_skills import counts, import_skills, require_few
from ..actions.propose_skill import SkillProposal, propose_skill
from ..choices import MemoryScope, Source
from ..selectors.skills import host_of, visible_skill
from ..skill_draft import RATIONALE_MOST
from .items import InboxEndpoint, LearningItemOut
from .shared import REVIEWERS

SCOPES = [(scope.value, scope.label) for scope in (MemoryScope.ROLE_AGENT, MemoryScope.ORGANIZATION)]


class _Skill(StrictSerializer):
    document = Text(trim_whitespace=False, help_text="The exact SKILL.md.")
    rationale = Text(max_length=RATIONALE_MOST, allow_blank=True, default="", help_text="Why, for who decides.")
    sensitive = Flag(default=False, help_text="Only owners, admins and auditors read it.")
    foreign = Flag(
        default=False, help_text="It comes from elsewhere: what it lacks is listed and does not keep it out."
    )


class NewSkill(_Skill):
    role_agent = Text(max_length=40)
    scope = OneOf(SCOPES, default=MemoryScope.ROLE_AGENT, help_text="`organization`: every role-agent would use it.")


class SkillChange(_Skill):
    """What the skill is to say instead, as a whole. Its files stay as they are."""


class SkillFile(StrictSerializer):
    role_agent = Text(max_length=40)
    scope = OneOf(SCOPES, default=MemoryScope.ROLE_AGENT)
    filename = Text(max_length=200, help_text="Ends with .zip, or with .md for a single SKILL.md.")
    content = Text(help_text="The file in base64.")
    dry_run = Flag(default=False, help_text="Say what would happen, and save nothing.")


class ImportedOut(serializers.Serializer):
    name = serializers.CharField(help_text="Its name; of one that could not be read, its folder.")
    status = serializers.CharField(help_text="`new`, `update`, `waiting`, `known` or `refused`.")
    code = serializers.CharField(help_text="Why, for programs; empty where it was taken.")
    reason = serializers.CharField(help_text="Why, and what to do about it.")
    sensitive = serializers.BooleanField()
    files = serializers.IntegerField(help_text="Files beside SKILL.md; they are kept and never run.")
    scripts = serializers.IntegerField(help_text="Those of them that could be run.")
    item = serializers.UUIDField(source="item.pk", default=None, allow_null=True)


class SkillImportOut(serializers.Serializer):
    """What became of each skill, or with `dry_run` what would."""

    new = serializers.IntegerField()
    update = serializers.IntegerField(help_text="Of a skill that has this name already.")  # type: ignore[assignment]  # a field called as a method of its base
    waiting = serializers.IntegerField(help_text="Proposed already, and not decided.")
    known = serializers.IntegerField(help_text="In use in just these words.")
    refused = serializers.IntegerField()
    results = ImportedOut(many=True)


class ProposeSkill(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "skills_propose",
        "Propose a skill",
        details="It waits for a person. What waits already in these words is the answer; one that has the name of a skill is an"
        " update of it. 409 `known_already` or `turned_down` where it can not be proposed.",
        body=NewSkill,
        answer=LearningItemOut,
        status=201,
    )
    def post(self, request, data):
        agent = get_agent(self.actor, data.pop("role_agent"))
        return propose_skill(actor=self.actor, role_agent=agent, proposal=SkillProposal(**data, source=Source.API)).item


class ProposeUpdate(InboxEndpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "skills_propose_update",
        "Propose what a skill is to say instead",
        details="It waits for a person, who sees what changes.",
        body=SkillChange,
        answer=LearningItemOut,
        status=201,
    )
    def post(self, request, skill_id: UUID, data):
        skill = visible_skill(self.actor, skill_id)
        scope = MemoryScope.ROLE_AGENT if skill.role_agent_id else MemoryScope.ORGANIZATION
        proposal = SkillProposal(**data, scope=scope, source=Source.API)
        return propose_skill(
            actor=self.actor, role_agent=host_of(self.actor, skill), proposal=proposal, skill=skill
        ).item


class ImportSkills(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "skills_import",
        "Propose the skills of a file",
        details="A zip archive with a folder for each skill, or one SKILL.md. Each is proposed or refused by itself; the same"
        " file again adds nothing. Larger files: `manage.py import_skills`.",
        body=SkillFile,
        answer=SkillImportOut,
    )
    def post(self, request, data):
        agent = get_agent(self.actor, data["role_agent"])
        reading = require_few(read_upload(data["filename"], _decoded(data["content"])))
        results = import_skills(
            actor=self.actor,
            role_agent=agent,
            reading=reading,
            scope=data["scope"],
            source=Source.API,
            dry_run=data["dry_run"],
        )
        return counts(results) | {"results": results}


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        message = "This is not base64. Encode the bytes of the file so."
        raise Invalid(f"content: {message}", errors={"content": [message]}) from None


register("skills/", ProposeSkill, "skills")
register("skills/import/", ImportSkills, "skills-import")
register("skills/<uuid:skill_id>/propose-update/", ProposeUpdate, "skill-propose-update")
