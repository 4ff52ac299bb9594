"""REST: memories in and out as files."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers

from digitalworker.agents.api import get_person
from digitalworker.agents.policies import get_agent
from digitalworker.api.endpoints import AnyAnswer, Endpoint, operation
from digitalworker.api.registry import register
from digitalworker.api.serializers import Flag, OneOf, StrictSerializer, Text
from digitalworker.common.errors import Invalid
from digitalworker.common.sheets import FORMATS, download

from .. import portable
from ..actions.transfer import import_memories, tell_export
from ..selectors import library
from .memories import Narrowed, filters_of
from .shared import READERS, REVIEWERS

KINDS = [("jsonl", "JSON Lines"), ("csv", "CSV")]


class ImportLineOut(serializers.Serializer):
    line = serializers.IntegerField(help_text="Counted from 1, with the first line of a CSV.")
    reason = serializers.CharField()


class ImportOut(serializers.Serializer):
    """What became of each row, or with `dry_run` what would."""

    rows = serializers.IntegerField()
    added = serializers.IntegerField()
    replaced = serializers.IntegerField(help_text="Added in the place of what their key held.")
    unchanged = serializers.IntegerField(help_text="Known already, exactly so.")
    refused = ImportLineOut(many=True)
    guarded = ImportLineOut(
        many=True, help_text="Taken as sensitive, though the row does not say so: screening found something in it."
    )


class MemoryFile(StrictSerializer):
    role_agent = Text(
        max_length=40, required=False, help_text="Code of the role-agent that will know it; leave it away for everyone."
    )
    format = OneOf(KINDS, default="jsonl")
    content = Text(trim_whitespace=False, help_text=f"The file. At most {portable.ROWS_MOST:,} rows.")
    dry_run = Flag(default=False, help_text="Say what would happen, and save nothing.")


class ImportMemories(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_import",
        "Remember by the file",
        details="Each row is taken or refused by itself, as if it had been sent alone; the same file again adds nothing.",
        body=MemoryFile,
        answer=ImportOut,
    )
    def post(self, request, data):
        agent = get_agent(self.actor, data["role_agent"]) if "role_agent" in data else None
        raw = data["content"].encode()
        if len(raw) > portable.BYTES_MOST:
            message = f"At most {portable.BYTES_MOST:,} bytes fit. Split the file."
            raise Invalid(message, code="file_too_large", errors={"content": [message]})
        rows = portable.lines(raw, data["format"])
        return import_memories(actor=self.actor, role_agent=agent, rows=rows, dry_run=data["dry_run"])


class ExportQuery(Narrowed):
    format = OneOf(KINDS, default="jsonl")
    role_agent = serializers.CharField(
        max_length=40, required=False, help_text="Code of a role-agent; without it, what everyone knows."
    )

    def validate(self, query):
        if "person" in query and "role_agent" not in query:
            raise serializers.ValidationError({"person": ["Say of which role_agent."]})
        return query


class ExportMemories(Endpoint):
    scopes = {"GET": READERS}
    content_negotiation_class = AnyAnswer

    @extend_schema(
        operation_id="memories_export",
        summary="What is known, as a file, oldest first",
        parameters=[ExportQuery],
        responses={(200, media.partition(";")[0]): OpenApiTypes.STR for media in FORMATS.values()},
    )
    def get(self, request):
        query = ExportQuery.read(request)
        agent = get_agent(self.actor, query["role_agent"]) if "role_agent" in query else None
        filters = filters_of(query)
        if agent is not None and "person" in query:
            filters = filters.but(person=str(get_person(agent, query["person"]).pk))
        rows = library.exportable(self.actor, agent, filters)
        tell_export(actor=self.actor, role_agent=agent, kind=query["format"], rows=rows.count, filters=filters.asked)
        name = f"memories-{agent.code if agent else 'everyone'}"
        pieces = portable.written(rows.in_batches(), query["format"])
        return download(request._request, pieces, name=name, kind=query["format"])

    get.details = (  # type: ignore[attr-defined]  # read by the schema
        "With `role_agent` all it may draw on: its own, its people's and everyone's, by the same filters as the list. "
        "What is sensitive is left out where the key may not read it. It is audited."
    )


register("memories/import/", ImportMemories, "memories-import")
register("memories/export/", ExportMemories, "memories-export")
