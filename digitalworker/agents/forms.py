from datetime import date

from django import forms
from django.core.validators import MaxValueValidator

from digitalworker.common.errors import DomainError

from .choices import OFFERED_PEOPLE_LEARNING, Provider, Role, Scope, StorageMode
from .models import Channel, FeatureAccess, Membership, RoleAgent


def refuse(form: forms.BaseForm, error: DomainError) -> None:
    """Shows an action's refusal where it belongs: at its fields, or above the form."""
    for name, messages in error.errors.items():
        form.add_error(name if name in form.fields else None, messages)
    if not error.errors:
        form.add_error(None, error.detail)


class NewAgentForm(forms.ModelForm):
    class Meta:
        model = RoleAgent
        fields = ["name", "code", "persona"]
        labels = {"persona": "Role"}
        help_texts = {
            "name": "As people will call it: IT Agent, Shop Assistant.",
            "code": "Small letters, digits, - and _. Part of addresses and API calls, so it can not be changed later.",
            "persona": "What it is responsible for, in a few sentences. It opens every prompt.",
        }
        error_messages = {"code": {"invalid": "Use small letters, digits, - and _; start with a letter."}}
        widgets = {"code": forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"})}


class AgentSettingsForm(forms.ModelForm):
    """The settings that change something today; a switch without effect would be a promise nobody keeps."""

    revision = forms.IntegerField(widget=forms.HiddenInput)
    people_learning = forms.ChoiceField(label="Learning about people", choices=OFFERED_PEOPLE_LEARNING)

    class Meta:
        model = RoleAgent
        fields = [
            *("name", "persona", "memory_autosave_enabled", "people_learning", "memory_limit", "person_memory_limit"),
        ]
        labels = {
            "persona": "Role",
            "memory_autosave_enabled": "Save without asking what policy allows",
            "memory_limit": "Memories of its own",
            "person_memory_limit": "Memories about each person",
        }
        help_texts = {
            "persona": "What it is responsible for. It opens every prompt.",
            "memory_autosave_enabled": "Low-risk facts of its own from senders whose identity was checked are known at once, and "
            "can be undone. Off: everything waits in the inbox.",
            "memory_limit": "",
            "person_memory_limit": "",
        }

    @classmethod
    def of(cls, agent: RoleAgent) -> "AgentSettingsForm":
        return cls(initial={name: getattr(agent, name) for name in [*cls.Meta.fields, "revision"]})

    def read_only(self) -> "AgentSettingsForm":
        for field in self.fields.values():
            field.disabled = True
        return self


class ManagerForm(forms.Form):
    def __init__(self, data=None, *, members: list[Membership]):
        super().__init__(data)
        choices: list[tuple[int | str, str]] = [("", "Choose a member")]
        choices += [
            (member.user_id, f"{member.user} · {member.user.email}" if member.user.name else member.user.email)
            for member in members
        ]
        self.fields["user"] = forms.TypedChoiceField(coerce=int, label="Member", choices=choices)


class ChannelForm(forms.ModelForm):
    class Meta:
        model = Channel
        fields = ["provider", "external_id", "name"]
        labels = {"provider": "Where", "external_id": "Id there", "name": "Name"}
        help_texts = {
            "external_id": "The provider’s own id of the channel, such as C024BE91L.",
            "name": "As people know it.",
        }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["provider"].choices = [
            choice for choice in Provider.choices if choice[0] not in {Provider.PLAYGROUND, Provider.IMPORT}
        ]


class ChannelNameForm(forms.ModelForm):
    class Meta:
        model = Channel
        fields = ["name"]


class NewMemberForm(forms.Form):
    email = forms.EmailField(label="E-mail address")
    name = forms.CharField(label="Name", max_length=120, required=False, help_text="Used only if the account is new.")
    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.MEMBER)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label="Role", choices=Role.choices)


class KeyForm(forms.Form):
    name = forms.CharField(max_length=80, label="Name", help_text="What will use it: web shop, help-desk bot.")
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, label="What it may do", widget=forms.CheckboxSelectMultiple, initial=[Scope.RUNTIME]
    )
    reach = forms.ChoiceField(
        label="Role-agents",
        choices=[("all", "All of them, also later ones"), ("some", "Only some")],
        initial="all",
        widget=forms.RadioSelect,
    )
    agents = forms.CharField(
        label="Which",
        required=False,
        help_text="Their codes, separated by commas or spaces.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"}),
    )
    expires = forms.DateField(
        label="Expires at the end of",
        required=False,
        help_text="Empty: never. A key that expires is a smaller worry.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": "Write a day as 2026-11-29."},
        # The calendar ends with 9999, and the end of a day lies in the next.
        validators=[MaxValueValidator(date(9000, 1, 1), "Choose an earlier day, or none for never.")],
    )

    def __init__(self, data=None, *, agents: list[tuple[str, str]] | None):
        """`agents`: code and name to tick, None when they are too many for that."""
        super().__init__(data)
        if agents is not None:
            self.fields["agents"] = forms.MultipleChoiceField(
                label="Which", required=False, choices=agents, widget=forms.CheckboxSelectMultiple
            )

    def codes(self) -> list[str]:
        given = self.cleaned_data["agents"]
        return given.replace(",", " ").split() if isinstance(given, str) else given


class OrganizationForm(forms.Form):
    name = forms.CharField(max_length=120, label="Name")


class StorageForm(forms.Form):
    storage_mode = forms.ChoiceField(choices=StorageMode.choices, label="What is kept", widget=forms.RadioSelect)


class CareForm(forms.Form):
    separation_of_duties = forms.BooleanField(
        required=False,
        label="Nobody approves their own words",
        help_text="What somebody proposed, said or edited is approved by another manager, an admin or an owner.",
    )
    redact_secrets = forms.BooleanField(
        required=False,
        label="Blank secrets in conversations",
        help_text="Passwords, keys and tokens are replaced before a message is stored. What is stored already stays.",
    )


class AccessForm(forms.ModelForm):
    class Meta:
        model = FeatureAccess
        fields = ["enabled", "daily_calls", "daily_tokens"]
        labels = {"enabled": "On", "daily_calls": "Calls a day", "daily_tokens": "Tokens a day"}


class PromptForm(forms.Form):
    body = forms.CharField(widget=forms.Textarea, label="Text", max_length=20_000)
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
