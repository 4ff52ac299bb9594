"""Skills as one actor may see them: lists, one with its versions and files, and its life in sentences.

Of a skill whose version in use is sensitive, who may not read that sees that it exists and in which state: its name and its
description are words of it too, so no search finds it by them and no list puts it where its name would stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import BinaryField, Case, CharField, Count, F, Func, Q, QuerySet, Value, When
from django.db.models.functions import Collate

from digitalworker.agents.models import RoleAgent
from digitalworker.common.errors import Denied, NotFound
from digitalworker.common.paging import Page, page
from digitalworker.common.text import clean
from digitalworker.common.types import Actor

from .choices import SkillStatus
from .models import Skill, SkillFile, SkillVersion
from .package import File
from .policies import may_read, may_read_sensitive, visible_skills
from .story import Step, steps

PAGE_SIZE = 50
VERSIONS_SHOWN = 30
HISTORY_MOST = 50
SEARCH_MOST = 200  # characters
_LAST = "~"  # names are letters, digits and hyphens


@dataclass(frozen=True, slots=True)
class Filters:
    """What one address of the list shows."""

    status: str = SkillStatus.ACTIVE
    search: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Filters":
        """From an address. What means nothing there is passed over, so that an old link still opens a list."""
        status = query.get("status", "")
        return cls(
            status=status if status in SkillStatus.values else SkillStatus.ACTIVE,
            search=clean(query.get("q", ""))[:SEARCH_MOST],
        )

    def but(self, **changes: str) -> "Filters":
        return replace(self, **changes)

    @property
    def query(self) -> str:
        asked = {"status": "" if self.status == SkillStatus.ACTIVE else self.status, "q": self.search}
        return urlencode({name: value for name, value in asked.items() if value})


def of_agent(actor: Actor, agent: RoleAgent) -> QuerySet[Skill]:
    """Its own and the whole organisation's, of those the actor sees."""
    own = Q(role_agent=agent)
    everyones = Q() if actor.agent_ids is not None else Q(role_agent=None)
    return Skill.objects.filter(own | everyones if everyones else own, organization_id=actor.organization_id)


def searched(actor: Actor, skills: QuerySet[Skill], search: str) -> QuerySet[Skill]:
    """Those with these letters in their name or description, of those whose words the actor may read."""
    if not search:
        return skills
    words = Q(name__icontains=search.replace(" ", "-")) | Q(active_version__description__icontains=search)
    found = skills.filter(words)
    return found if may_read_sensitive(actor) else found.filter(active_version__sensitive=False)


def by_name(actor: Actor, skills: QuerySet[Skill]) -> QuerySet[Skill]:
    """With `shown`, the name as far as the actor may read it: by this they are ordered, and a page's link holds it."""
    name: F | Case = F("name")
    if not may_read_sensitive(actor):
        name = Case(When(active_version__sensitive=True, then=Value(_LAST)), default=name, output_field=CharField())
    return skills.annotate(shown=Collate(name, "C"))


def skills_page(actor: Actor, agent: RoleAgent, filters: Filters, cursor: str = "") -> Page[Skill]:
    rows = searched(actor, of_agent(actor, agent).filter(status=filters.status), filters.search)
    return page(
        by_name(actor, rows).select_related("active_version", "role_agent"),
        cursor,
        order=("shown", "id"),
        size=PAGE_SIZE,
    )


def counts(actor: Actor, agent: RoleAgent, filters: Filters) -> dict[str, int]:
    """How many there are in each state, whatever state is shown."""
    rows = searched(actor, of_agent(actor, agent), filters.search)
    return dict(rows.order_by().values_list("status").annotate(number=Count("pk")))


def find_skill(actor: Actor, skill_id: UUID) -> Skill:
    skill = visible_skills(actor).select_related("active_version", "role_agent").filter(pk=skill_id).first()
    if skill is None:
        raise NotFound("There is no such skill.")
    return skill


