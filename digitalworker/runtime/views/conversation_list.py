"""Conversations, latest first, and words that were said in them."""

from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from digitalworker.agents.history import QUERY_MOST, Filters, search_history
from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import get_agent
from digitalworker.agents.tabs import agents_seen
from digitalworker.agents.web import member_required
from digitalworker.common.errors import NotFound

from .. import words
from ..forms import NarrowForm
from ..selectors import conversations

AGENTS_MOST = 500  # in the list to choose from


def agents_to_choose(request: HttpRequest) -> list[RoleAgent]:
    """Without any, the page does not exist."""
    agents = agents_seen(request)[:AGENTS_MOST]
    if not agents:
        raise NotFound
    return agents


@require_GET
@member_required
def conversation_list(request: HttpRequest) -> HttpResponse:
    agents = agents_to_choose(request)
    code, wanted, query = (request.GET.get(name, "").strip() for name in ("agent", "channel", "q"))
    agent = get_agent(request.actor, code) if code else (agents[0] if len(agents) == 1 else None)
    channels = conversations.channels_of(agent) if agent else []
    channel = next((each for each in channels if str(each.pk) == wanted), None)
    form = NarrowForm(request.GET, agent=agent)
    context: dict[str, Any] = {
        "agents": agents,
        "agent": agent,
        "channels": channels,
        "channel": channel,
        "query": query[:QUERY_MOST],
        "query_in_address": quote(query[:QUERY_MOST]),
        "query_most": QUERY_MOST,
        "form": form,
    }
    if form.is_valid() and query and agent is not None:
        context |= _found(request, agent, query, form.filters(channel))
    elif form.is_valid() and not query:
        context |= _listed(request, agent, form.filters(channel))
    return render(request, "runtime/conversations.html", context)


def _found(request: HttpRequest, agent: RoleAgent, query: str, filters: Filters) -> dict[str, Any]:
    cursor = request.GET.get("cursor")
    found = search_history(actor=request.actor, agent=agent, query=query, filters=filters, limit=25, cursor=cursor)
    return {
        "found": found,
        "hits": [words.hit(each, agent.name) for each in found],
        "first": int(cursor or 0) + 1,
        "last": int(cursor or 0) + len(found),
    }


def _listed(request: HttpRequest, agent: RoleAgent | None, filters: Filters) -> dict[str, Any]:
    page = conversations.threads_page(request.actor, agent=agent, filters=filters, cursor=request.GET.get("cursor", ""))
    return {"page": page, "rows": [(row, words.nobody(row.thread.person)) for row in page.rows]}
