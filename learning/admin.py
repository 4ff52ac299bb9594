"""For operators. What is known and proposed changes through the console, where it is audited; here it is only looked at."""

from django.contrib import admin

from digitalworker.audit.admin import ReadOnly

from .models import Detection, LearningItem, Memory


class MetadataOnly(ReadOnly):
    """Lists of metadata only: operators run the machine, they are not readers of what an organisation knows."""

    list_display_links = None

    def has_view_permission(self, request, obj=None):
        return obj is None and super().has_view_permission(request)  # a page of one row would show its words


@admin.register(Memory)
class MemoryAdmin(MetadataOnly):
    list_display = ["id", "organization", "role_agent", "scope", "kind", "status", "source", "use_count", "created_at"]
    list_filter = ["scope", "kind", "status", "source"]
    list_select_related = ["organization", "role_agent"]


@admin.register(LearningItem)
class LearningItemAdmin(MetadataOnly):
    list_display = [
        "id",
        "organization",
        "role_agent",
        "kind",
        "status",
        "source",
        "sensitive",
        "created_at",
        "decided_at",
    ]
    list_filter = ["status", "kind", "source", "sensitive"]
    list_select_related = ["organization", "role_agent"]


@admin.register(Detection)
class DetectionAdmin(MetadataOnly):
    list_display = [
        "event_id",
        "organization",
        "role_agent",
        "state",
        "outcome",
        "attempts",
        "due_at",
        "finished_at",
        "error",
    ]
    list_filter = ["state", "outcome"]
    list_select_related = ["organization", "role_agent"]
