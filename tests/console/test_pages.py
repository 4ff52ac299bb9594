import pytest
from django.http import Http404
from django.template.loader import render_to_string

from digitalworker.console import preferences, specimens, views
from digitalworker.console.context import Shell, shell

pytestmark = pytest.mark.urls("tests.console.urls")


@pytest.mark.parametrize("chosen", ["light", "dark", "system"])
def test_the_theme_is_kept_by_this_browser(make_request, chosen):
    answer = views.set_theme(
        make_request("/app/preferences/theme", method="post", data={"theme": chosen, "next": "/app/inbox"})
    )
    assert answer.status_code == 302 and answer["Location"] == "/app/inbox"
    cookie = answer.cookies[preferences.THEME_COOKIE]
    assert cookie.value == chosen and cookie["samesite"] == "Lax" and cookie["httponly"]
    page = render_to_string("base.html", shell(make_request(cookies={preferences.THEME_COOKIE: chosen})))
    assert f'data-theme="{chosen}"' in page


def test_an_unknown_theme_is_the_systems(make_request):
    answer = views.set_theme(make_request(method="post", data={"theme": '"><script>'}))
    assert answer.cookies[preferences.THEME_COOKIE].value == "system"
    assert Shell(make_request(cookies={preferences.THEME_COOKIE: '"><script>'})).theme == "system"


def test_single_letter_keys_can_be_switched_off(make_request):
    answer = views.set_keys(make_request(method="post", data={"keys": "off"}))
    assert answer.cookies[preferences.KEYS_COOKIE].value == "off"
    assert 'data-keys="off"' in render_to_string(
        "base.html", shell(make_request(cookies={preferences.KEYS_COOKIE: "off"}))
    )
    assert "data-keys" not in render_to_string("base.html", shell(make_request()))


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_a_preference_leads_back_to_this_site_only(make_request, target):
    assert views.set_theme(make_request(method="post", data={"theme": "dark", "next": target}))["Location"] == "/"


def test_a_script_that_changed_the_page_gets_no_new_one(make_request):
    assert (
        views.set_theme(make_request(method="post", data={"theme": "dark"}, **{"X-In-Place": "1"})).status_code == 204
    )


def test_preferences_change_by_post_only(make_request):
    assert views.set_theme(make_request()).status_code == 405


def test_the_palette_is_for_people_who_are_logged_in(make_request):
    assert "/accounts/login/" in views.palette(make_request("/app/palette", logged_in=False))["Location"]


def test_the_palette_answers_with_a_piece_or_a_page(make_request, empty_registry):
    empty_registry.register_nav(empty_registry.NavItem("Learning Inbox", "test_inbox", "inbox", 10))
    piece = views.palette(make_request("/app/palette", data={"q": "inbox"}, **{"HX-Request": "true"})).content.decode()
    page = views.palette(make_request("/app/palette", data={"q": "inbox"})).content.decode()
    assert piece.startswith("<a href") and "<html" not in piece
    assert "<html" in page and 'href="/app/inbox"' in page


def test_nothing_found_says_what_to_try(make_request, empty_registry):
    piece = views.palette(make_request("/app/palette", data={"q": "<x>"}, **{"HX-Request": "true"})).content.decode()
    assert "Nothing is called that." in piece and "<x>" not in piece


def test_the_styleguide_is_not_a_public_page(make_request, settings):
    settings.DW_STYLEGUIDE = False
    with pytest.raises(Http404):
        views.styleguide(make_request("/styleguide/"))


def test_the_styleguide_shows_every_component(make_request, settings):
    settings.DW_STYLEGUIDE = True
    answer = views.styleguide(make_request("/styleguide/"))
    assert answer.status_code == 200
    html = answer.content.decode()
    shown = [
        "btn primary",
        "chip",
        "card",
        "facts",
        "table",
        "quote",
        "diff words",
        "skip-lines",
        "meter",
        "spark",
        "stat",
        "trail",
        "tabs",
        "filters",
        "item",
        "empty",
        "pager",
        "field",
        "dialog",
        "notice",
        "mono-gram",
        "<time",
        "<kbd>",
        "who",
        "bubble",
        "code",
        "crumbs",
        "secret",
        "switch",
        "reveal",
    ]
    assert [name for name in shown if name not in html] == []
    assert specimens.context()["tabs"]


def test_the_favicon_is_where_browsers_look(make_request):
    answer = views.favicon(make_request("/favicon.ico"))
    assert answer.status_code == 302 and answer["Location"].endswith(".svg")


@pytest.mark.parametrize("template", ["400.html", "403.html", "404.html", "500.html"])
def test_error_pages_stand_without_a_request(template):
    html = render_to_string(template)
    assert "<h1>" in html and "Back to the console" in html and "Traceback" not in html


def test_a_piece_of_a_page_gets_a_panel_instead_of_a_page(make_request):
    html = render_to_string("403.html", request=make_request("/app/x", HX_Request="true"))
    assert "<html" not in html and "data-focus" in html


def test_a_toast_region_is_on_every_page():
    assert '<div id="toasts" role="status">' in render_to_string("base.html")
