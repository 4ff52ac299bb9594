"""The console alone, so that its tests say nothing about the pages of others."""

from django.http import HttpResponse
from django.urls import include, path


def page(request, **kwargs):
    return HttpResponse("a page")


urlpatterns = [
    path("", include("digitalworker.console.urls")),
    path("accounts/", include("allauth.urls")),
    path("app/", page, name="test_home"),
    path("app/inbox", page, name="test_inbox"),
    path("app/agents/<str:code>/memory/", page, name="test_memory"),
    path("app/agents/<str:code>/soul/", page, name="test_soul"),
]
