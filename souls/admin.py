"""For operators. Souls change through the console, where it is audited; here they are only looked at."""

from django.contrib import admin

from digitalworker.audit.admin import ReadOnly

from .models import Soul, SoulAssignment


class MetadataOnly(ReadOnly):
    """Lists of metadata only: operators run the machine, they are not readers of what an organisation's agents are told."""

    list_display_links = None

    def has_view_permission(self, request, obj=None):
        return obj is None and super().has_view_permission(request)  # a page of one row would show its words


@admin.register(Soul)
class SoulAdmin(MetadataOnly):
    list_display = ["id", "organization", "code", "revision", "created_at", "updated_at"]
    list_select_related = ["organization"]


@admin.register(SoulAssignment)
class SoulAssignmentAdmin(MetadataOnly):
    list_display = ["role_agent", "organization", "soul", "revision", "updated_at"]
    list_select_related = ["organization", "role_agent", "soul"]
