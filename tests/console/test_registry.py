"""Applications show themselves in the shell by registering; the shell knows none of them."""

from types import SimpleNamespace

import pytest
from django.core.exceptions import ImproperlyConfigured

from digitalworker.console import registry as real_registry
from digitalworker.console.context import Shell
from digitalworker.console.registry import NavItem, PaletteEntry, Shortcut, SidebarLink, SidebarSection, Tab

pytestmark = pytest.mark.urls("tests.console.urls")
AGENT = SimpleNamespace(code="it", waiting=3)


@pytest.fixture
def registry(empty_registry):
    empty_registry.register_nav(NavItem("Home", "test_home", "home", 10, go="h"))
    empty_registry.register_nav(NavItem("Learning Inbox", "test_inbox", "inbox", 20, badge=lambda request: 17))
    return empty_registry


def labels(section):
    return [link["label"] for link in section["links"]]


def test_sections_come_in_order_with_the_main_one_first(registry, make_request):
    registry.register_nav(NavItem("Palette", "console:palette", "key", 500, section="Settings"))
    registry.register_sidebar(
        100, lambda request: SidebarSection("Your agents", [SidebarLink("IT Agent", "/app/agents/it/", 3, hot=True)])
    )
    registry.register_sidebar(110, lambda request: None)
    registry.register_sidebar(120, lambda request: SidebarSection("Empty"))
    sections = Shell(make_request()).sections
    assert [section["label"] for section in sections] == ["", "Your agents", "Settings"]
    assert labels(sections[0]) == ["Home", "Learning Inbox"]
    assert sections[0]["links"][1]["badge"] == 17
    assert sections[1]["links"][0]["hot"] is True


def test_who_may_not_see_a_page_does_not_see_its_link(registry, make_request):
    registry.register_nav(NavItem("Members", "console:palette", "users", 30, visible=lambda request: False))
    assert labels(Shell(make_request()).sections[0]) == ["Home", "Learning Inbox"]
    assert "Members" not in [entry.label for entry in registry.palette_entries(make_request(), "")]


@pytest.mark.parametrize(
    ("path", "current"),
    [
        ("/app/", "Home"),
        ("/app/inbox", "Learning Inbox"),
        ("/app/inbox/7", "Learning Inbox"),
        ("/app/inboxes", None),
        ("/app/elsewhere", None),
    ],
)
def test_where_you_are_is_the_longest_address_that_holds_the_page(registry, make_request, path, current):
    links = [link for section in Shell(make_request(path)).sections for link in section["links"]]
    assert [link["label"] for link in links if link["current"]] == ([current] if current else [])


def test_a_page_may_say_itself_where_it_belongs(registry, make_request):
    request = make_request("/app/elsewhere")
    request.nav_current = "test_inbox"
    links = Shell(request).sections[0]["links"]
    assert [link["label"] for link in links if link["current"]] == ["Learning Inbox"]


def test_the_same_place_twice_is_a_mistake(registry):
    with pytest.raises(ImproperlyConfigured, match="already has test_home"):
        registry.register_nav(NavItem("Again", "test_home", "home", 99))
    registry.register_tab(Tab("soul", "Soul", "test_soul", 20))
    with pytest.raises(ImproperlyConfigured, match="'soul' is already registered"):
        registry.register_tab(Tab("soul", "Soul", "test_soul", 30))


def test_one_missing_page_does_not_take_the_sidebar_down_but_is_reported(registry, make_request):
    registry.register_nav(NavItem("Gone", "no_such_page", "home", 30))
    assert labels(Shell(make_request()).sections[0]) == ["Home", "Learning Inbox"]
    assert registry.unresolved() == ["no_such_page"]


def test_tabs_of_an_agent(registry, make_request):
    registry.register_tab(Tab("soul", "Soul", "test_soul", 20))
    registry.register_tab(Tab("memory", "Memory", "test_memory", 10, count=lambda request, agent: agent.waiting))
    registry.register_tab(Tab("people", "People", "test_memory", 30, visible=lambda request, agent: False))
    assert registry.tabs_for(make_request(), AGENT, "soul") == [
        {"slug": "memory", "label": "Memory", "href": "/app/agents/it/memory/", "count": 3, "current": False},
        {"slug": "soul", "label": "Soul", "href": "/app/agents/it/soul/", "count": None, "current": True},
    ]


def test_the_palette_finds_every_word_and_prefers_beginnings(registry, make_request):
    registry.register_palette(
        lambda request, query: [
            PaletteEntry("The inbox of IT", "/app/agents/it/", "3 wait", "Role-agent", keywords="vpn"),
            PaletteEntry("Inbox rules", "/app/rules"),
        ]
    )
    found = lambda query: [entry.label for entry in registry.palette_entries(make_request(), query)]  # noqa: E731
    assert found("inbox") == ["Inbox rules", "Learning Inbox", "The inbox of IT"]
    assert found("IT vpn") == ["The inbox of IT"]
    assert found("nothing") == []
    assert len(registry.palette_entries(make_request(), "", limit=2)) == 2


def test_keys_are_listed_by_group(registry):
    registry.register_shortcuts(Shortcut("a", "Approve", "Learning Inbox"), Shortcut("a", "Approve", "Learning Inbox"))
    groups = dict(registry.shortcut_groups())
    assert Shortcut("g h", "Go to Home") in groups["Everywhere"]
    assert groups["Learning Inbox"] == [Shortcut("a", "Approve", "Learning Inbox")]


def test_the_shell_asks_nothing_until_it_is_drawn(registry, make_request):
    asked = []
    registry.register_sidebar(100, lambda request: asked.append(1))
    shell = Shell(make_request())
    assert shell.theme == "system" and asked == []
    assert shell.sections and shell.sections and asked == [1]


def test_an_organization_switcher_needs_a_choice_and_a_place_to_go(registry, make_request):
    request = make_request()
    acme, globex = SimpleNamespace(pk=1, name="Acme"), SimpleNamespace(pk=2, name="Globex")
    request.organization, request.organizations = acme, [acme, globex]
    assert Shell(request).organizations == []
    registry.register_organization_switch("test_home")
    assert [each["label"] for each in Shell(request).organizations] == ["Acme", "Globex"]
    request.organizations = [acme]
    assert Shell(request).organizations == []
    assert Shell(request).organization == "Acme"


@pytest.mark.urls("digitalworker.urls")
def test_everything_the_applications_registered_leads_somewhere():
    assert real_registry.unresolved() == []
