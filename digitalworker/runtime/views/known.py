"""What did this agent know on that day?"""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_GET

from digitalworker.agents.page import agent_page
from digitalworker.agents.web import member_required

from ..selectors import known


@require_GET
@member_required
def known_then(request: HttpRequest, code: str) -> HttpResponse:
    """`?at=` is a moment in the server's time zone, as a browser's field for it sends one; without it, now."""
    context = agent_page(request, code, "memory")
    agent, asked = context["agent"], request.GET.get("at", "")
    at = _moment(asked)
    moment = at or timezone.now()
    context |= {
        "at": moment,
        "field": timezone.localtime(moment).strftime("%Y-%m-%dT%H:%M"),
        "wrong": bool(asked) and at is None,
        "is_past": at is not None,
        "existed": agent.created_at <= moment,
        "page": known.memories_then(request.actor, agent, moment, request.GET.get("cursor", "")),
        "skills": known.skills_then(request.actor, agent, moment),
        "set_up": known.set_up_then(request.actor, agent, moment),
    }
    return render(request, "runtime/known.html", context)


def _moment(text: str) -> datetime | None:
    """A moment written to the minute means its end: what was let in during that minute was known by then."""
    try:
        moment = parse_datetime(text.strip().replace(" ", "+"))
    except ValueError:
        return None
    if moment is None:
        return None
    try:
        moment = moment if timezone.is_aware(moment) else timezone.make_aware(moment)
        return moment if moment.second or moment.microsecond else moment.replace(second=59, microsecond=999_999)
    except (ValueError, OverflowError):
        return None
