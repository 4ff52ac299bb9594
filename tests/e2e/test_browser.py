"""The browser itself: that it starts, and that it would tell us of a broken page."""

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_log_in_page_opens_without_a_complaint(page, live_server, console_errors):
    page.goto(f"{live_server.url}/app/")
    assert "/accounts/login/" in page.url
    page.get_by_role("button", name="Log in").wait_for()


def test_complaints_are_noticed(page, live_server, console_errors):
    console_errors.allow("nothing-here")
    page.goto(f"{live_server.url}/accounts/login/")
    page.evaluate("fetch('/nothing-here')")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>')")
    page.wait_for_timeout(300)
    assert any("Content Security Policy" in text for text in console_errors.unexpected())
    console_errors.allow("Content Security Policy")
