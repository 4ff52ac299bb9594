"""Whatever goes wrong, a program reads the same kind of answer, and never a page."""

import pytest
from django.db import OperationalError
from rest_framework import serializers

from digitalworker.api.serializers import OneOf, StrictSerializer
from tests import factories

from .conftest import is_problem


def test_without_a_key_nothing_opens_and_the_answer_says_what_to_send(api, world):
    response = api().get("memories/")
    told = is_problem(response, 401, "not_authenticated")
    assert told["detail"] == "Send an API key as `Authorization: Bearer <key>`."
    assert response["WWW-Authenticate"] == 'Bearer realm="Digital Worker"'


def test_a_wrong_key_is_told_no_more_than_that(api, world):
    response = api("dw_abcdefgh_" + "x" * 43).get("memories/")
    is_problem(response, 401, "bad_key")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_olgas_log_in_does_not_open_the_api(client, world):
    factories.login(client, world.olga)
    is_problem(client.get("/api/v1/memories/"), 401, "not_authenticated")


def test_token_and_x_api_key_open_it_as_well(client, world):
    plain = factories.make_key("audit", organization=world.acme)
    for headers in ({"Authorization": f"Token {plain}"}, {"X-API-Key": plain}):
        assert client.get("/api/v1/audit-events/", headers=headers).status_code == 200


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_an_address_that_is_not_there(api, method):
    is_problem(api()(method, "nowhere/"), 404, "not_found")


def test_a_forgotten_slash_is_named(api, key):
    told = is_problem(key("review").get("memories"), 404, "not_found")
    assert "end with a slash" in told["detail"]


def test_a_method_that_is_not_offered(key):
    response = key("review")("PUT", "memories/", {})
    is_problem(response, 405, "method_not_allowed")
    assert response["Allow"] == "GET, POST, HEAD"


def test_options_tells_nothing(key):
    is_problem(key("review")("OPTIONS", "memories/"), 405, "method_not_allowed")


def test_a_form_is_not_json(key):
    response = key("review").post("memories/", raw=b"content=x", content_type="application/x-www-form-urlencoded")
    is_problem(response, 415, "unsupported_media_type")


def test_an_empty_form_is_an_empty_object_and_not_a_form(key):
    response = key("review").post("memories/", raw=b"", content_type="application/x-www-form-urlencoded")
    assert set(is_problem(response, 400, "invalid")["errors"]) == {"role_agent", "content"}


def test_streaming_is_refused_in_words(key, world):
    response = key("runtime").post("role-agents/shop/ask/", {"question": "hi"}, Accept="text/event-stream")
    assert "streaming is not offered" in is_problem(response, 406, "not_acceptable")["detail"]


def test_a_body_that_is_too_large(key, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    is_problem(key("review").post("memories/", {"content": "x" * 200}), 413, "too_large")


@pytest.mark.parametrize("encoding", ["chunked", "Chunked", "gzip, CHUNKED"])
def test_a_body_of_unknown_length_is_not_silently_empty(key, encoding):
    asking = key("review")
    response = asking.client.post(
        "/api/v1/memories/",
        data=b"",
        content_type="application/json",
        headers={"Authorization": f"Bearer {asking.key}", "Transfer-Encoding": encoding},
        CONTENT_LENGTH="",
    )
    is_problem(response, 411, "length_required")


DEEP = b"[" * 50_000 + b"]" * 50_000


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"content": "\xc3("}', "not UTF-8"),
        (b'{"content": "a\\u0000b"}', "NUL"),
        (b'{"a\\u0000": 1}', "NUL"),
        (b'{"content": "\\ud83d"}', "surrogate"),
        (b'{"revision": NaN}', "NaN"),
        (b'{"revision": -Infinity}', "Infinity"),
        (b'{"revision": 1e999}', "too large"),
        (b'{"revision": ' + b"9" * 5000 + b"}", "too large"),
        (b'{"revision": ' + b"9" * 31 + b"}", "too large"),
        (b'{"a": 1, "a": 2}', "twice"),
        (DEEP, "nested too deep"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "nested too deep"),
    ],
)
def test_odd_json_is_refused_by_name(key, raw, says):
    told = is_problem(key("review").post("memories/", raw=raw), 400, "parse_error")
    assert says in told["detail"]


@pytest.mark.parametrize("raw", [b"[]", b'"text"', b"1", b"null", b"true", b"[[1]]"])
def test_json_that_is_no_object(key, raw):
    is_problem(key("review").post("memories/", raw=raw), 400, "invalid")


