"""What people type about memories. The rules live in `payload.checked`; a form only carries words there and faults back."""

from django import forms
from django.http import HttpRequest
from django.utils.functional import cached_property

from digitalworker.common.errors import DomainError, Invalid, Refused
from skills.document import Document, parse

from .choices import MemoryKind, Risk
from .models.memory import CONTENT_MOST
from .payload import text_of
from .skill_draft import DOCUMENT_MOST, RATIONALE_MOST, as_typed


def person_in(request: HttpRequest) -> int | None:
    """Whom a form assigns to; nobody where that was chosen. What is no one's number is somebody whom there is not."""
    chosen = request.POST.get("to", "")
    return (int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 19 else -1) if chosen else None


class TakesErrors(forms.Form):
    """A form that carries words to an action and its refusal back to the field it belongs to."""

    use_required_attribute = False
    main_field = "content"

    @property
    def words(self) -> dict:
        """What was typed, valid or not, for the action to judge."""
        return self._typed(self.main_field)

    def take(self, error: DomainError) -> bool:
        """Show a refusal at the field it belongs to. False: it belongs to none, and somebody else must say it."""
        if not isinstance(error, Invalid | Refused):
            return False
        for name, messages in error.errors.items():
            field = name if name in self.fields else None
            for message in messages:
                if not self.has_error(field or "__all__"):  # the field said so itself already
                    self.add_error(field, message)
        if not error.errors:
            self.add_error(self.main_field, error.detail)
        first = next(name for name in (*self.errors, self.main_field) if name in self.fields)
        self.fields[first].widget.attrs["data-focus"] = ""
        return True

    @property
    def main_words(self) -> str:
        return self.words[self.main_field]

    def _typed(self, *names: str) -> dict:
        return {name: self.cleaned_data.get(name, self.data.get(name, "")) for name in names}


class ContentForm(TakesErrors):
    """The words of a memory. Limits are checked by the action, which refuses and never cuts."""

    content = forms.CharField(
        strip=False,
        label="What it says",
        error_messages={"required": "Write something."},
        help_text=f"At most {CONTENT_MOST:,} characters.",
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )


class WordsForm(ContentForm):
    """The words with their kind and key."""

    kind = forms.ChoiceField(choices=MemoryKind.choices)
    key = forms.CharField(
        required=False,
        label="Key",
        help_text="A short name such as size. One key holds one value.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "auto"}),
    )

    @property
    def words(self) -> dict:
        return self._typed("kind", "key", "content")


class EditItemForm(WordsForm):
    """A memory that is only proposed, in other words."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields["content"].widget.attrs["data-focus"] = ""

    @property
    def typed(self) -> str:
        """What is typed so far, as its differences from what is proposed are shown."""
        return text_of(self.words)


class EditSkillForm(TakesErrors):
    """A skill that is only proposed: its whole document."""

    main_field = "document"
    document = forms.CharField(
        strip=False,
        label="The skill",
        error_messages={"required": "Write something."},
        help_text=f"Fields between two lines of ---, then its sections. At most {DOCUMENT_MOST:,} bytes.",
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "true", "dir": "auto"}),
    )

    def __init__(self, *args, foreign: bool = False, **kwargs):
        super().__init__(*args, **kwargs)
        self.foreign = foreign
        if not self.is_bound:
            self.fields["document"].widget.attrs["data-focus"] = ""

    @property
    def typed(self) -> str:
        return as_typed(self.words["document"], self.initial.get("document", ""))

    @cached_property
    def read(self) -> Document:
        """What is typed so far, with everything that is wrong with it."""
        return parse(self.typed, strict=not self.foreign)


class NewSkillForm(EditSkillForm):
    """A skill that somebody proposes: its document, and why."""

    rationale = forms.CharField(
        required=False,
        label="Why",
        help_text="For who decides.",
        widget=forms.TextInput(attrs={"maxlength": RATIONALE_MOST, "autocomplete": "off", "dir": "auto"}),
    )

    @property
    def words(self) -> dict:
        return self._typed("document", "rationale")


class AddMemoryForm(WordsForm):
    risk = forms.ChoiceField(choices=Risk.choices, initial=Risk.LOW)
    sensitive = forms.BooleanField(required=False, label="Sensitive: only owners, admins and auditors read it")

    field_order = ["content", "kind", "key", "risk", "sensitive"]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["kind"].initial = MemoryKind.FACT

    @property
    def everything(self) -> dict:
        return self.words | self._typed("risk") | {"sensitive": bool(self.cleaned_data.get("sensitive"))}
