"""The system prompt of an earlier answer, put together again from what was recorded about it."""

from dataclasses import dataclass

from digitalworker.agents.actions.prompts import BUILT_IN, prompt_of
from digitalworker.agents.models import PromptVersion, RoleAgent
from digitalworker.common.text import digest

from ..context import ASK_PROMPT, render, render_sections
from ..models import AgentRun
from ..posture import render_posture
from ..procedures import line_of, render_loaded, render_procedures
from .runs import Story


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """`exact`: the digest says that it is the very text the answer was given; None where none was kept."""

    text: str
    exact: bool | None


def rebuilt_prompt(story: Story) -> Rebuilt:
    """What is hidden from the reader, or was erased, stays a placeholder, and then it is not the exact text."""
    run = story.run
    names = run.manifest.get("names") or {"agent": run.role_agent.name, "organization": run.organization.name}
    text = render(
        _prompt_body(run),
        names=names,
        persona=_persona(run),
        posture=render_posture(story.soul),
        memories=render_sections(story.given, **names),
        procedures=render_procedures(
            (render_loaded(each.name, each.number, each.body) for each in story.skills),
            map(line_of, story.skills_listed),
        ),
    )
    kept = run.manifest.get("rendered")
    return Rebuilt(text, digest(text) == kept if kept else None)


def _persona(run: AgentRun) -> str:
    """As it was then: the agent's own history has it, where somebody changed it since."""
    kept, now = run.manifest.get("persona"), run.role_agent.persona
    if kept is None or digest(now) == kept:
        return now
    older = RoleAgent.history.filter(id=run.role_agent_id, history_date__lte=run.finished_at or run.created_at)
    return next((text for text in older.values_list("persona", flat=True)[:50] if digest(text) == kept), now)


def _prompt_body(run: AgentRun) -> str:
    """The wording of the version that was used; versions never change."""
    key, _, version = run.prompt_version.partition(", ")
    number = version.removeprefix("version ")
    if version == BUILT_IN or not number.isdigit():
        return prompt_of(ASK_PROMPT.key).default_body
    body = PromptVersion.objects.filter(
        organization_id=run.organization_id, template__key=key, version=int(number)
    ).values_list("body", flat=True)
    return body.first() or prompt_of(ASK_PROMPT.key).default_body
