from django.urls import path

from . import views

app_name = "souls"
AGENT = "app/settings/digital-workers/<slug:code>/soul"
SOULS = "app/settings/souls"
urlpatterns = [
    path(f"{AGENT}/", views.agent_soul, name="agent_soul"),
    path(f"{AGENT}/assign/", views.assign_soul, name="assign"),
    path(f"{AGENT}/switch/", views.switch, name="switch"),
    path(SOULS, views.souls, name="list"),
    path(f"{SOULS}/by-id/<uuid:soul_id>/", views.by_id, name="by_id"),
    path(f"{SOULS}/by-version/<uuid:version_id>/", views.by_version, name="by_version"),
    path(f"{SOULS}/<slug:code>/", views.soul, name="soul"),
    path(f"{SOULS}/<slug:code>/describe/", views.describe_soul, name="describe"),
    path(f"{SOULS}/<slug:code>/revert/", views.revert_soul, name="revert"),
]
