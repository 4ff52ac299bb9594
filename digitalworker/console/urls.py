from django.urls import path

from digitalworker.console import views

app_name = "console"
urlpatterns = [
    path("app/palette", views.palette, name="palette"),
    path("app/preferences/theme", views.set_theme, name="theme"),
    path("app/preferences/keys", views.set_keys, name="keys"),
    path("styleguide/", views.styleguide, name="styleguide"),
    path("favicon.ico", views.favicon, name="favicon"),
]
