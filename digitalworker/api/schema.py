"""The OpenAPI description, made from the code, so that it can not say anything else."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse

from .problems import MEDIA_TYPE, TITLES, Problem

SCHEME = "ApiKey"
ALWAYS = (400, 401, 403)
WRITES = (409, 413, 415, 422)


class Schema(AutoSchema):
    """Adds to each operation the problems it may answer with and the scopes that open it."""

    def get_description(self) -> str:  # type: ignore[override]  # REST framework's own takes path and method
        details = getattr(getattr(self.view, self.method.lower()), "details", "")
        scopes = sorted(str(scope) for scope in getattr(self.view, "scopes", {}).get(self.method, ()))
        opened = f"Scopes: {' or '.join(f'`{scope}`' for scope in scopes)}." if scopes else ""
        return "\n\n".join(part for part in (details, opened) if part)

    def get_serializer_name(self, serializer, direction) -> str:
        return type(serializer).__name__.removesuffix("Out")

    def _get_response_bodies(self, direction="response"):
        responses = super()._get_response_bodies(direction)
        statuses = [*ALWAYS, *((404,) if "{" in self.path else ()), *(() if self.method == "GET" else WRITES)]
        for status in statuses:
            title = TITLES.get(status) or {409: "This changed meanwhile", 422: "This can not be stored"}[status]
            responses.setdefault(
                str(status),
                self._get_response_for_code(OpenApiResponse(Problem, description=title), str(status), [MEDIA_TYPE]),
            )
        return responses


def without_marks(result: dict, generator, request, public) -> dict:
    """Choices stay where they are used, because `kind` and `status` mean five things; only the generator's marks go."""
    todo: list = [result]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            part.pop("x-spec-enum-id", None)
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return result


class ApiKeyScheme(OpenApiAuthenticationExtension):
    target_class = "digitalworker.agents.authentication.ApiKeyAuthentication"  # named, not imported: it is above us
    name = SCHEME

    def get_security_definition(self, auto_schema) -> dict:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key. `Authorization: Token <key>` and `X-API-Key: <key>` do as well.",
        }
