"""Skills on their way in: written here, changed, or brought as a file. Each ends as a proposal in the inbox."""

import base64
import binascii
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import get_agent
from digitalworker.agents.web import get_or_post, member_required
from digitalworker.common.errors import Denied, DomainError, Invalid
from digitalworker.console.toasts import toast
from learning.actions.import_skills import Imported, counts, import_skills, require_few
from learning.actions.propose_skill import SkillProposal, propose_skill
from learning.choices import MemoryScope, Outcome
from learning.forms import NewSkillForm
from learning.library_forms import ImportSkillsForm
from learning.policies import require_decision
from learning.selectors.proposed_skills import SHOWN_MOST, find_file
from learning.selectors.skills import host_of, visible_skill
from learning.skill_draft import OPEN
from skills.document import SCOPES, compose
from skills.models import Skill
from skills.package import Reading, read_upload

CONFIRMED_MOST = 1_500_000  # bytes that a page can carry from what is shown to what is confirmed
COUNTS = {"new": "New", "update": "Updates", "waiting": "Wait already", "known": "Known already", "refused": "Refused"}
TONES = {"new": "ok", "update": "accent", "refused": "bad"}


# --- one, in an editor --------------------------------------------------------------------------------------------
@get_or_post
@member_required
def new_skill(request: HttpRequest, code: str) -> HttpResponse:
    agent = get_agent(request.actor, code)
    require_decision(request.actor, role_agent=agent, scope=MemoryScope.ROLE_AGENT, sensitive=False)
    start = compose("new-skill", "What it does, and when to use it.", *[OPEN] * 4, agent=code)
    return _editor(request, agent, None, start, foreign=False)


@get_or_post
@member_required
def propose_change(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    skill = visible_skill(request.actor, skill_id)
    version = skill.active_version
    assert version is not None  # noqa: S101 - of one without, there is no such skill
    return _editor(request, host_of(request.actor, skill), skill, version.document, foreign=bool(version.lacks))


def _editor(request: HttpRequest, agent: RoleAgent, skill: Skill | None, before: str, *, foreign: bool) -> HttpResponse:
    typed = request.POST if request.method == "POST" else None
    form = NewSkillForm(typed, initial={"document": before}, foreign=foreign)
    context = {"agent": agent, "skill": skill, "form": form, "back": reverse("learning:agent_inbox", args=[agent.code])}
    context |= {"before": before if skill else "", "text": before if skill else ""}
    if typed is None:
        return render(request, "learning/new_skill.html", context)
    form.is_valid()
    if typed.get("then") == "preview":
        form.errors.clear()
        while_typing = request.htmx and request.htmx.target == "changes"
        return render(request, "learning/changes.html" if while_typing else "learning/new_skill.html", context)
    try:
        scope = _scope_of(skill, form)
        proposal = SkillProposal(form.typed, scope=scope, rationale=form.words["rationale"], foreign=foreign)
        proposed = propose_skill(actor=request.actor, role_agent=agent, proposal=proposal, skill=skill)
    except Denied:
        raise
    except DomainError as error:
        if not form.take(error):
            form.add_error(None, error.detail)
        return render(request, "learning/new_skill.html", context, status=error.status)
    known = proposed.outcome == Outcome.KNOWN
    toast(request, "This waits already." if known else "Proposed. It waits for a decision.", tone="ok")
    assert proposed.item is not None  # noqa: S101 - by hand there is an item, or an error
    return redirect("learning:item", proposed.item.pk)


def _scope_of(skill: Skill | None, form: NewSkillForm) -> str:
    """Whom it is for: as the skill, or as a new one's document says."""
    if skill is not None:
        return MemoryScope.ROLE_AGENT if skill.role_agent_id else MemoryScope.ORGANIZATION
    return form.read.scope if form.read.scope in SCOPES else MemoryScope.ROLE_AGENT


# --- many, as a file ----------------------------------------------------------------------------------------------
@get_or_post
@member_required
def import_for_agent(request: HttpRequest, code: str) -> HttpResponse:
    agent = get_agent(request.actor, code)
    require_decision(request.actor, role_agent=agent, scope=MemoryScope.ROLE_AGENT, sensitive=False)
    form = ImportSkillsForm(for_everyone=request.actor.is_admin)
    back = reverse("learning:agent_inbox", args=[code])
    context: dict = {"agent": agent, "form": form, "back": back, "results": None}
    if request.method != "POST":
        return render(request, "learning/import_skills.html", context)
    for_real = "content" in request.POST
    everyone = request.POST.get("everyone") == "on"
    try:
        name, raw = _shown_before(request) if for_real else _uploaded(request)
        reading = require_few(read_upload(name, raw))
        scope = MemoryScope.ORGANIZATION if everyone else MemoryScope.ROLE_AGENT
        results = import_skills(
            actor=request.actor, role_agent=agent, reading=reading, scope=scope, dry_run=not for_real
        )
    except Invalid as error:
        refused = ImportSkillsForm(request.POST, request.FILES, for_everyone=request.actor.is_admin)
        return render(
            request,
            "learning/import_skills.html",
            context | {"form": refused.refuse(error.detail)},
            status=error.status,
        )
    found = counts(results)
    if for_real and not found["refused"]:
        toast(request, f"Proposed: {found['new']:,} new, {found['update']:,} updates.", tone="ok")
        return redirect(back)
    context |= _told(results, found, reading) | {"done": for_real, "everyone": everyone}
    context["file"] = {"name": name, "packed": base64.b64encode(raw).decode()}
    return render(request, "learning/import_skills.html", context)


def _told(results: list[Imported], found: dict[str, int], reading: Reading) -> dict:
    rows = [
        {"tone": TONES.get(result.status, "")}
        | {
            name: getattr(result, name)
            for name in ("name", "status", "reason", "sensitive", "files", "scripts", "item")
        }
        for result in results
    ]
    numbers = [(label, found[name]) for name, label in COUNTS.items() if found[name]]
    return {
        "results": rows,
        "counts": numbers,
        "takes": found["new"] + found["update"],
        "skipped": len(reading.skipped),
    }


def _uploaded(request: HttpRequest) -> tuple[str, bytes]:
    form = ImportSkillsForm(request.POST, request.FILES, for_everyone=request.actor.is_admin)
    if not form.is_valid():
        raise Invalid(str(form.errors["file"][0]))
    upload = form.cleaned_data["file"]
    if upload.size > CONFIRMED_MOST:
        raise Invalid(
            f"The file has {upload.size:,} bytes; at most {CONFIRMED_MOST:,} fit here. Send fewer skills at a time, or import"
            " them with manage.py import_skills."
        )
    return upload.name[-100:], upload.read()


def _shown_before(request: HttpRequest) -> tuple[str, bytes]:
    try:
        raw = base64.b64decode(request.POST["content"], validate=True)
    except (binascii.Error, ValueError):
        raise Invalid("The file did not come back whole. Choose it again.") from None
    return request.POST.get("name", "")[-100:], raw


# --- a file of one ------------------------------------------------------------------------------------------------
@require_GET
@member_required
def item_file(request: HttpRequest, item_id: UUID, file_id: UUID) -> HttpResponse:
    item, file = find_file(request.actor, item_id, file_id)
    text = file.content.decode() if file.is_text else None
    shown = text[:SHOWN_MOST] if text is not None else None
    return render(request, "learning/item_file.html", {"item": item, "file": file, "text": shown, "cut": shown != text})
