"""How the operations page puts its numbers."""

from django.utils.html import format_html

from digitalworker.audit import links
from digitalworker.common.types import Actor
from digitalworker.console.templatetags.console import ago
from learning.choices import LOCAL_DETECTOR, Outcome, Setback
from learning.selectors.operations import COUNTED_MOST, Lately, Operations

NOTHING_FAILED = {"kind": "done", "title": "Nothing failed", "text": "A message that fails five times is listed here."}


def described(found: Operations, actor: Actor) -> dict:
    queue, lately = found.queue, found.lately
    return {
        "found": found,
        "depth": f"{COUNTED_MOST:,}+" if queue.more else f"{queue.depth:,}",
        "oldest": format_html("oldest came in {}", ago(queue.oldest, "long")) if queue.oldest else "nothing waits",
        "waiting": [(Setback(name).label, number) for name, number in queue.waiting.items()],
        "failed": f"{COUNTED_MOST:,}+" if found.failed > COUNTED_MOST else f"{found.failed:,}",
        "failures": [(row, links.href("event", str(row.pk))) for row in found.failures],
        "nothing_failed": NOTHING_FAILED,
        "outcomes": outcomes(lately),
        "looked_at": lately.looked_at,
        "setbacks": [(Setback(name).label, number) for name, number in sorted(lately.setbacks.items())],
        "triage": triage_share(lately),
        "by_model": found.detector != LOCAL_DETECTOR,
        "may_retry": actor.is_admin,
    }


def outcomes(lately: Lately) -> list[tuple[str, int]]:
    """Every outcome there was, in the order an event meets them."""
    return [(Outcome(name).label, lately.outcomes[name]) for name in Outcome.values if lately.outcomes.get(name)]


def triage_share(lately: Lately) -> str:
    return "–" if lately.triage_share is None else f"{lately.triage_share:.0%}"
