"""What the applications show in the shell, registered by the application that owns it.

Each application has a `tabs.py` that calls the `register_*` functions below at import; the shell then knows what to
draw without importing any of them. Every callable takes the request first and runs only while a page that extends the
shell is being drawn.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import autodiscover_modules


def _always(request: HttpRequest) -> bool:
    return True


def _nothing(request: HttpRequest) -> None:
    return None


@dataclass(frozen=True, slots=True)
class NavItem:
    """One line of the sidebar.

    `url_name` takes no arguments. `order` sorts within the section, and the smallest order of a section sorts the
    section among the others and among the registered sidebar sections; the section without a name comes first.
    `badge` returns a number or short text, or None or 0 for nothing. `go` is the second key of a `g` chord ("i": g i).
    """

    label: str
    url_name: str
    icon: str
    order: int
    visible: Callable[[HttpRequest], bool] = _always
    badge: Callable[[HttpRequest], int | str | None] = _nothing
    section: str = ""
    go: str = ""


@dataclass(slots=True)
class SidebarLink:
    """A link of a sidebar section. `hot` colours the badge: it waits for the person who looks."""

    label: str
    href: str
    badge: int | str | None = None
    hot: bool = False
    current: bool = False


@dataclass(slots=True)
class SidebarSection:
    label: str
    links: list[SidebarLink] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a role-agent. `url_name` takes the agent's code as its only argument."""

    slug: str
    label: str
    url_name: str
    order: int
    visible: Callable[[HttpRequest, Any], bool] = lambda request, agent: True
    count: Callable[[HttpRequest, Any], int | str | None] = lambda request, agent: None


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One destination of the palette. `kind` names what it is (Page, Role-agent, Memory), `keywords` are only searched."""

    label: str
    href: str
    hint: str = ""
    kind: str = "Page"
    keywords: str = ""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A line of the keys dialog. `keys` are shown as they are typed, separated by spaces: "g i"."""

    keys: str
    label: str
    group: str = "Everywhere"


SidebarSource = Callable[[HttpRequest], SidebarSection | None]
PaletteSource = Callable[[HttpRequest, str], Iterable[PaletteEntry]]

_nav: list[NavItem] = []
_sidebar: list[tuple[int, SidebarSource]] = []
_tabs: list[Tab] = []
_palette: list[PaletteSource] = []
_shortcuts: list[Shortcut] = []
_switch: list[str] = []


def register_nav(item: NavItem) -> None:
    """Adds a line to the sidebar and to the palette. The same place in the same section twice is a mistake."""
    if any(known.url_name == item.url_name and known.section == item.section for known in _nav):
        raise ImproperlyConfigured(f"The navigation already has {item.url_name} in section {item.section!r}.")
    _nav.append(item)


def register_sidebar(order: int, fn: SidebarSource) -> None:
    """Adds a section the application fills itself. None, or no links, draws nothing."""
    _sidebar.append((order, fn))


def register_tab(tab: Tab) -> None:
    if any(known.slug == tab.slug for known in _tabs):
        raise ImproperlyConfigured(f"A tab with the slug {tab.slug!r} is already registered.")
    _tabs.append(tab)


def register_palette(fn: PaletteSource) -> None:
    """Adds destinations to the palette. `fn` gets what was typed and should answer with few and good entries."""
    _palette.append(fn)


def register_shortcuts(*shortcuts: Shortcut) -> None:
    _shortcuts.extend(shortcut for shortcut in shortcuts if shortcut not in _shortcuts)


def register_organization_switch(url_name: str) -> None:
    """Names the view that takes a POST with `organization` (its primary key) and `next`. Without it: no switcher."""
    _switch[:] = [url_name]


def organization_switch_href() -> str:
    return _href(_switch[0]) if _switch else ""


def nav_items(request: HttpRequest) -> list[tuple[NavItem, str]]:
    """The items this request may see with their addresses, in order."""
    # An address that does not resolve is reported by the system checks; one missing page must not take all down.
    return [
        (item, href)
        for item in sorted(_nav, key=lambda item: item.order)
        if (href := _href(item.url_name)) and item.visible(request)
    ]


def sidebar_sections(request: HttpRequest) -> list[tuple[int, SidebarSection]]:
    drawn = ((order, fn(request)) for order, fn in sorted(_sidebar, key=lambda pair: pair[0]))
    return [(order, section) for order, section in drawn if section and section.links]


def tabs_for(request: HttpRequest, agent: Any, current: str) -> list[dict[str, Any]]:
    """The tabs of a role-agent's page: dicts of slug, label, href, count and current, ready for components/tabs.html."""
    return [
        {
            "slug": tab.slug,
            "label": tab.label,
            "href": href,
            "count": tab.count(request, agent),
            "current": tab.slug == current,
        }
        for tab in sorted(_tabs, key=lambda tab: tab.order)
        if (href := _href(tab.url_name, agent.code)) and tab.visible(request, agent)
    ]


def palette_entries(request: HttpRequest, query: str, limit: int = 40) -> list[PaletteEntry]:
    """The visible navigation and what the applications offer, matched against every word of the query."""
    pages = [
        PaletteEntry(label=item.label, href=href, hint=item.section, keywords=item.url_name.replace(":", " "))
        for item, href in nav_items(request)
    ]
    words = query.casefold().split()
    found: list[PaletteEntry] = []
    seen: set[tuple[str, str]] = set()
    for entry in [*pages, *(entry for fn in _palette for entry in fn(request, query))]:
        text = f"{entry.label} {entry.hint} {entry.kind} {entry.keywords}".casefold()
        if (entry.label, entry.href) not in seen and all(word in text for word in words):
            seen.add((entry.label, entry.href))
            found.append(entry)
    if words:
        found.sort(key=lambda entry: not entry.label.casefold().startswith(words[0]))
    return found[:limit]


def shortcut_groups() -> list[tuple[str, list[Shortcut]]]:
    """Shortcuts by group, in the order of registration, with the ones every page has first."""
    groups: dict[str, list[Shortcut]] = {}
    chords = [
        Shortcut(f"g {item.go}", f"Go to {item.label}") for item in sorted(_nav, key=lambda i: i.order) if item.go
    ]
    for shortcut in [*EVERYWHERE, *chords, *_shortcuts]:
        groups.setdefault(shortcut.group, []).append(shortcut)
    return list(groups.items())


EVERYWHERE: Sequence[Shortcut] = (
    Shortcut("Ctrl+K", "Jump to"),
    Shortcut("?", "Show these keys"),
    Shortcut("Esc", "Close what is open"),
)


def unresolved() -> list[str]:
    """Registered addresses that do not exist."""
    names = [(item.url_name, ()) for item in _nav] + [(tab.url_name, ("code",)) for tab in _tabs]
    return [name for name, args in names if not _href(name, *args)]


def autodiscover() -> None:
    autodiscover_modules("tabs")


def _href(url_name: str, *args: Any) -> str:
    try:
        return reverse(url_name, args=args)
    except NoReverseMatch:
        return ""
