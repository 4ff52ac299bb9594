from functools import cache

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.response import Response

from digitalworker.common.errors import NotFound

from .endpoints import Endpoint


@extend_schema(exclude=True)
class NoSuchAddress(Endpoint):
    """A program that asks at a wrong address gets the same kind of answer as at a right one."""

    authentication_classes = []
    permission_classes = []

    def initial(self, request, *args, **kwargs):
        # Before the method is looked at: an address that is not there does nothing, whatever the method.
        hint = "" if request.path.endswith("/") else " Addresses of this API end with a slash."
        raise NotFound(f"There is nothing at this address.{hint}")


@cache
def _description() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


class SchemaView(SpectacularAPIView):
    """Open to all, so it is made once: generating it costs more than a stranger's request should."""

    def _get_schema_response(self, request):
        return Response(_description(), headers={"Content-Disposition": 'inline; filename="digitalworker.openapi"'})
