"""Logs tell what happened, where and for whom; never what somebody wrote."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from digitalworker.common import logs
from digitalworker.common.queue import without_messages

REQUEST = """
import django, logging; django.setup()
from django.http import HttpResponse
from django.test import RequestFactory
from digitalworker.common import context
from digitalworker.common.middleware import RequestIdMiddleware

def view(request):
    context.bind(organization="org-1", actor="user:7")
    try:
        raise ValueError("she told us SECRET-IN-ERROR")
    except ValueError:
        logging.getLogger("django.request").exception("Internal Server Error: %s", request.path)
    return HttpResponse("SECRET-IN-ANSWER")

request = RequestFactory().post("/app/say?q=SECRET-IN-QUERY", {"text": "SECRET-IN-BODY"})
RequestIdMiddleware(view)(request)
"""


def test_json_lines_carry_who_and_where_and_no_text(python):
    done = python(REQUEST, DW_LOG_JSON="1")
    assert "SECRET" not in done.stdout + done.stderr
    failure, access = (json.loads(line) for line in done.stderr.splitlines())
    for line in (failure, access):
        assert (line["organization_id"], line["actor"]) == ("org-1", "user:7")
        assert line["request_id"] == access["request_id"] is not None
    assert (access["method"], access["path"], access["status"]) == ("POST", "/app/say", 200)
    assert access["ms"] >= 0
    assert failure["error"] == "ValueError"
    assert failure["trace"][-1].endswith(" view")


def test_a_terminal_gets_key_value_lines(python):
    done = python(REQUEST, DW_LOG_JSON="0")
    assert "SECRET" not in done.stdout + done.stderr
    access = done.stderr.splitlines()[-1]
    assert "event=request" in access
    assert "method=POST path=/app/say status=200" in access


def test_an_address_moves_no_cursor_and_begins_no_line():
    told = logs._key_value(None, "info", {"event": "request", "path": "/app/é\r\nlevel=error\x1b[31m\x00\u2028\x9b"})
    assert told == 'event=request path="/app/é\\r\\nlevel=error\\x1b[31m\\x00\\u2028\\x9b"'


def test_the_development_server_logs_no_query_strings(python):
    code = """
import django, logging; django.setup()
logging.getLogger("django.server").info('"GET /app/?q=SECRET HTTP/1.1" 200 5')
"""
    done = python(code)
    assert "SECRET" not in done.stdout + done.stderr


def test_an_error_about_the_code_keeps_its_message():
    assert logs.describe(AttributeError("module 'x' has no attribute 'y'")).endswith("no attribute 'y'")
    assert logs.describe(ImproperlyConfigured("DW_X is not set")).endswith("DW_X is not set")


def test_an_error_about_data_keeps_only_its_type():
    assert logs.describe(ValueError("invalid: my sister is ill")) == "ValueError"


@pytest.mark.django_db
def test_a_database_error_names_the_rule_but_not_the_row():
    from django.db import IntegrityError, transaction

    from digitalworker.agents.models import User

    User.objects.create(email="ada@example.org")
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        User.objects.create(email="ADA@example.org")
    told = logs.describe(caught.value)
    assert told == "django.db.utils.IntegrityError: 23505 agents_user user_email_once"


FAILURE = """my sister is ill : Traceback (most recent call last):
  File "/srv/django_q/worker.py", line 103, in worker
    res = f(*task["args"])
  File "/srv/learning/tasks.py", line 9, in sweep
    raise ValueError("my sister is ill")
ValueError: my sister is ill
and so on, for lines
"""


def test_a_failed_task_is_remembered_by_type_and_place():
    kept = without_messages(FAILURE)
    assert "sister" not in kept
    assert kept.splitlines()[-2:] == ['  File "/srv/learning/tasks.py", line 9, in sweep', "ValueError"]
