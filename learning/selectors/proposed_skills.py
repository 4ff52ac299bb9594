"""What stands beside a proposed skill: the version that is in use, what it lacks, its files, what it would take of an answer."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import BinaryField, Func

from digitalworker.common.errors import NotFound
from digitalworker.common.types import Actor
from learning.models import ItemFile, LearningItem
from learning.policies import may_read_sensitive, visible_items
from learning.skill_draft import named
from skills.actions.activate import as_seen
from skills.document import Fault, parse
from skills.models import Skill, SkillVersion
from skills.package import File

SHOWN_MOST = 200_000  # characters of a file on its page
_TOLD_BY = 8  # bytes that tell what a file is


@dataclass(frozen=True, slots=True)
class FileRow:
    id: UUID
    path: str
    size: int
    kind: str
    is_script: bool


@dataclass(frozen=True, slots=True)
class ProposedSkill:
    """`active` is what an approval would replace; `hidden` says that there is such a thing and that the actor may not read it.
    `seen` names the skill as it is now, "" where there is none."""

    document: str
    foreign: bool
    lacks: tuple[str, ...]
    warnings: tuple[Fault, ...]
    characters: int
    files: list[FileRow]
    skill: Skill | None
    active: SkillVersion | None
    hidden: bool
    seen: str

    @property
    def scripts(self) -> int:
        return sum(row.is_script for row in self.files)


def proposed_skill(actor: Actor, item: LearningItem) -> ProposedSkill:
    """Two queries at most: the version in use, and the files where there are some."""
    held = item.proposed_payload
    read = parse(held["document"], strict=not held.get("foreign"))
    skill = _in_place(item) if item.is_pending else None
    active = skill.active_version if skill else None
    hidden = active is not None and active.sensitive and not may_read_sensitive(actor)
    return ProposedSkill(
        document=held["document"],
        foreign=held.get("foreign", False),
        lacks=read.lacks,
        warnings=read.warnings,
        characters=len(read.body),
        files=_files(item) if held.get("files") else [],
        skill=skill,
        active=None if hidden else active,
        hidden=hidden,
        seen=as_seen(skill) if skill else "",
    )


def _in_place(item: LearningItem) -> Skill | None:
    if item.skill_id is None:
        return named(item.proposed_payload["name"], item.proposed_payload["scope"], item.role_agent)
    return Skill.objects.select_related("active_version").filter(pk=item.skill_id).first()


def _files(item: LearningItem) -> list[FileRow]:
    head = Func("content", 1, _TOLD_BY, function="substring", output_field=BinaryField())
    rows = ItemFile.objects.filter(item=item).annotate(head=head).defer("content")
    return [
        FileRow(row.pk, row.path, row.size, file.media_type, file.is_script)
        for row in rows
        for file in [File(row.path, bytes(row.head), row.executable)]
    ]


def find_file(actor: Actor, item_id: UUID, file_id: UUID) -> tuple[LearningItem, File]:
    """A file of a proposal that the actor may read. Raises NotFound."""
    item = visible_items(actor).select_related("role_agent").filter(pk=item_id).first()
    if item is None or (item.sensitive and not may_read_sensitive(actor)):
        raise NotFound("There is no such file.")
    row = ItemFile.objects.filter(item=item, pk=file_id).first()
    if row is None:
        raise NotFound("There is no such file.")
    return item, File(row.path, bytes(row.content), row.executable)
