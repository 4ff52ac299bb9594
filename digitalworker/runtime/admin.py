"""For operators: answers can be looked up, and not changed."""

from django.contrib import admin

from digitalworker.audit.admin import ReadOnly

from .models import AgentRun


@admin.register(AgentRun)
class AgentRunAdmin(ReadOnly):
    list_display = ["id", "organization", "role_agent", "status", "route", "model", "error_code", "created_at"]
    list_filter = ["status", "route", "organization"]
    list_select_related = ["organization", "role_agent"]
    search_fields = ["id__exact", "thread__id__exact"]
    ordering = ["-id"]
