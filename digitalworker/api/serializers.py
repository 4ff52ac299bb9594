from datetime import UTC, datetime

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError


class StrictSerializer(serializers.Serializer):
    """Takes what it knows and refuses the rest by name: a field that is silently ignored is a bug nobody sees."""

    unknown = "This field is not known here. Known: {known}."
    reads_text = False  # True where every value comes as text, as in a query

    def to_internal_value(self, data):
        errors: dict = {}
        if isinstance(data, dict):
            known = {name for name, field in self.fields.items() if not field.read_only}
            message = self.unknown.format(known=", ".join(sorted(known)) or "none")
            errors = {str(name): [message] for name in data if name not in known}
        try:
            values = super().to_internal_value(data)
        except ValidationError as error:
            raise ValidationError({**errors, **error.detail}) from None
        if errors:
            raise ValidationError(errors)
        return values


class Moment(serializers.DateTimeField):
    """A point in time. One without a time zone is refused, because guessing it would be wrong for somebody."""

    default_error_messages = {"naive": "Give a time with its time zone, such as 2026-05-08T13:56:00Z."}

    def enforce_timezone(self, value: datetime) -> datetime:
        if timezone.is_naive(value):
            self.fail("naive")
        try:
            return value.astimezone(UTC)
        except OverflowError:
            self.fail("overflow")


class Text(serializers.CharField):
    """Text, and nothing that merely could be written as one."""

    default_error_messages = {"invalid": "This must be text."}

    def to_internal_value(self, data):
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class OneOf(serializers.ChoiceField):
    """One of a few words. Who sends another is told which there are."""

    default_error_messages = {"invalid_choice": "Use one of: {allowed}."}

    def fail(self, key, **kwargs):
        super().fail(key, allowed=", ".join(map(str, self.choices)), **kwargs)


class Flag(serializers.BooleanField):
    """true or false, and no words for them, unless it comes from a query, where all is text."""

    default_error_messages = {"invalid": "Use true or false."}

    def to_internal_value(self, data):
        if _is_read_from_text(self) and data in {"true", "false"}:
            return data == "true"
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class Whole(serializers.IntegerField):
    """A whole number, not its digits in a text, unless it comes from a query, where all is text."""

    def to_internal_value(self, data):
        if isinstance(data, bool) or (isinstance(data, str) and not _is_read_from_text(self)):
            self.fail("invalid")
        return super().to_internal_value(data)


class Revision(Whole):
    """The `revision` the caller saw. Who acts on an older one is told so."""

    def __init__(self, **kwargs):
        super().__init__(**{"min_value": 1, "max_value": 2_147_483_647, **kwargs})


def _is_read_from_text(field: serializers.Field) -> bool:
    return getattr(field.parent, "reads_text", False)
