"""Rules every template and style sheet of the product keeps."""

import gzip
import re

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

ROOT = settings.BASE_DIR
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
FORBIDDEN = {
    "inline style": re.compile(r"<[a-z][^>]*\sstyle\s*=", re.I),
    "style element": re.compile(r"<style\b", re.I),
    "event handler": re.compile(r"<[a-z][^>]*\son[a-z]+\s*=", re.I),
    "inline script": re.compile(r"<script(?![^>]*\b(src=|type=.application/json))[^>]*>", re.I),
    "script address": re.compile(r"(href|action|src)\s*=\s*[\"']?\s*javascript:", re.I),
    "htmx evaluation": re.compile(r"hx-(on|vals=.js:|vars)", re.I),
    "foreign host": re.compile(r"<(script|link|img|iframe)[^>]*(src|href)=[\"'](https?:)?//", re.I),
}


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("rule", FORBIDDEN)
def test_templates_hold_nothing_the_content_policy_refuses(rule):
    broken = []
    for path in TEMPLATES:
        text = re.sub(r"{#.*?#}|{% comment.*?endcomment %}", "", path.read_text(), flags=re.S)
        if FORBIDDEN[rule].search(text):
            broken.append(path)
    assert names(broken) == []


def test_the_rules_notice_what_they_forbid():
    bad = {
        "inline style": '<div class="a" style="width:3%">',
        "style element": "<style>",
        "event handler": '<a href="#" onclick="x()">',
        "inline script": "<script>",
        "script address": "<a href='javascript:x'>",
        "htmx evaluation": '<a hx-on:click="x()">',
        "foreign host": '<script src="https://cdn.example/x.js">',
    }
    assert [rule for rule in FORBIDDEN if not FORBIDDEN[rule].search(bad[rule])] == []


def test_every_component_says_what_it_takes():
    assert (
        names(path for path in TEMPLATES if path.parent.name == "components" and not path.read_text().startswith("{#"))
        == []
    )


def test_raw_colours_live_in_one_file():
    colour = re.compile(r"#[0-9a-f]{3,8}\b(?![\w-])|\b(oklch|oklab|rgba?|hsla?|light-dark)\(", re.I)
    broken = {}
    for path in STYLES:
        rules = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        # Ids such as #toasts name elements; what stands after a colon is a value.
        found = [match.group() for line in re.findall(r":[^;{}]*", rules) for match in colour.finditer(line)]
        if found and path.name != "tokens.css":
            broken[path.name] = found
    assert broken == {}


def test_every_style_sheet_is_in_a_layer():
    assert [path.name for path in STYLES] == ["base.css", "components.css", "layout.css", "tokens.css", "utilities.css"]
    assert [path.name for path in STYLES if f"@layer {path.stem} {{" not in path.read_text()] == []


def test_every_colour_a_style_uses_is_defined():
    text = "".join(path.read_text() for path in STYLES)
    defined = set(re.findall(r"(--[a-z][\w-]*)\s*:", text))
    assert set(re.findall(r"var\((--[\w-]+)", text)) - defined == set()


def size(paths):
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def test_styles_fit_in_ten_kilobytes():
    assert size(STYLES) <= 10 * 1024


def test_scripts_fit_in_thirty_kilobytes_with_htmx():
    from pathlib import Path

    assert size([*SCRIPTS, Path(finders.find("django_htmx/htmx-2.min.js"))]) <= 30 * 1024


def test_scripts_are_short_and_evaluate_nothing():
    assert names(path for path in SCRIPTS if len(path.read_text().splitlines()) >= 150) == []
    evaluates = re.compile(r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write")
    assert names(path for path in SCRIPTS if evaluates.search(path.read_text())) == []
