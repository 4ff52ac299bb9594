import pytest
from axe_playwright_python.sync_playwright import Axe

from tests import factories


@pytest.fixture
def enter(live_server, page, client):
    """`enter(user)` opens the browser as that person and returns a function that goes to a path."""

    def as_user(user, on=page):
        factories.login(client, user)
        session = client.cookies["sessionid"].value
        client.cookies.clear()  # the next one who enters gets a session of their own
        on.context.clear_cookies()
        on.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        return lambda path: on.goto(live_server.url + path)

    return as_user


@pytest.fixture
def faults(page):
    """`faults()`: what axe finds hard to read or to use on the page as it is now."""

    def found() -> list[str]:
        violations = Axe().run(page).response["violations"]
        return [
            f"{fault['id']}: {node['html'][:120]} {node['failureSummary']}"
            for fault in violations
            for node in fault["nodes"]
        ]

    return found
