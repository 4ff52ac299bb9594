from datetime import date, datetime, time, timedelta
from uuid import UUID, uuid4

from django import forms
from django.http import HttpRequest
from django.utils import timezone

from digitalworker.agents.actions.conversations import ID_MOST
from digitalworker.agents.choices import AuthorKind
from digitalworker.agents.history import Filters
from digitalworker.agents.models import Channel, Person, RoleAgent
from digitalworker.agents.selectors import person_named
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


class NarrowForm(forms.Form):
    """What narrows a search in one role-agent's conversations, from the address. Days are whole ones, both counted in."""

    person = forms.CharField(required=False, label="Person", max_length=ID_MOST)
    by = forms.ChoiceField(required=False, label="Said by", choices=[("", "Anybody"), *AuthorKind.choices])
    since = forms.DateField(required=False, label="From", widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))

    def __init__(self, data, *, agent: RoleAgent | None) -> None:
        super().__init__(data)
        self.agent = agent
        for field in self.fields.values():
            field.widget.attrs["form"] = "search"  # they stand below the form they belong to
        self.fields["by"].error_messages["invalid_choice"] = "There is no “%(value)s”. Choose one of the list."
        for name in ("since", "until"):
            # A date field shows no value it can not read, so the message repeats it.
            typed = str(data.get(name, ""))[:40]
            self.fields[name].error_messages["invalid"] = f"“{typed}” is no day. Write it as 2026-11-29."

    def clean_person(self) -> Person | None:
        typed = clean(self.cleaned_data["person"])
        if not typed:
            return None
        if self.agent is None:
            raise forms.ValidationError("Choose a role-agent first: each knows people of its own.")
        try:
            return person_named(self.agent, typed)
        except NotFound as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> None:
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            self.add_error("until", "This day lies before the first one.")

    @property
    def narrowed(self) -> bool:
        return any(self.data.get(name) for name in self.fields)

    def filters(self, channel: Channel | None) -> Filters:
        found = self.cleaned_data
        return Filters(
            person=found.get("person"),
            channel=channel,
            author_kind=found.get("by") or None,
            since=_midnight(found.get("since")),
            until=_midnight(found.get("until"), days=1),
        )


def _midnight(day: date | None, *, days: int = 0) -> datetime | None:
    if day is None:
        return None
    start = timezone.make_aware(datetime.combine(day, time.min))
    return start + timedelta(days=days) if day.year < date.max.year else start


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
