"""Memories in and out as files: what would happen is shown before it does."""

import base64
import binascii
from dataclasses import dataclass
from itertools import islice

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from digitalworker.agents.models import Person, RoleAgent
from digitalworker.agents.page import agent_page
from digitalworker.agents.web import get_or_post, member_required
from digitalworker.common.errors import Denied, Invalid
from digitalworker.common.sheets import FORMATS, download
from digitalworker.common.text import clean
from digitalworker.console.toasts import toast
from learning import portable
from learning.actions.transfer import Report, import_memories, tell_export
from learning.choices import MemoryScope
from learning.library_forms import ImportForm
from learning.policies import rule_by_hand
from learning.selectors import inbox, library
from learning.selectors.library import MemoryFilters

from .memories import everyones_rule

PREVIEWED_MOST = 20  # of the rows that are taken
SHOWN_MOST = 100  # refused rows on the page; all of them are counted


# --- in -----------------------------------------------------------------------------------------------------------
@get_or_post
@member_required
def import_for_agent(request: HttpRequest, code: str) -> HttpResponse:
    context = agent_page(request, code, "memory")
    if not context["may_review"]:
        raise Denied(f"Only a manager of {context['agent'].name}, an admin or an owner may do this.")
    back = reverse("learning:agent_memory", args=[code])
    return _import(request, context["agent"], "learning/import_agent.html", context | {"back": back})


@get_or_post
@member_required
def import_for_organization(request: HttpRequest) -> HttpResponse:
    inbox.inbox_agents(request.actor)
    if not request.actor.is_admin:
        raise Denied("What the whole organisation will know is decided by an owner or an admin.")
    context = {"back": reverse("learning:organization_memory")}
    return _import(request, None, "learning/import_organization.html", context)


def _import(request: HttpRequest, agent: RoleAgent | None, template: str, context: dict) -> HttpResponse:
    context |= {"form": ImportForm(), "rows_most": portable.ROWS_MOST, "bytes_most": portable.BYTES_MOST}
    if (
        rule := rule_by_hand(request.actor, role_agent=agent, scope=MemoryScope.ROLE_AGENT)
        if agent
        else everyones_rule(request)
    ):
        return render(request, template, context | {"rule": rule}, status=403 if request.method == "POST" else 200)
    if request.method != "POST":
        return render(request, template, context)
    for_real = "content" in request.POST
    try:
        file = _shown_before(request) if for_real else _uploaded(request)
        rows = list(islice(portable.lines(file.raw, file.kind), portable.ROWS_MOST + 1))  # one more is refused whole
        report = import_memories(actor=request.actor, role_agent=agent, rows=rows, dry_run=not for_real)
    except Invalid as error:
        form = ImportForm(request.POST, request.FILES).refuse(error.detail)
        return render(request, template, context | {"form": form}, status=error.status)
    if for_real and not report.refused:
        toast(request, _told(report), tone="ok")
        return redirect(context["back"])
    taken = [] if for_real else _taken(agent, rows, {refusal.line for refusal in report.refused})
    context |= {"taken": taken[:PREVIEWED_MOST], "taken_more": max(0, len(taken) - PREVIEWED_MOST)}
    lines = {"refused": report.refused[:SHOWN_MOST], "guarded": report.guarded[:SHOWN_MOST]}
    context |= {"report": report, "done": for_real, "file": file, **lines}
    return render(request, template, context)


def _taken(agent: RoleAgent | None, rows: list[portable.Line], refused: set[int]) -> list[dict[str, object]]:
    """Each row that is taken and whom it is about. First what reaches furthest: what is for everyone, then who is new."""
    fit = [(number, row) for number, row in rows if isinstance(row, portable.Row) and number not in refused]
    named = {clean(row.person) for _, row in fit if row.person}
    found = Person.objects.filter(role_agent=agent, external_user_id__in=named) if named else ()
    people = {person.external_user_id: str(person) for person in found}

    def about(row: portable.Row) -> tuple[int, str]:
        if row.scope == MemoryScope.ORGANIZATION:
            return 0, "everyone"
        if row.person is None:
            return 2, str(agent)
        name = clean(row.person)
        return (2, people[name]) if name in people else (1, f"new person {name}")

    told = [(*about(row), number, row) for number, row in fit]
    told.sort(key=lambda each: (each[0], each[2]))
    return [{"line": number, "about": whom, "key": row.key, "content": row.content} for _, whom, number, row in told]


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    kind: str
    raw: bytes

    @property
    def packed(self) -> str:
        """Byte for byte, so that what is confirmed is what was shown."""
        return base64.b64encode(self.raw).decode()


def _uploaded(request: HttpRequest) -> _File:
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        raise Invalid(str(form.errors["file"][0]))
    upload = form.cleaned_data["file"]
    if upload.size > portable.BYTES_MOST:
        raise Invalid(f"The file has {upload.size:,} bytes; at most {portable.BYTES_MOST:,} fit. Split it.")
    raw = upload.read()
    return _File(upload.name[:100], portable.kind_of(upload.name, raw), raw)


def _shown_before(request: HttpRequest) -> _File:
    kind = request.POST.get("kind", "")
    try:
        raw = base64.b64decode(request.POST["content"], validate=True)
    except (binascii.Error, ValueError):
        raise Invalid("The file did not come back whole. Choose it again.") from None
    if kind not in FORMATS or len(raw) > portable.BYTES_MOST:
        raise Invalid("The file did not come back whole. Choose it again.")
    return _File(request.POST.get("name", "")[:100], kind, raw)


def _told(report: Report) -> str:
    parts = [f"{report.added:,} added"]
    if report.replaced:
        parts.append(f"{report.replaced:,} replaced")
    if report.unchanged:
        parts.append(f"{report.unchanged:,} known already")
    guarded = f" {len(report.guarded):,} of them as sensitive." if report.guarded else ""
    return f"Imported: {', '.join(parts)}.{guarded}"


# --- out ----------------------------------------------------------------------------------------------------------
@require_POST
@member_required
def export_of_agent(request: HttpRequest, code: str) -> HttpResponseBase:
    """What the list shows, as a file. A POST, because handing out memories is itself audited."""
    return _export(request, agent_page(request, code, "memory")["agent"])


@require_POST
@member_required
def export_of_organization(request: HttpRequest) -> HttpResponseBase:
    inbox.inbox_agents(request.actor)
    return _export(request, None)


def _export(request: HttpRequest, agent: RoleAgent | None) -> HttpResponseBase:
    kind, filters = request.POST.get("format", ""), MemoryFilters.read(request.POST)
    if kind not in FORMATS:
        raise Invalid("Choose csv or jsonl.")
    rows = library.exportable(request.actor, agent, filters)
    tell_export(actor=request.actor, role_agent=agent, kind=kind, rows=rows.count, filters=filters.asked)
    name = f"memories-{agent.code if agent else 'everyone'}"
    return download(request, portable.written(rows.in_batches(), kind), name=name, kind=kind)
