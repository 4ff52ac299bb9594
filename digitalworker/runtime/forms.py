from uuid import UUID, uuid4

from django import forms
from django.http import HttpRequest

from digitalworker.agents.actions.conversations import ID_MOST
from digitalworker.common.errors import NotFound
from digitalworker.common.text import clean

from .ask import QUESTION_MOST


class AskForm(forms.Form):
    """One message to an agent. `nonce` makes a form that is sent twice ask once."""

    question = forms.CharField(max_length=QUESTION_MOST)
    person = forms.CharField(max_length=ID_MOST, required=False)
    thread = forms.UUIDField(required=False)
    nonce = forms.UUIDField()

    def clean(self) -> dict:
        """Another person stands in "Talk as", not switched to: the message is theirs, in a conversation of its own."""
        typed = super().clean() or self.cleaned_data
        if "as" in self.data:
            speaker = clean(self.data["as"])[:ID_MOST]
            if speaker != typed.get("person", ""):
                typed |= {"person": speaker, "thread": None}
        return typed

    @staticmethod
    def fresh_nonce() -> str:
        return str(uuid4())


def asked_as(request: HttpRequest) -> str | None:
    """The end user id of the address, or None for somebody without one."""
    return clean(request.GET.get("as", ""))[:ID_MOST] or None


def id_of(request: HttpRequest, name: str) -> UUID | None:
    """An id in the address. One that is no id is as good as one that does not exist."""
    raw = request.GET.get(name, "")
    if not raw:
        return None
    try:
        return UUID(raw)
    except ValueError:
        raise NotFound from None
