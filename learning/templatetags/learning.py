"""Small words about memories and proposals. Load with `{% load learning %}`."""

from django import template
from django.utils.safestring import SafeString

from digitalworker.agents.models import ChatEvent, RoleAgent
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


@register.simple_tag
def source_line(event: ChatEvent, agent: RoleAgent | None = None) -> SafeString:
    return words.source_line(event, agent)


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
