"""Small words about memories and proposals. Load with `{% load learning %}`."""

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from digitalworker.agents.models import ChatEvent
from learning import words
from learning.choices import Risk
from learning.models import Memory
from learning.views.desk import Desk

register = template.Library()


@register.filter
def plain(text: str) -> str:
    return words.plain(text)


@register.filter
def about(memory: Memory, organization: str) -> str:
    return words.about(memory, organization)


@register.filter
def source_of(memory: Memory) -> str:
    return words.source_of(memory)


@register.simple_tag
def filter_href(desk: Desk, **changes) -> str:
    """The address of the list with some filters changed."""
    return desk.href(desk.filters.but(**changes))


@register.simple_tag(takes_context=True)
def source_line(context: Context, event: ChatEvent) -> SafeString:
    """Beside an `item` or a `memory` the channel is a link to the agent's conversations there."""
    beside = context.get("item") or context.get("memory")
    return words.source_line(event, beside.role_agent if beside else None)


@register.filter
def said_by(event: ChatEvent) -> str:
    return words.said_by(event)


@register.filter
def origin(memory: Memory) -> SafeString:
    return words.origin(memory)


@register.inclusion_tag("components/chip.html")
def risk_chip(memory: Memory) -> dict:
    if memory.sensitive:
        return words.chip("sensitive", "guard")
    return words.chip(words.risk_word(memory.risk), words.RISK_TONES[Risk(memory.risk)])
