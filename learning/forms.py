"""What people type about memories. The rules live in `payload.checked`; a form only carries words there and faults back."""

from django import forms
from django.http import HttpRequest

from digitalworker.common.errors import DomainError, Invalid, Refused

from .choices import MemoryKind, Risk
from .models.memory import CONTENT_MOST


def revision_of(request: HttpRequest) -> int:
    """What the person saw: of a form, or of an undo button, which can only carry an address. Without it they saw nothing,
    and change nothing."""
    text = request.POST.get("revision") or request.GET.get("revision", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


class ContentForm(forms.Form):
    """The words of a memory. Limits are checked by the action, which refuses and never cuts."""

    use_required_attribute = False
    content = forms.CharField(
        strip=False,
        label="What it says",
        error_messages={"required": "Write something."},
        help_text=f"At most {CONTENT_MOST:,} characters.",
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )

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
            self.add_error("content", error.detail)
        first = next(name for name in (*self.errors, "content") if name in self.fields)
        self.fields[first].widget.attrs["data-focus"] = ""
        return True

    @property
    def words(self) -> dict:
        """What was typed, valid or not, for the action to judge."""
        return self._typed("content")

    def _typed(self, *names: str) -> dict:
        return {name: self.cleaned_data.get(name, self.data.get(name, "")) for name in names}


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
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields["content"].widget.attrs["data-focus"] = ""


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
