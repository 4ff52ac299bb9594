"""What stands beside a proposed soul on the reviewer's desk: what is in use now, and what an approval would mean."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from digitalworker.common.types import Actor
from digitalworker.console.templatetags.console import ago
from souls.policies import may_read

from .choices import ItemStatus, MemoryScope
from .models import LearningItem
from .soul_text import soul_text


def text_in_use(actor: Actor, item: LearningItem) -> str:
    """What the soul says now, for the reviewer to compare; empty for a new one, and for what the actor may not read."""
    active = item.soul.active_version if item.soul else None
    return soul_text(vars(active)) if active and may_read(actor, active) else ""


def sentence(item: LearningItem, organization: str, *, decides: bool) -> SafeString | str:
    """What happens on approval, or what came of it. Approving a new soul gives it to nobody."""
    name = item.proposed_payload.get("name", "")
    if not item.is_pending:
        who, when = item.decided_by_label or "Somebody", ago(item.decided_at, "long")
        if item.status == ItemStatus.REJECTED:
            return format_html("{} rejected this {}. No agent talks so.", who, when)
        return format_html("{} approved this {}. Its page tells which version is in use.", who, when)
    then = f"If {'you approve' if decides else 'it is approved'},"
    if item.soul is None:
        return f"{then} {name} is on the shelf. No agent talks so before somebody assigns it."
    if item.proposed_payload.get("scope") == MemoryScope.ORGANIZATION:
        return f"{then} every role-agent of {organization} that has {name} talks so from its next answer on."
    return f"{then} {item.role_agent.name} talks so from its next answer on, once it has {name}."
