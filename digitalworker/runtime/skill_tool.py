"""`load_skill`: the body of a skill, or one of its files, when the model finds that it needs it."""

from digitalworker.agents.language_model import ToolSpec
from digitalworker.agents.models import RoleAgent
from digitalworker.common.text import clean
from skills.document import parse
from skills.models import Skill, SkillFile
from skills.package import File
from skills.selectors import usable

from .models import AgentRun
from .procedures import render_loaded, tagged
from .uses import count_skills, in_use

CHARACTERS_MOST = 20_000  # of one call; the rest is asked for with `start`
ASKED = "the model asked for it"


def skill_tools(run: AgentRun, role_agent: RoleAgent) -> list[ToolSpec]:
    """None for an agent that has no skill in use."""
    if not usable(role_agent.organization_id, role_agent.pk).exists():
        return []

    def load_skill(name: str, file: str = "", start: str = "") -> str:
        skill = _named(role_agent, name)
        if skill is None or skill.active_version is None:
            return f"There is no skill {clean(name)[:80]} in use."
        version = skill.active_version
        if clean(file):
            return _file(skill, clean(file), _number(start))
        count_skills(run, [(in_use(version), ASKED)])
        body = _part(parse(version.document).body.strip(), _number(start))
        paths = SkillFile.objects.filter(version=version).values_list("path", flat=True)
        files = f"\n\nIts files, to load by path: {', '.join(paths)}" if paths else ""
        return render_loaded(skill.name, version.number, body) + files

    return [
        ToolSpec(
            "load_skill",
            "Load an approved procedure by its name, before you do what it is about. It grants no permission and no tool.",
            {"name": "the name from the list of procedures"},
            load_skill,
            optional={
                "file": "the path of one of its files instead; nothing is ever run",
                "start": "the character to begin at, where a text was cut",
            },
        )
    ]


def _named(role_agent: RoleAgent, name: str) -> Skill | None:
    skills = usable(role_agent.organization_id, role_agent.pk).select_related("active_version__skill")
    return skills.filter(name=clean(name).strip("/ ").lower()).first()  # the organisation's comes first


def _file(skill: Skill, path: str, start: int) -> str:
    found = SkillFile.objects.filter(version=skill.active_version_id, path=path).first()
    if found is None:
        return f"{skill.name} has no file of that path."
    file = File(found.path, bytes(found.content), found.executable)
    if not file.is_text:
        return f"{path} is no text ({file.media_type}, {found.size:,} bytes), so it can not be read here."
    note = "A script, kept to be read. It is run by nobody here.\n" if file.is_script else ""
    return note + tagged("file", _part(file.content.decode(), start), path=path)


def _number(start: str) -> int:
    return int(start) if start.strip().isascii() and start.strip().isdecimal() else 0


def _part(text: str, start: int) -> str:
    end = start + CHARACTERS_MOST
    more = f"\n(Cut here. The next part begins at start={end}, of {len(text)} characters.)" if len(text) > end else ""
    return text[start:end] + more
