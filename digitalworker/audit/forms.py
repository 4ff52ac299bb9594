from collections.abc import Mapping

from django import forms

from . import selectors
from .selectors import Filters

ANY = [("", "Any")]


class FilterForm(forms.Form):
    """The explorer's filters, from the address. A value that means nothing gets a message and stays in its field."""

    agent = forms.CharField(required=False, label="Role-agent", max_length=80)
    actor = forms.CharField(required=False, label="Who", max_length=120)
    verb = forms.ChoiceField(required=False, label="What happened", choices=lambda: ANY + selectors.verb_choices())
    object_type = forms.ChoiceField(required=False, label="To what", choices=lambda: ANY + selectors.object_choices())
    object_id = forms.CharField(required=False, label="Names the id", max_length=64)
    since = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    until = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, data, *, agents: Mapping[str, tuple[object, str]] | None, find_agent):
        """`agents`: code to (id, name) for a menu, None when they are too many for one. `find_agent(code)` -> id or None."""
        super().__init__(data)
        self._find_agent = find_agent
        for name in ("since", "until"):
            # A date field shows no value it can not read, so the message repeats it.
            typed = str(data.get(name, ""))[:40]
            self.fields[name].error_messages["invalid"] = f"“{typed}” is no day. Write it as 2026-11-29."
        for name in ("verb", "object_type"):
            self.fields[name].error_messages["invalid_choice"] = "There is no “%(value)s”. Choose one of the list."
        if agents is not None:
            menu = ANY + [(code, name) for code, (_, name) in agents.items()]
            # A select for choosing, yet a text field for checking: an unknown code must stay visible.
            typed = self.data.get("agent", "")
            self.fields["agent"].widget = forms.Select(
                choices=menu + ([(typed, typed)] if typed not in dict(menu) else [])
            )

    def clean_agent(self):
        code = self.cleaned_data["agent"]
        self.role_agent_id = self._find_agent(code) if code else None
        if code and self.role_agent_id is None:
            raise forms.ValidationError(f"There is no role-agent “{code}” among those you see.")
        return code

    def clean(self):
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            self.add_error("until", "This day lies before the first one.")

    def filters(self) -> Filters:
        data = {name: value for name, value in self.cleaned_data.items() if name != "agent"}
        return Filters(role_agent_id=self.role_agent_id, **data)

    def described(self) -> dict[str, str]:
        """The filters in use, as the audit of an export keeps them."""
        return {name: str(value) for name, value in self.cleaned_data.items() if value}
