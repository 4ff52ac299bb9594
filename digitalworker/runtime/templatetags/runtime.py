from django import template
from django.utils.safestring import SafeString

from digitalworker.runtime import words
from learning.choices import ItemStatus
from learning.models import LearningItem
from learning.words import STATUS_TONES, shortened

register = template.Library()


@register.filter
def item_link(item: LearningItem) -> SafeString:
    """What is proposed, as a link to where it is decided."""
    return words.linked("learningitem", item.pk, shortened(item.title))


@register.filter
def status_tone(status: str) -> str:
    return STATUS_TONES.get(ItemStatus(status), "")
