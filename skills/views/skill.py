"""One skill: what it says, its versions and how they differ, its life, and what can be done to it."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents.web import member_required, revision_of, whole
from digitalworker.common.errors import Conflict, DomainError, Refused
from digitalworker.console.toasts import toast
from skills import reading, words
from skills.actions import lifecycle
from skills.document import parse
from skills.models import Skill, SkillVersion
from skills.policies import TRANSITIONS, allowed_actions, may_read, may_read_sensitive
from skills.slots import skill_cards


@require_GET
@member_required
def skill(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    return show(request, reading.find_skill(request.actor, skill_id))


@require_GET
@member_required
def by_version(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Where the audit and a run lead, which know a version by its id."""
    version = reading.version_by_id(request.actor, version_id)
    return redirect(f"{reverse('skills:skill', args=[version.skill_id])}?version={version.number}")


@require_POST
@member_required
def pause(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    return _act(request, skill_id, lifecycle.pause, "Paused. No answer is given it.")


@require_POST
@member_required
def resume(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    return _act(request, skill_id, lifecycle.resume, "Resumed. Answers can be given it again.")


@require_POST
@member_required
def archive(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    return _act(request, skill_id, lifecycle.archive, "Archived. No answer is given it any more.")


@require_POST
@member_required
def revert(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    number = whole(request.POST.get("number", "")) or 0
    done = f"Version {number} is in use from the next answer on."
    return _act(request, skill_id, lifecycle.revert, done, number=number)


def _act(request: HttpRequest, skill_id: UUID, action: Callable[..., Skill], done: str, **how: int) -> HttpResponse:
    reason = request.POST.get("reason", "")
    try:
        action(actor=request.actor, skill_id=skill_id, revision=revision_of(request), reason=reason, **how)
    except (Conflict, Refused) as error:
        found = reading.find_skill(request.actor, skill_id)
        return show(request, found, stopped=error, status=error.status)
    toast(request, done, tone="ok")
    return redirect("skills:skill", skill_id)


def show(request: HttpRequest, found: Skill, *, stopped: DomainError | None = None, status: int = 200) -> HttpResponse:
    """`stopped`: the typed error that kept something from being done to it."""
    actor, organization = request.actor, request.organization.name
    request.current_agent = found.role_agent
    hidden = reading.is_hidden(actor, found)
    context = {
        "skill": found,
        "key": str(found.pk),
        "hidden": hidden,
        "state": words.status(found),
        "whose": words.whose(found, organization),
        "stopped": stopped,
    }
    if not hidden:
        context |= _readable(request, found)
    return render(request, "skills/skill.html", context, status=status)


def _readable(request: HttpRequest, found: Skill) -> dict:
    actor = request.actor
    active = found.active_version
    assert active is not None  # noqa: S101 - outside the transaction that makes a skill there is one
    number = whole(request.GET.get("version", "")) or active.number
    version = active if number == active.number else reading.find_version(actor, found, number)
    versions = reading.versions_page(found, request.GET.get("cursor", ""))
    can = {transition.name: transition for transition in allowed_actions(actor, found)}
    return {
        "version": version,
        "document": parse(version.document),
        "as_source": request.GET.get("as") == "source",
        "files": [_file(file) for file in reading.files_of(version)],
        "facts": words.facts(actor, found, version, request.organization.name),
        "risk": (version.risk, words.RISK_TONES.get(version.risk, "")),
        "versions": versions,
        "rows": [_version(request, found, each, can) for each in versions],
        "difference": _difference(request, found),
        "compared": [each.number for each in versions if may_read(actor, each)],
        "life": reading.life_of(actor, found),
        "cards": skill_cards.drawn(request, found),
        "can": can,
        "acts": [transition for name, transition in can.items() if name != "revert"],
        "reads_all": may_read_sensitive(actor),
    }


def _version(request: HttpRequest, found: Skill, each: SkillVersion, can: dict) -> dict:
    hidden = not may_read(request.actor, each)
    in_use = each.pk == found.active_version_id
    return {
        "version": each,
        "hidden": hidden,
        "in_use": in_use,
        "revert": TRANSITIONS["revert"] if "revert" in can and not in_use and not hidden else None,
    }


def _file(file) -> dict:
    return {"path": file.path, "size": file.size, "is_script": reading.is_script(file)}


def _difference(request: HttpRequest, found: Skill) -> reading.Difference | None:
    old, new = (whole(request.GET.get(name, "")) for name in ("from", "to"))
    return reading.difference(request.actor, found, old, new) if old and new else None
