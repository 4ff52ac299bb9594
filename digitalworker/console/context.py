"""The `shell` template variable."""

from functools import cached_property
from typing import Any

from django.http import HttpRequest

from digitalworker.console import preferences, registry


def shell(request: HttpRequest) -> dict[str, Any]:
    return {"shell": Shell(request)}


class Shell:
    """What the frame around every page shows. Each part is computed when a template first asks for it.

    A page that does not draw the sidebar therefore runs none of its queries.
    """

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def theme(self) -> str:
        return preferences.theme(self._request)

    themes = (("system", "System"), ("light", "Light"), ("dark", "Dark"))

    @cached_property
    def keys_on(self) -> bool:
        return preferences.keys_on(self._request)

    @cached_property
    def signed_in(self) -> bool:
        return bool(self._user and self._user.is_authenticated)

    @property
    def _user(self) -> Any:
        return getattr(self._request, "user", None)

    @cached_property
    def user_name(self) -> str:
        if not self.signed_in:
            return ""
        return self._user.get_full_name() or getattr(self._user, "email", "") or self._user.get_username()

    @cached_property
    def organization(self) -> str:
        return _label(getattr(self._request, "organization", None)) or "Digital Worker"

    @cached_property
    def organizations(self) -> list[dict[str, Any]]:
        """The organizations the person may switch to, only when there is a choice."""
        current = getattr(self._request, "organization", None)
        known = list(getattr(self._request, "organizations", None) or [])
        if len(known) < 2 or not self.switch_href:
            return []
        return [{"pk": each.pk, "label": _label(each), "current": each == current} for each in known]

    @cached_property
    def switch_href(self) -> str:
        return registry.organization_switch_href()

    @cached_property
    def sections(self) -> list[dict[str, Any]]:
        """The sidebar from top to bottom: dicts of label and links (label, href, icon, badge, hot, current, go)."""
        ordered: dict[str, dict[str, Any]] = {}
        for item, href in registry.nav_items(self._request):
            section = ordered.setdefault(item.section, {"label": item.section, "order": item.order, "links": []})
            section["links"].append(
                {
                    "label": item.label,
                    "href": href,
                    "icon": item.icon,
                    "badge": item.badge(self._request) or None,
                    "hot": False,
                    "current": getattr(self._request, "nav_current", None) == item.url_name,
                    "go": item.go,
                }
            )
        sections = list(ordered.values())
        for order, drawn in registry.sidebar_sections(self._request):
            links = [
                {
                    "label": link.label,
                    "href": link.href,
                    "icon": "",
                    "badge": link.badge or None,
                    "hot": link.hot,
                    "current": link.current,
                    "go": "",
                }
                for link in drawn.links
            ]
            sections.append({"label": drawn.label, "order": order, "links": links})
        sections.sort(key=lambda section: (section["label"] != "", section["order"]))
        _mark_current(self._request.path, [link for section in sections for link in section["links"]])
        return sections

    @cached_property
    def shortcuts(self) -> list[tuple[str, list[registry.Shortcut]]]:
        return registry.shortcut_groups()


def _label(organization: Any) -> str:
    return (getattr(organization, "name", "") or str(organization)) if organization is not None else ""


def _mark_current(path: str, links: list[dict[str, Any]]) -> None:
    """Marks where the person is: the longest address that holds the path, unless a page said it already."""
    if any(link["current"] for link in links):
        return

    def holds(href: str) -> bool:
        # "/app/" holds every page of the console, so the home page counts only when it is the page itself.
        top = href.strip("/").count("/") == 0
        return path == href or (not top and path.startswith(href.rstrip("/") + "/"))

    matching = [link for link in links if holds(link["href"])]
    if matching:
        max(matching, key=lambda link: len(link["href"]))["current"] = True
