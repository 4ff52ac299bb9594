"""Markdown that somebody else wrote, as HTML that can do nothing: no HTML of its own, no pictures, no address behind words.

Characters that a reader can not see are shown as marks, as everywhere.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from .reveal import reveal

HIGHEST = 3  # the level of the document's first headings: above them are the page's own
DEPTH_MOST = 20  # of lists and quotations in each other


def render(text: str) -> SafeString:
    parser = _parser()
    tokens = parser.parse(text.replace("\0", "\ufffd"))
    _level(tokens)
    return mark_safe(parser.renderer.render(tokens, parser.options, {}))  # noqa: S308 - every rule below escapes


def _level(tokens: Sequence[Any]) -> None:
    """Headings one below the other, without a gap that only a wish for larger letters made."""
    above: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
            above = [*(each for each in above if each < level), level]
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(HIGHEST - 1 + len(above), 6)}"


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEPTH_MOST}).enable("table")
    for name, rule in {
        "text": _text,
        "code_inline": _code,
        "code_block": _block,
        "fence": _block,
        "image": _picture,
        "link_open": _nothing,
        "link_close": _address,
    }.items():
        parser.add_render_rule(name, rule)
    return parser


def _text(self, tokens, at, options, env) -> str:
    return reveal(tokens[at].content)


def _code(self, tokens, at, options, env) -> str:
    return format_html("<code>{}</code>", reveal(tokens[at].content))


def _block(self, tokens, at, options, env) -> str:
    return format_html('<pre tabindex="0"><code>{}</code></pre>', reveal(tokens[at].content))


def _picture(self, tokens, at, options, env) -> str:
    return format_html("{} ({})", reveal(tokens[at].content or "Picture"), reveal(str(tokens[at].attrGet("src"))))


def _nothing(self, tokens, at, options, env) -> str:
    return ""


def _address(self, tokens, at, options, env) -> str:
    """Where a link leads is said beside its words, unless these say it already."""
    depth, start = 0, at
    while start >= 0:
        depth += {"link_close": 1, "link_open": -1}.get(tokens[start].type, 0)
        if depth == 0:
            break
        start -= 1
    address = str(tokens[start].attrGet("href"))
    words = "".join(token.content for token in tokens[start + 1 : at])
    return "" if words == address else format_html(" (<code>{}</code>)", reveal(address))
