from django.urls import path

from .views import files, listing, skill

app_name = "skills"
urlpatterns = [
    path("app/settings/digital-workers/<slug:code>/skills/", listing.agent_skills, name="agent_skills"),
    path("app/settings/digital-workers/<slug:code>/skills/export/", listing.export_agent, name="export_agent"),
    path("app/skills/<uuid:skill_id>/", skill.skill, name="skill"),
    path("app/skills/<uuid:skill_id>/pause/", skill.pause, name="pause"),
    path("app/skills/<uuid:skill_id>/resume/", skill.resume, name="resume"),
    path("app/skills/<uuid:skill_id>/archive/", skill.archive, name="archive"),
    path("app/skills/<uuid:skill_id>/revert/", skill.revert, name="revert"),
    path("app/skills/<uuid:skill_id>/export/", files.export, name="export"),
    path("app/skills/<uuid:skill_id>/versions/<int:number>/file/", files.file, name="file"),
    path("app/skills/versions/<uuid:version_id>/", skill.by_version, name="version"),
]
