from django import template
from django.utils.safestring import SafeString

from digitalworker.runtime import words
from learning.choices import ItemStatus, MemoryStatus
from learning.models import LearningItem, Memory
from learning.words import MEMORY_TONES, STATUS_TONES, shortened

register = template.Library()


@register.filter
def item_link(item: LearningItem) -> SafeString:
    """What is proposed, as a link to where it is decided."""
    return words.linked("learningitem", item.pk, shortened(item.title))


@register.filter
def status_tone(status: str) -> str:
    return STATUS_TONES.get(ItemStatus(status), "")


@register.filter
def memory_link(memory: Memory) -> SafeString:
    return words.linked("memory", memory.pk, shortened(str(memory)))


@register.filter
def memory_tone(status: str) -> str:
    return MEMORY_TONES.get(MemoryStatus(status), "")
