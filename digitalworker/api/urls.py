from django.urls import include, path, re_path

from . import registry
from .views import NoSuchAddress, SchemaView

app_name = "api"
urlpatterns = [
    path("schema/", SchemaView.as_view(), name="schema"),
    path("v1/", include(registry.routes())),
    re_path(r"^", NoSuchAddress.as_view(), name="nowhere"),
]
