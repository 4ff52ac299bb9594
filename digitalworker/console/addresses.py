"""Addresses: with a query that may be empty, and back to where somebody came from."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def with_query(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def local(request: HttpRequest, target: str, otherwise: str) -> str:
    """`target` if it leads to this site, else `otherwise`: an address that came with a request may lead anywhere. A word that
    is no address would be taken for the name of a view."""
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if safe and target.startswith(("/", "http://", "https://")) else otherwise
