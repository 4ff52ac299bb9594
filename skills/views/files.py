"""What leaves as a file: one resource of a version, or skills as an archive. Nothing of it is run here or in a browser."""

from urllib.parse import quote
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents.web import member_required, whole
from skills import reading
from skills.actions.export import Exported, export_skill
from skills.package import File, write_zip

SHOWN_MOST = 200_000  # characters of a text file that are shown


def attached(content: bytes, name: str, kind: str = "application/octet-stream") -> HttpResponse:
    """Something to save, whatever it is: a browser neither shows it nor guesses what it could be."""
    shown = quote(name, safe="")
    return HttpResponse(
        content,
        content_type=kind,
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{shown}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Cache-Control": "no-store",
        },
    )


def zipped(exported: Exported, name: str) -> HttpResponse:
    return attached(write_zip(exported.packages), f"{name}.zip", "application/zip")


@require_GET
@member_required
def file(request: HttpRequest, skill_id: UUID, number: int) -> HttpResponse:
    """A file of a version: shown where it is text, and to be saved with `save`."""
    skill = reading.find_skill(request.actor, skill_id)
    version = reading.find_version(request.actor, skill, number)
    held = reading.find_file(version, request.GET.get("path", ""))
    content = bytes(held.content)
    if "save" in request.GET:
        return attached(content, held.path.rpartition("/")[2])
    kept = File(held.path, content, held.executable)
    text = content.decode() if kept.is_text else ""
    request.current_agent = skill.role_agent
    context = {
        "skill": skill,
        "version": version,
        "file": kept,
        "size": held.size,
        "text": text[:SHOWN_MOST],
        "cut": len(text) > SHOWN_MOST,
    }
    return render(request, "skills/file.html", context)


@require_POST
@member_required
def export(request: HttpRequest, skill_id: UUID) -> HttpResponse:
    """One skill as an archive. A POST, because handing it out is itself audited."""
    exported = export_skill(actor=request.actor, skill_id=skill_id, number=whole(request.POST.get("number", "")))
    return zipped(exported, exported.packages[0].name)
