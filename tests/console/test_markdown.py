"""Markdown that somebody else wrote is read, and does nothing."""

import pytest

from digitalworker.console.markdown import render


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Title\n\nSome *words* and `code`.", "<h3>Title</h3><p>Some <em>words</em> and <code>code</code>.</p>"),
        ("###### Six", "<h3>Six</h3>"),
        ("## A\n\n#### B\n\n# C\n\n## D", "<h3>A</h3><h4>B</h4><h3>C</h3><h4>D</h4>"),
        ("1. One\n2. Two", "<ol><li>One</li><li>Two</li></ol>"),
        ("```sh\nrm -rf /\n```", '<pre tabindex="0"><code>rm -rf /\n</code></pre>'),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>"),
        ("[the portal](https://evil.example/x)", "<p>the portal (<code>https://evil.example/x</code>)</p>"),
        ("<https://acme.test/>", "<p>https://acme.test/</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("![a cat](https://evil.example/pixel.png)", "<p>a cat (https://evil.example/pixel.png)</p>"),
        ("[![in](a.png)](https://evil.example)", "<p>in (a.png) (<code>https://evil.example</code>)</p>"),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
        ("```\n</code></pre><script>\n```", "&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;"),
        ('[x](https://a.example/"onclick=alert(1))', "<p>x (<code>https://a.example/%22onclick=alert(1)</code>)</p>"),
        ("| a | b |\n|---|---|\n| 1 | <i> |", "<td>&lt;i&gt;</td>"),
    ],
)
def test_it_is_shown_and_can_do_nothing(text, html):
    assert html in render(text).replace(">\n", ">").replace("\n<", "\n<" if "<code>" in html else "<")


def test_what_can_not_be_seen_is_shown():
    drawn = render("All fine\u200b, `go\u202eon`.")
    assert "\u200b" not in drawn and "\u202e" not in drawn
    assert "ZWSP" in drawn and "RLO" in drawn


@pytest.mark.parametrize(
    "text", ["> " * 5_000 + "x", "[" * 20_000, "*" * 20_000, "- " * 2_000 + "x", "\0", "`" * 9_999]
)
def test_nothing_makes_it_fail(text):
    assert isinstance(render(text), str)