def test_a_byte_order_mark_is_no_fault(key):
    told = is_problem(key("review").post("memories/", raw=b"\xef\xbb\xbf{}"), 400, "invalid")
    assert "role_agent" in told["errors"]


def test_unknown_fields_are_named_one_by_one(key):
    told = is_problem(
        key("runtime").post("role-agents/shop/ask/", {"question": "hi", "incognito": True, "stream": True}),
        400,
        "invalid",
    )
    assert set(told["errors"]) == {"incognito", "stream"}
    assert told["errors"]["incognito"][0].startswith("This field is not known here. Known: channel, external_user_id")


def test_nested_faults_have_dotted_names(key, world):
    path = f"learning-items/{world.acme.pk}/approve/"
    told = is_problem(
        key("review").post(path, {"revision": 1, "digest": "x", "edited": {"scope": "person"}}), 400, "invalid"
    )
    assert list(told["errors"]) == ["edited.scope"]


def test_what_is_none_of_a_few_words_is_told_which_there_are(key, world):
    review = key("review")
    told = is_problem(review.get("memories/?status=gone"), 400, "bad_parameter")
    assert told["errors"] == {"status": ["Use one of: active, superseded, deleted, any."]}
    told = is_problem(review.post("memories/", {"role_agent": "it", "content": "x", "risk": ""}), 400, "invalid")
    assert told["errors"] == {"risk": ["Use one of: low, medium, high."]}


def test_every_field_that_takes_one_of_a_few_words_says_which(client):
    assert client.get("/api/schema/").status_code == 200  # every address is registered by now
    taken = [shape for shape in every(StrictSerializer) if shape.__module__.startswith(("digitalworker.", "learning."))]
    fields = [field for shape in taken for field in shape().fields.values() if not field.read_only]
    choices = [field for field in fields if isinstance(field, serializers.ChoiceField)]
    assert len(choices) > 20
    assert [str(field) for field in choices if not isinstance(field, OneOf)] == []


def every(shape):
    for below in shape.__subclasses__():
        yield below
        yield from every(below)


def test_numbers_and_flags_are_not_guessed(key, world):
    body = {"revision": "1", "content": 38}
    told = is_problem(key("review").patch(f"memories/{world.acme.pk}/", body), 400, "invalid")
    assert set(told["errors"]) == {"revision", "content"}


@pytest.mark.parametrize("value", ["true", "yes", 1, 1.0, 0, None, []])
def test_a_checked_identity_is_said_with_true_and_nothing_else(key, value):
    for path, body in (("ask", {"question": "hi"}), ("events", {"text": "hi"})):
        told = is_problem(key("runtime").post(f"role-agents/shop/{path}/", body | {"verified": value}), 400, "invalid")
        assert list(told["errors"]) == ["verified"]


@pytest.mark.parametrize("query", ["q=%FF", "q=%00", "q=a&role_agent=%C3%28"])
def test_an_address_that_is_not_text(key, query):
    is_problem(key("runtime").get(f"role-agents/shop/history/?{query}"), 400, "unreadable")


@pytest.mark.parametrize("path", ["role-agents/%00/", "role-agents/%FF/", "memories/1/", "runs/x/", "role-agents/a b/"])
def test_an_odd_address_is_simply_not_there(key, path):
    is_problem(key("review").get(path), 404, "not_found")


def broken(*args, **kwargs):
    raise RuntimeError("the secret text of a memory")


def test_our_own_mistakes_tell_nothing_but_where_to_ask(key, client, monkeypatch):
    monkeypatch.setattr("learning.api.memories.visible_memories", broken)
    client.raise_request_exception = False
    response = key("review").get("memories/")
    told = is_problem(response, 500, "internal")
    assert "secret" not in response.text
    assert told["request_id"] == response["X-Request-ID"]


def test_our_own_mistakes_are_logged_without_what_people_wrote(key, client, monkeypatch, caplog):
    monkeypatch.setattr("learning.api.memories.visible_memories", broken)
    client.raise_request_exception = False
    key("review").get("memories/")
    assert any("unhandled error" in str(record.msg) for record in caplog.records)


def test_a_database_that_does_not_answer(key, client, monkeypatch):
    def down(*args):
        raise OperationalError("connection to /secret/socket failed")

    monkeypatch.setattr("learning.api.memories.visible_memories", down)
    client.raise_request_exception = False
    response = key("review").get("memories/")
    assert "socket" not in str(is_problem(response, 503, "database_unavailable"))
    assert response["Retry-After"] == "5"


def test_answers_are_kept_by_no_cache(key):
    assert key("review").get("memories/")["Cache-Control"] == "no-store"
