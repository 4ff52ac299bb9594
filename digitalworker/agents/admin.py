"""For the operator of the installation. What has rules and an audit is changed in the console; here it can be looked at."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from simple_history.admin import SimpleHistoryAdmin

from digitalworker.audit.admin import ReadOnly

from .models import (
    AgentManager,
    ApiKey,
    Channel,
    FeatureAccess,
    FeatureUsage,
    Membership,
    Organization,
    PromptTemplate,
    PromptVersion,
    RoleAgent,
    User,
)

admin.site.site_header = admin.site.site_title = "Digital Worker"
admin.site.index_title = "Operator’s view"
# The admin's own log-in form counts no failures and asks for no second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.unregister(Group)  # rights come from memberships and managers


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Log-ins. Deleting one would tear it out of memberships without an audit, so it is switched off instead."""

    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    search_fields = ("email", "name")
    list_filter = ("is_active", "is_staff")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Times", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("email", "name", "usable_password", "password1", "password2")}),
    )

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(Organization)
class OrganizationAdmin(ReadOnly):
    list_display = ("name", "slug", "storage_mode", "created_at")
    search_fields = ("name", "slug")


@admin.register(Membership)
class MembershipAdmin(ReadOnly):
    list_display = ("user", "organization", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "organization")
    search_fields = ("user__email", "user__name")


@admin.register(RoleAgent)
class RoleAgentAdmin(ReadOnly, SimpleHistoryAdmin):
    list_display = ("name", "code", "organization", "status", "learning_enabled", "people_learning")
    list_filter = ("status", "learning_enabled", "people_learning")
    list_select_related = ("organization",)
    search_fields = ("name", "code")


@admin.register(AgentManager)
class AgentManagerAdmin(ReadOnly):
    list_display = ("user", "content_object", "organization", "created_at")
    list_select_related = ("user", "content_object", "organization")


@admin.register(Channel)
class ChannelAdmin(ReadOnly):
    list_display = ("name", "provider", "external_id", "role_agent")
    list_select_related = ("role_agent",)
    search_fields = ("name", "external_id")


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnly):
    exclude = ("secret_digest",)
    list_display = ("name", "prefix", "organization", "created_by", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("organization", "created_by")


@admin.register(FeatureAccess)
class FeatureAccessAdmin(ReadOnly):
    list_display = ("organization", "feature", "enabled", "daily_calls", "daily_tokens")
    list_select_related = ("organization",)


@admin.register(FeatureUsage)
class FeatureUsageAdmin(ReadOnly):
    list_display = (
        "day",
        "organization",
        "role_agent",
        "feature",
        "calls",
        "refused",
        "failed",
        "input_tokens",
        "output_tokens",
    )
    list_select_related = ("organization", "role_agent")
    list_filter = ("feature",)
    date_hierarchy = "day"


@admin.register(PromptTemplate)
class PromptTemplateAdmin(ReadOnly):
    list_display = ("key", "organization", "active_version")
    list_select_related = ("organization",)


@admin.register(PromptVersion)
class PromptVersionAdmin(ReadOnly):
    list_display = ("template", "version", "organization", "created_by_label", "created_at")
    list_select_related = ("template", "organization")
