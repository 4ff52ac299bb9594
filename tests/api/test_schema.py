import pytest
import yaml
from django.core.management import call_command
from openapi_spec_validator import validate

from digitalworker.api import registry

FILES = {  # the answers that are no JSON
    "/api/v1/memories/export/": ["text/csv", "application/x-ndjson"],
    "/api/v1/skills/{skill_id}/export/": ["application/zip"],
}


@pytest.fixture
def schema(client):
    response = client.get("/api/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert response.status_code == 200
    return response.json()


def test_the_schema_is_public_and_valid(schema):
    validate(schema)


def test_it_comes_as_yaml_too(client, schema):
    assert yaml.safe_load(client.get("/api/schema/").content) == schema


def test_the_generator_has_nothing_to_complain_about(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", file=str(tmp_path / "schema.yml"))


def test_every_address_is_described_with_its_scopes_and_problems(schema):
    described = {(path, method) for path, methods in schema["paths"].items() for method in methods}
    assert len({path for path, _ in described}) == len(registry.routes())
    for path, method in described:
        operation = schema["paths"][path][method]
        assert operation["summary"], (path, method)
        assert "Scopes: `" in operation["description"], (path, method)
        assert operation["security"] == [{"ApiKey": []}]
        answers = operation["responses"]
        assert {"400", "401", "403"} <= set(answers)
        assert "404" in answers or "{" not in path
        for status, answer in answers.items():
            expected = FILES.get(path, ["application/json"]) if status < "400" else ["application/problem+json"]
            assert list(answer["content"]) == expected, (path, method, status)


def test_lists_are_described_as_pages(schema):
    operation = schema["paths"]["/api/v1/memories/"]["get"]
    assert {"cursor", "limit"} <= {parameter["name"] for parameter in operation["parameters"]}
    page = schema["components"]["schemas"]["MemoryPage"]["properties"]
    assert set(page) == {"next", "previous", "results"}


def test_a_change_is_described_as_needing_the_revision(schema):
    for name in ("RoleAgentChangeRequest", "MemoryWordingRequest", "ApprovalRequest", "RejectionRequest"):
        assert "revision" in schema["components"]["schemas"][name]["required"]


def test_the_bearer_scheme(schema):
    scheme = schema["components"]["securitySchemes"]["ApiKey"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")


def test_asking_for_the_schema_twice_makes_it_once(client, schema, monkeypatch):
    from drf_spectacular.generators import SchemaGenerator

    def again(*args, **kwargs):
        raise AssertionError("it was made again")

    monkeypatch.setattr(SchemaGenerator, "get_schema", again)
    assert client.get("/api/schema/").status_code == 200
