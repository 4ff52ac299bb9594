"""How an agent would sound with another soul: the playground's comparison. It stores nothing."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from digitalworker.agents.policies import get_agent, require_review
from digitalworker.agents.web import member_required
from digitalworker.common.errors import Conflict, Invalid
from souls.models import Soul
from souls.policies import may_read
from souls.selectors import shelf, soul_had_by

from ..ask import QUESTION_MOST
from ..compare import compare


@require_http_methods(["GET", "POST"])
@member_required
def compare_souls(request: HttpRequest, code: str) -> HttpResponse:
    request.nav_current = "runtime:playgrounds"
    agent = get_agent(request.actor, code)
    require_review(request.actor, agent)
    agent.organization = request.organization
    souls = [soul for soul in shelf(agent.organization_id) if _may_sound(request, soul)]
    chosen = _chosen(request, souls, soul_had_by(agent))
    context: dict[str, Any] = {
        "agent": agent,
        "souls": souls,
        "chosen": [soul.code for soul in chosen],
        "question": request.POST.get("question", ""),
        "question_most": QUESTION_MOST,
    }
    if request.method == "POST" and len(chosen) == 2:
        try:
            context["sounded"] = compare(
                actor=request.actor, role_agent=agent, question=context["question"], souls=(chosen[0], chosen[1])
            )
        except (Conflict, Invalid) as error:
            context["stopped"] = error
    status = context["stopped"].status if "stopped" in context else 200
    return render(request, "runtime/compare_souls.html", context, status=status)


def _may_sound(request: HttpRequest, soul: Soul) -> bool:
    return soul.active_version is not None and may_read(request.actor, soul.active_version)


def _chosen(request: HttpRequest, souls: list[Soul], own: Soul | None) -> list[Soul]:
    """The two that were asked for; else the agent's own and the next on the shelf."""
    given = [request.POST.get(name) or request.GET.get(name, "") for name in ("first", "second")]
    by_code = {soul.code: soul for soul in souls}
    first = by_code.get(given[0]) or (by_code.get(own.code) if own else None) or next(iter(souls), None)
    second = by_code.get(given[1]) or next((soul for soul in souls if soul != first), None)
    return [soul for soul in (first, second) if soul is not None]
