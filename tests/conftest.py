"""One PostgreSQL server for all test runs of this checkout, one database for each run, and a strict browser."""

import contextlib
import fcntl
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from digitalworker.common import context, postgres
from tests.fixtures import as_user, model_server, world  # noqa: F401 - for every app
from tests.settings import TEST_DATA, TEST_POSTGRES

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Whoever starts the server leaves this; the last run to end takes it away, and stops the server. A server started by
# hand has none, and stays.
STARTED_BY_TESTS = TEST_DATA / "test-postgres.started-by-tests"
_held_locks: list = []


def pytest_configure(config):
    if hasattr(config, "workerinput"):  # an xdist worker: its controller looks after the server
        return
    TEST_DATA.mkdir(exist_ok=True)
    _hold(TEST_DATA / "test-postgres.users", fcntl.LOCK_SH)
    if postgres.start(TEST_POSTGRES, durable=False):
        STARTED_BY_TESTS.touch()
    _choose_database()


def pytest_unconfigure(config):
    if hasattr(config, "workerinput") or not _held_locks:
        return
    users = _held_locks[0]
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return  # another run is using the server
    if STARTED_BY_TESTS.exists():
        postgres.stop(TEST_POSTGRES)
        STARTED_BY_TESTS.unlink()


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/e2e/" in item.nodeid:
            item.add_marker("e2e")


def _hold(path: Path, how: int) -> None:
    """Takes a lock that lasts as long as this process, however it ends."""
    file = open(path, "w")  # noqa: SIM115 - closing it would give the lock back
    try:
        fcntl.flock(file, how)
    except BlockingIOError:
        file.close()
        raise
    _held_locks.append(file)


def _choose_database() -> None:
    """The database of DW_TEST_DATABASE, or the next free one if a run beside this one has it."""
    from django.conf import settings

    test = settings.DATABASES["default"]["TEST"]
    wanted = test["NAME"]
    for name in (wanted, *(f"{wanted}_{number}" for number in range(2, 20))):
        with contextlib.suppress(BlockingIOError):
            _hold(TEST_DATA / f"{name}.lock", fcntl.LOCK_EX | fcntl.LOCK_NB)
            test["NAME"] = os.environ["DW_TEST_DATABASE"] = name  # workers read the latter
            return
    raise pytest.UsageError(f"Twenty test runs use {wanted} already.")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings, django_db_blocker):
    """The test database is a copy of one that is migrated already."""
    from django.db import connection

    from tests import template  # it needs the settings

    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = template.migrated()


@pytest.fixture(autouse=True)
def _bound_for_this_test_only():
    """A key that is checked without a request around it would stay bound for the tests that follow."""
    with context.bind(request_id=None, organization=None, actor=None):
        yield


@pytest.fixture(autouse=True)
def _empty_shelves():
    """So that a test counts the same queries whatever ran before it."""
    from learning import shelves
    from skills import shelf

    shelves.clear()
    shelf.clear()


@pytest.fixture(autouse=True)
def _no_model_calls():
    """A test never asks a real model. The library is not loaded only to say so: that takes a second and 50 MB."""
    if "pydantic_ai" in sys.modules:
        sys.modules["pydantic_ai.models"].ALLOW_MODEL_REQUESTS = False


# --- browser ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    quiet = ("disable-gpu", "disable-quic", "no-first-run", "disable-sync")
    offline = ("disable-background-networking", "disable-component-update")
    switches = [f"--{name}" for name in ("headless", *quiet, *offline)]
    if os.geteuid() == 0:
        switches.append("--no-sandbox")  # Chromium's sandbox refuses to run as root
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "headless": True, "args": switches}


@pytest.fixture
def console_errors(page):
    """What the browser complained about: script errors, failed loads and refusals by the content security policy.

    A page that is allowed to fail is named by `console_errors.allow(pattern)`; at the end of the test the rest must
    be empty.
    """
    errors = ConsoleErrors()
    page.on("console", lambda message: errors.add_message(message))
    page.on("pageerror", lambda error: errors.add(str(error)))
    yield errors
    assert errors.unexpected() == []


# A request that a newer one replaced, or that leaving the page ended. One that fails says sendError or responseError too.
ABORTED = re.compile(r"^htmx:(afterRequest|sendAbort), ")


class ConsoleErrors:
    def __init__(self):
        self.seen, self.allowed = [], [ABORTED]

    def add_message(self, message) -> None:
        if message.type == "error":  # the text of a failed load does not say of what
            self.add(f"{message.text} ({message.location.get('url', '')})")

    def add(self, text: str) -> None:
        self.seen.append(text)

    def allow(self, pattern: str) -> None:
        self.allowed.append(re.compile(pattern))

    def unexpected(self) -> list[str]:
        return [text for text in self.seen if not any(pattern.search(text) for pattern in self.allowed)]