def is_hidden(actor: Actor, skill: Skill) -> bool:
    """Whether the actor may know that it exists, but not what it is called or says."""
    return skill.active_version is not None and not may_read(actor, skill.active_version)


def any_version(skill: Skill, number: int) -> SkillVersion:
    """A version of this skill, whoever may read it."""
    version = SkillVersion.objects.filter(skill=skill, number=number).first()
    if version is None:
        raise NotFound(f"This skill has no version {number}.")
    version.skill = skill  # with its version in use
    return version


def find_version(actor: Actor, skill: Skill, number: int) -> SkillVersion:
    """A version of a skill that the actor sees, if they may read it."""
    version = any_version(skill, number)
    if is_hidden(actor, skill) or not may_read(actor, version):
        raise Denied("This is sensitive; an owner, an admin or an auditor reads it.")
    return version


def version_by_id(actor: Actor, version_id: UUID) -> SkillVersion:
    """Which version of which skill it is; what it says is asked for by its number."""
    version = (
        SkillVersion.objects.filter(pk=version_id, skill__in=visible_skills(actor)).only("skill_id", "number").first()
    )
    if version is None:
        raise NotFound("There is no such version.")
    return version


def versions_page(skill: Skill, cursor: str = "") -> Page[SkillVersion]:
    """The newest first, without their documents."""
    rows = SkillVersion.objects.filter(skill=skill).defer("document", "when_to_use")
    return page(rows, cursor, order=("-number",), size=VERSIONS_SHOWN)


def files_of(version: SkillVersion) -> list[SkillFile]:
    """Without what is in them, but for `head`, the first bytes, which tell a program."""
    head = Func("content", 1, 4, function="SUBSTRING", output_field=BinaryField())
    return list(SkillFile.objects.filter(version=version).defer("content").annotate(head=head))


def is_script(file: SkillFile) -> bool:
    """Of one that `files_of` found: whether somebody could run it."""
    return File(file.path, bytes(file.head), file.executable).is_script  # type: ignore[attr-defined]  # annotated


def find_file(version: SkillVersion, path: str) -> SkillFile:
    file = SkillFile.objects.filter(version=version, path=path).first()
    if file is None:
        raise NotFound("This version has no such file.")
    return file


@dataclass(frozen=True, slots=True)
class Difference:
    """What `new` says otherwise than `old`: their documents, and the paths of files with what became of each."""

    old: SkillVersion
    new: SkillVersion
    files: list[tuple[str, str]]


def difference(actor: Actor, skill: Skill, old: int, new: int) -> Difference:
    before, after = find_version(actor, skill, old), find_version(actor, skill, new)
    rows = SkillFile.objects.filter(version__in=(before, after)).values_list(
        "version_id", "path", "digest", "executable"
    )
    held: dict[UUID, dict[str, tuple]] = {before.pk: {}, after.pk: {}}
    for version_id, path, digest, executable in rows:
        held[version_id][path] = digest, executable
    was, now = held[before.pk], held[after.pk]
    files = [
        (path, "added" if path not in was else "removed" if path not in now else "changed")
        for path in sorted({*was, *now})
        if was.get(path) != now.get(path)
    ]
    return Difference(before, after, files)


def life_of(actor: Actor, skill: Skill) -> list[Step]:
    """What happened to it, newest first."""
    rows = list(skill.history.order_by("-history_date", "-history_id")[:HISTORY_MOST])
    guarded = set()
    if not may_read_sensitive(actor):
        guarded = set(SkillVersion.objects.filter(skill=skill, sensitive=True).values_list("pk", flat=True))
    return steps(rows, str(skill.role_agent or ""), guarded=guarded)


def exportable(actor: Actor, skills: QuerySet[Skill]) -> list[SkillVersion]:
    """The versions in use of those whose words the actor may read."""
    versions = SkillVersion.objects.filter(pk__in=skills.values("active_version"))
    return list(versions if may_read_sensitive(actor) else versions.filter(sensitive=False))
