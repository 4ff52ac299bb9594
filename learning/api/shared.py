"""What memories and proposals have in common over REST: who gets in, and what a key may not read."""

from rest_framework import serializers

from digitalworker.agents.choices import Scope
from digitalworker.api.serializers import Revision, StrictSerializer

from ..policies import may_read_sensitive

READERS = frozenset({Scope.REVIEW, Scope.AUDIT})
REVIEWERS = frozenset({Scope.REVIEW})


class Guarded(serializers.Serializer):
    """A row whose `SECRETS` are null, and `hidden` true, where it is sensitive and the key may only know that it exists."""

    SECRETS: tuple[str, ...] = ()

    hidden = serializers.SerializerMethodField(help_text="True where its text is withheld from this key.")

    def get_hidden(self, row) -> bool:
        return row.sensitive and not may_read_sensitive(self.context["actor"])

    def to_representation(self, row):
        shown = super().to_representation(row)
        return shown | dict.fromkeys(self.SECRETS) if shown["hidden"] else shown


class Seen(StrictSerializer):
    revision = Revision()
