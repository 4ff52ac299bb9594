"""For operators: answers can be looked up, and not changed."""

from django.contrib import admin
from django.http import HttpRequest

from .models import AgentRun


@admin.register(AgentRun)
class AgentRunAdmin(admin.ModelAdmin):
    list_display = ["id", "organization", "role_agent", "status", "route", "model", "error_code", "created_at"]
    list_filter = ["status", "route", "organization"]
    list_select_related = ["organization", "role_agent"]
    search_fields = ["id__exact", "thread__id__exact"]
    show_full_result_count = False
    ordering = ["-id"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: AgentRun | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AgentRun | None = None) -> bool:
        return False
