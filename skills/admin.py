"""For operators. Skills change through the console, where it is audited; here it is only looked at."""

from django.contrib import admin

from digitalworker.audit.admin import ReadOnly

from .models import Skill


@admin.register(Skill)
class SkillAdmin(ReadOnly):
    """Metadata only, without a skill's name: operators run the machine, they are not readers of what an organisation knows."""

    list_display = ["id", "organization", "role_agent", "status", "use_count", "last_used_at", "created_at"]
    list_display_links = None
    list_filter = ["status"]
    list_select_related = ["organization", "role_agent"]

    def has_view_permission(self, request, obj=None):
        return obj is None and super().has_view_permission(request)  # a page of one row would show its words
