"""Reading the audit."""

from django.db import models

from .models import LearningEvent


def last_event_of(obj: models.Model) -> LearningEvent | None:
    """The newest thing that happened to `obj`, in its own organisation."""
    return LearningEvent.objects.filter(
        organization_id=obj.organization_id, object_type=obj._meta.model_name, object_id=str(obj.pk)
    ).first()
