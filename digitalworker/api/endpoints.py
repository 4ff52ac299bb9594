"""What every address of the API shares: read strictly, do one thing, render."""

from collections.abc import Callable
from functools import wraps
from typing import ClassVar, cast

from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from digitalworker.common.types import Actor

from .filters import Query
from .pagination import paginate
from .parsers import LengthRequired, StrictJSON
from .permissions import HasScope

type Shape = type[serializers.Serializer]
METHODS = ("get", "post", "put", "patch", "delete")


class JsonOnly(DefaultContentNegotiation):
    class settings:
        URL_FORMAT_OVERRIDE = None


class AnyAnswer(JsonOnly):
    """For an address that answers with a file: of what kind that is does not depend on Accept."""

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class Endpoint(APIView):
    """One address. `scopes` says for each method which scopes of a key open it; one of them is enough."""

    scopes: ClassVar[dict[str, set | frozenset]] = {}
    parser_classes = [StrictJSON]
    content_negotiation_class = JsonOnly
    http_method_names = [*METHODS, "head"]  # OPTIONS would describe what the schema describes better

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        open_methods = {name.upper() for name in METHODS if hasattr(cls, name)} - set(cls.scopes)
        if open_methods and HasScope in cls.permission_classes:
            raise ImproperlyConfigured(f"{cls.__qualname__} does not say which scopes {sorted(open_methods)} need.")

    @property
    def actor(self) -> Actor:
        """Whose key this is. Not `request.actor`, which is somebody's log-in where no key was sent."""
        return cast(Actor, self.request.auth)

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        if "chunked" in request.headers.get("Transfer-Encoding", "").lower() and not request.headers.get(
            "Content-Length"
        ):
            raise LengthRequired

    def render_context(self) -> dict:
        """What serializers may ask for besides the row."""
        return {"actor": self.actor}

    def page(self, rows: QuerySet, query: dict, *, order: tuple[str, ...] = ("-id",)) -> dict:
        return paginate(self.request, rows, query, order=order)

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        response.setdefault("Cache-Control", "no-store")
        return response


def read_body(shape: Shape, data: object) -> dict:
    """The body as `shape` has it, or a ValidationError. A form without fields is an empty object here."""
    body = shape(data=data if isinstance(data, dict | list) and not hasattr(data, "getlist") else data or {})
    body.is_valid(raise_exception=True)
    return body.validated_data


def operation(
    name: str,
    summary: str,
    *,
    answer: Shape,
    body: Shape | None = None,
    query: type[Query] | None = None,
    status: int = 200,
    details: str = "",
    documented_body: object = None,
) -> Callable:
    """Makes a method of an Endpoint: it gets its `query` and `data` read and checked, and what it returns is rendered.

    `name` is the operation's id in the schema. Where a body has more than one shape, leave `body` away and give
    `documented_body`; the method then reads it itself.
    """

    def decorate(method: Callable) -> Callable:
        @wraps(method)
        def run(self: Endpoint, request: Request, **path) -> Response:
            given = (query or Query).read(request)
            if query:
                path["query"] = given
            if body:
                path["data"] = read_body(body, request.data)
            result = method(self, request, **path)
            return Response(answer(result, context=self.render_context()).data, status=status)

        run.details = details  # type: ignore[attr-defined]  # read by the schema
        return extend_schema(
            operation_id=name,
            summary=summary,
            parameters=[query] if query else [],
            request=documented_body or body,
            responses={status: answer},
        )(run)

    return decorate
