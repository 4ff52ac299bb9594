"""The roof: which app answers which address."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(url="/app/"), name="home"),
    path("", include("digitalworker.common.urls")),
    path("", include("digitalworker.console.urls")),
    path("", include("digitalworker.agents.urls")),
    path("", include("skills.urls")),
    path("", include("souls.urls")),
    path("", include("learning.urls")),
    path("", include("digitalworker.runtime.urls")),
    path("api/", include("digitalworker.api.urls")),
    path("accounts/", include("allauth.urls")),
    path(settings.ADMIN_PATH, admin.site.urls),
]
