"""How a list of memories is narrowed, and what is brought in from a file."""

from django import forms

from .choices import Risk, Source
from .selectors.library import NO, SEARCH_MOST, SORTS, YES, MemoryFilters

ANY = ("", "Any")


def _yes_no(yes: str, no: str) -> list[tuple[str, str]]:
    return [ANY, (YES, yes), (NO, no)]


class FinerForm(forms.Form):
    """The filters that have no chip, and the order. Only drawn: an address is read by `MemoryFilters.read`."""

    sort = forms.ChoiceField(label="Order", choices=[(name, words) for name, (words, _, _) in SORTS.items()])
    risk = forms.ChoiceField(choices=[ANY, *Risk.choices])
    source = forms.ChoiceField(label="Came by", choices=[ANY, *Source.choices])
    autosaved = forms.ChoiceField(label="Let in by", choices=_yes_no("Policy, without asking", "A person"))
    reviewer = forms.CharField(label="Reviewer", max_length=SEARCH_MOST, required=False)
    sensitive = forms.ChoiceField(choices=_yes_no("Sensitive", "Not sensitive"))
    pinned = forms.ChoiceField(choices=_yes_no("Pinned", "Not pinned"))
    unused = forms.ChoiceField(label="Use", choices=[ANY, (YES, "Never in an answer")])

    @classmethod
    def of(cls, filters: MemoryFilters) -> "FinerForm":
        return cls(initial=filters.asked)


class ImportForm(forms.Form):
    """`refuse` says at the field what is wrong with a file, whether it came as one or back from the preview."""

    file = forms.FileField(
        label="File",
        help_text="JSON Lines or CSV, UTF-8.",
        error_messages={"required": "Choose a file.", "empty": "This file is empty."},
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.ndjson,.csv,.json,text/csv,application/x-ndjson"}),
    )

    def refuse(self, message: str) -> "ImportForm":
        self.errors["file"] = self.error_class([message])
        return self


class ImportSkillsForm(ImportForm):
    """Skills from elsewhere. `everyone` is offered to who decides for the whole organisation."""

    file = forms.FileField(
        label="File",
        help_text="A zip archive with a folder for each skill, or one SKILL.md.",
        error_messages={"required": "Choose a file.", "empty": "This file is empty."},
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.md,application/zip,text/markdown"}),
    )
    everyone = forms.BooleanField(required=False, label="For every role-agent of the organisation")

    def __init__(self, *args, for_everyone: bool = False, **kwargs):
        super().__init__(*args, **kwargs)
        if not for_everyone:
            del self.fields["everyone"]
