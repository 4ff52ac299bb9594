"""Markdown that somebody else wrote, as HTML that can do nothing: no HTML of its own, no pictures, no address behind words.

Characters that a reader can not see are shown as marks, as everywhere.
"""

from functools import cache
from typing import Any

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from .reveal import reveal

HIGHEST = 3  # the level of the document's first headings: above them are the page's own
DEPTH_MOST = 20  # of lists and quotations in each other


def render(text: str) -> SafeString:
    return mark_safe(_parser().render(text.replace("\0", "\ufffd")))  # noqa: S308 - every rule below escapes


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
        "heading_open": _heading("<{}>"),
        "heading_close": _heading("</{}>"),
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


def _heading(shape: str):
    def rule(self, tokens, at, options, env) -> str:
        return shape.format(escape(f"h{min(int(tokens[at].tag[1:]) + HIGHEST - 1, 6)}"))

    return rule
