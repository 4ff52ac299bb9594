"""Why did it say that?"""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from digitalworker.agents.policies import get_agent
from digitalworker.agents.tabs import sidebar_agents
from digitalworker.agents.web import member_required
from digitalworker.audit import links
from digitalworker.common.errors import NotFound
from digitalworker.console.addresses import with_query

from .. import words
from ..forms import id_of
from ..models import RunStatus
from ..selectors import runs
from ..selectors.learned import learned_from
from ..selectors.prompts import rebuilt_prompt
from ..selectors.runs import Given, LeftOut, Story


@require_GET
@member_required
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    found = runs.get_run(request.actor, run_id)
    request.current_agent = found.role_agent
    story = runs.story_of(request.actor, found)
    context = {
        "run": found,
        "story": story,
        "sections": [(section, [given_card(given) for given in section.given]) for section in story.sections],
        "left_out": [left_out_row(left) for left in story.left_out],
        "learned": learned_from(request.actor, found.question),
        "prompt": rebuilt_prompt(story),
        "said": said(story),
        "failure": words.failure(found),
        "notices": words.notices(found),
        "facts": words.run_facts(found),
        "steps": words.steps_of(found),
        "status_tone": words.STATUS_TONES.get(found.status, ""),
    }
    return render(request, "runtime/run.html", context)


def said(story: Story) -> dict:
    """Who asked whom, and where to read it."""
    found = story.run
    return {
        "person": words.nobody(found.person),
        "href": f"{reverse('runtime:conversation', args=[found.thread_id])}?event={found.question_id}#e-{found.question_id}",
        "where": found.thread.channel.name if found.thread.channel else "",
    }


def given_card(given: Given) -> dict:
    """A memory as one entry of the run page; a hidden or erased one tells nothing of where it comes from."""
    row = given.row
    card = {
        "given": given,
        "href": links.href("memory", given.memory.id) if row is not None else "",
        "steps": [],
        "now": "",
    }
    if row is not None and given.memory.is_readable:
        card["steps"] = words.provenance(row)
        card["now"] = "" if row.is_live else row.get_status_display().lower()
    return card


def left_out_row(left: LeftOut) -> dict:
    return {"left": left, "href": links.href("memory", left.memory.id) if left.row is not None else ""}


@require_GET
@member_required
def run_list(request: HttpRequest) -> HttpResponse:
    """Answers, the latest first, of one agent or of all one sees."""
    if not sidebar_agents(request):
        raise NotFound
    code, status = request.GET.get("agent", ""), request.GET.get("status", "")
    agent = get_agent(request.actor, code) if code else None
    if agent is not None:
        request.current_agent = agent
    used = {name: given for name in runs.USED if (given := id_of(request, name))}
    found = runs.runs_page(request.actor, agent=agent, status=status, used=used, cursor=request.GET.get("cursor", ""))
    context = {
        "page": found,
        "agent": agent,
        "status": status,
        "used": runs.USED_WORDS[next(iter(used))] if used else "",
        "filters": status_filters(status, {"agent": code, **used}),
        "rows": [run_row(each) for each in found.rows],
    }
    return render(request, "runtime/runs.html", context)


def status_filters(status: str, kept: dict[str, object]) -> list[dict]:
    address = reverse("runtime:runs")
    chosen = [("", "All"), *((each.value, each.label) for each in RunStatus if each != RunStatus.RUNNING)]
    filters = []
    for value, label in chosen:
        query = urlencode({name: each for name, each in {**kept, "status": value}.items() if each})
        filters.append({"label": label, "href": with_query(address, query), "count": None, "current": value == status})
    return filters


def run_row(each) -> dict:
    return {
        "run": each,
        "text": each.question.text,
        "person": words.nobody(each.person),
        "memories": each.manifest.get("budget", {}).get("memories_used", 0),
        "tone": words.STATUS_TONES.get(each.status, ""),
        "model": each.model,
    }
