"""What people type about souls. What may be said is judged by `learning.soul_draft` and by screening."""

from django import forms

from souls.models import CODE_MOST, NAME_MOST, RULES_MOST, SUMMARY_MOST

from .forms import TakesErrors
from .models import LearningItem
from .soul_text import PARTS, soul_text

HELP = {
    "tone_rules_md": "Rules such as “Answer in the first sentence”, best as a list.",
    "do_not_do_md": "Each line is read as something that is not done.",
    "critique_rules_md": "Questions for looking at a draft. They are kept with the soul; no answer uses them yet.",
}


def _words(name: str, rows: int) -> forms.CharField:
    return forms.CharField(
        strip=False,
        required=name == "tone_rules_md",
        label=PARTS[name],
        error_messages={"required": "Write something."},
        help_text=f"{HELP[name]} At most {RULES_MOST:,} characters.",
        widget=forms.Textarea(attrs={"rows": rows, "dir": "auto"}),
    )


class SoulForm(TakesErrors):
    """Other words for a soul that there is, or that is only proposed."""

    main_field = "tone_rules_md"
    tone_rules_md = _words("tone_rules_md", 8)
    do_not_do_md = _words("do_not_do_md", 6)
    critique_rules_md = _words("critique_rules_md", 5)

    @property
    def words(self) -> dict:
        return self._typed(*PARTS)

    @property
    def typed(self) -> str:
        """What is typed so far, as its differences from what is in use are shown."""
        return soul_text({name: text.replace("\r\n", "\n").strip() for name, text in self.words.items()})


class EditSoulForm(SoulForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields[self.main_field].widget.attrs["data-focus"] = ""

    @classmethod
    def of(cls, item: LearningItem, data=None) -> "EditSoulForm":
        return cls(data, initial={name: item.proposed_payload.get(name, "") for name in PARTS})


class ProposeSoulForm(SoulForm):
    rationale = forms.CharField(
        required=False, label="Why", max_length=300, help_text="For who decides.", widget=forms.TextInput()
    )

    @property
    def named(self) -> dict:
        return self._typed("rationale")


class NewSoulForm(SoulForm):
    name = forms.CharField(max_length=NAME_MOST, widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}))
    code = forms.CharField(
        max_length=CODE_MOST,
        help_text="Small letters, digits, - and _. It can not be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    summary = forms.CharField(
        max_length=SUMMARY_MOST,
        required=False,
        label="What it is for",
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )

    field_order = ["name", "code", "summary", *PARTS]

    @property
    def named(self) -> dict:
        return self._typed("code", "name", "summary")


class ProposeNewSoulForm(NewSoulForm):
    rationale = forms.CharField(
        required=False, label="Why", max_length=300, help_text="For who decides.", widget=forms.TextInput()
    )

    @property
    def named(self) -> dict:
        return self._typed("code", "name", "summary", "rationale")
