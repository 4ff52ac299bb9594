from django.urls import path

from .views import agents, audit, home, keys, members, settings

app_name = "agents"
AGENTS = "app/settings/digital-workers"
urlpatterns = [
    path("app/", home.home, name="home"),
    path("app/organization", home.switch_organization, name="switch"),
    path("app/audit", audit.explorer, name="audit"),
    path("app/audit/export", audit.export, name="audit_export"),
    path("app/audit/<uuid:event_id>/", audit.event, name="audit_event"),
    path(AGENTS, agents.agent_list, name="list"),
    path(f"{AGENTS}/", agents.to_list),
    path(f"{AGENTS}/new", agents.create, name="create"),
    path(f"{AGENTS}/by-id/<uuid:agent_id>", agents.by_id, name="by_id"),
    path(f"{AGENTS}/<slug:code>/", agents.overview, name="agent"),
    path(f"{AGENTS}/<slug:code>/channels/", agents.channels, name="channels"),
    path(f"{AGENTS}/<slug:code>/channels/<uuid:channel_id>/", agents.channel, name="channel"),
    path(f"{AGENTS}/<slug:code>/channels/<uuid:channel_id>/remove", agents.remove_channel, name="remove_channel"),
    path(f"{AGENTS}/<slug:code>/settings/", agents.agent_settings, name="agent_settings"),
    path(f"{AGENTS}/<slug:code>/learning", agents.switch_learning, name="switch_learning"),
    path(f"{AGENTS}/<slug:code>/status", agents.switch_status, name="switch_status"),
    path(f"{AGENTS}/<slug:code>/managers", agents.add_manager, name="add_manager"),
    path(f"{AGENTS}/<slug:code>/managers/<int:user_id>/remove", agents.remove_manager, name="remove_manager"),
    path(f"{AGENTS}/<slug:code>/audit/", audit.of_agent, name="agent_audit"),
    path("app/settings/members", members.member_list, name="members"),
    path("app/settings/members/new", members.add, name="add_member"),
    path("app/settings/members/<uuid:membership_id>/", members.member, name="member"),
    path("app/settings/members/<uuid:membership_id>/remove", members.remove, name="remove_member"),
    path("app/settings/members/<uuid:membership_id>/link", members.new_link, name="member_link"),
    path("app/settings/keys", keys.key_list, name="keys"),
    path("app/settings/keys/new", keys.create, name="create_key"),
    path("app/settings/keys/<uuid:key_id>/revoke", keys.revoke, name="revoke_key"),
    path("app/settings/organization", settings.organization, name="organization"),
    path("app/settings/ai-access", settings.access, name="access"),
    path("app/settings/prompts", settings.prompts, name="prompts"),
    path("app/settings/prompts/<slug:key>/", settings.prompt, name="prompt"),
    path("app/settings/prompts/<slug:key>/reset", settings.reset_prompt, name="reset_prompt"),
]
