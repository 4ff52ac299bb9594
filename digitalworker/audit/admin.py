from django.contrib import admin

from .models import LearningEvent


class ReadOnly(admin.ModelAdmin):
    """To be looked at. Changes go through the console, where they are checked and audited."""

    show_full_result_count = False

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(LearningEvent)
class LearningEventAdmin(ReadOnly):
    list_display = ("created_at", "sentence", "role_agent_label", "organization_id")
    list_filter = ("verb", "actor_kind")
    search_fields = ("object_id", "actor_label", "request_id")
