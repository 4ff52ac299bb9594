"""The audit explorer. It lives here and not beside the audit, because who may read what is asked of this app."""

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from digitalworker.audit import actions, presentation
from digitalworker.audit import export as files
from digitalworker.audit import selectors as events
from digitalworker.audit.evidence import evidence_of
from digitalworker.audit.forms import FilterForm
from digitalworker.audit.selectors import Filters
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Invalid, NotFound
from digitalworker.common.paging import Page, page

from .. import policies, selectors, tabs
from ..page import agent_page
from ..web import member_required

AGENTS_IN_MENU = 100
TRAIL_MOST = 20


@require_GET
@member_required
def explorer(request: HttpRequest) -> HttpResponse:
    if not tabs.sees_agents(request):
        raise NotFound
    form = _form(request, request.GET)
    context = {"form": form, "whole": policies.reads_whole_audit(request.actor)}
    return render(request, "audit/explorer.html", context | _rows(request, form))


@require_GET
@member_required
def of_agent(request: HttpRequest, code: str) -> HttpResponse:
    """The same rows, of one role-agent, as a tab of its page."""
    context = agent_page(request, code, "audit")
    form = _form(request, request.GET, only=context["agent"])
    context |= {"form": form} | _rows(request, form)
    return render(request, "agents/audit.html", context)


@require_GET
@member_required
def event(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """One row with all that is known of it: what it names, the fields that changed, and what else happened to the thing.
    Asked for by htmx, the fields alone."""
    found = events.get_event(selectors.events_for(request.actor), event_id)
    context = {"event": found, "evidence": evidence_of(request.actor, found)}
    if request.htmx:
        return render(request, "audit/event.html#changes", context)
    trail = events.narrowed(selectors.events_for(request.actor), Filters(object_id=found.object_id))
    lines = presentation.lines([found, *trail.order_by("-id")[: TRAIL_MOST + 1]], request.actor)
    context |= {"line": lines[0], "trail": lines[1 : TRAIL_MOST + 1], "more": len(lines) > TRAIL_MOST + 1}
    return render(request, "audit/event.html", context)


@require_POST
@member_required
def export(request: HttpRequest) -> HttpResponseBase:
    """The filtered rows as a file. A POST, because handing out the audit is itself audited."""
    if not tabs.sees_agents(request):
        raise NotFound
    kind, form = request.POST.get("format", ""), _form(request, request.POST)
    if kind not in files.FORMATS or not form.is_valid():
        raise Invalid("This export can not be made: correct the filters first.", errors=form.errors.get_json_data())
    rows = events.narrowed(selectors.events_for(request.actor), form.filters())
    with transaction.atomic():
        actions.record(
            verb=Verb.AUDIT_EXPORTED,
            actor=request.actor,
            obj=request.organization,
            label=f"the audit as {kind.upper()}",
            details={"filters": form.described(), "rows": rows.count()},
        )
    return files.response(request, rows, kind)


def _form(request: HttpRequest, data: QueryDict, only=None) -> FilterForm:
    agents = policies.visible_agents(request.actor)
    if only is not None:
        return FilterForm(
            {**data.dict(), "agent": only.code}, agents={only.code: (only.pk, only.name)}, find_agent=lambda _: only.pk
        )
    menu = list(agents.order_by("name", "id").values_list("code", "pk", "name")[: AGENTS_IN_MENU + 1])
    known = {code: (pk, name) for code, pk, name in menu}
    if len(menu) <= AGENTS_IN_MENU:
        return FilterForm(data.dict(), agents=known, find_agent=lambda code: known.get(code, (None,))[0])
    return FilterForm(
        data.dict(), agents=None, find_agent=lambda code: agents.filter(code=code).values_list("pk", flat=True).first()
    )


def _rows(request: HttpRequest, form: FilterForm) -> dict:
    if not form.is_valid():
        return {"page": Page([], None, None), "lines": [], "narrowed": True}
    rows = events.narrowed(selectors.events_for(request.actor), form.filters())
    found: Page = page(rows, request.GET.get("cursor", ""), size=50)
    lines = presentation.lines(found.rows, request.actor)
    return {"page": found, "lines": lines, "narrowed": form.filters().any, "trail_of": form.filters().object_id}
