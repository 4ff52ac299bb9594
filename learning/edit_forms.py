"""The form in which a proposal is edited, by what kind of proposal it is."""

from django.http import QueryDict

from .choices import SKILLS, ItemKind
from .forms import EditItemForm, EditSkillForm
from .models import LearningItem
from .soul_forms import EditSoulForm

type EditForm = EditItemForm | EditSkillForm | EditSoulForm


def edit_form(item: LearningItem, data: QueryDict | None = None) -> EditForm:
    """With its words or with what was typed."""
    held = item.proposed_payload
    if item.kind == ItemKind.SOUL_UPDATE:
        return EditSoulForm.of(item, data)
    if item.kind in SKILLS:
        return EditSkillForm(data, initial={"document": held["document"]}, foreign=held.get("foreign", False))
    return EditItemForm(data, initial={name: held.get(name) or "" for name in ("kind", "key", "content")})
