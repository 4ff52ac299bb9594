import datetime as dt

import pytest
from django import forms
from django.template import Context, Template
from django.utils import timezone

from digitalworker.console.templatetags import console as tags

NOW = dt.datetime(2026, 11, 29, 12, 0, tzinfo=dt.UTC)


def render(source, **context):
    return Template("{% load console %}" + source).render(Context(context))


@pytest.mark.parametrize(
    ("ago", "short", "long"),
    [
        (dt.timedelta(seconds=10), "now", "just now"),
        (dt.timedelta(seconds=-10), "soon", "in a moment"),
        (dt.timedelta(seconds=50), "1 min", "1 minute ago"),
        (dt.timedelta(minutes=14), "14 min", "14 minutes ago"),
        (dt.timedelta(minutes=59, seconds=50), "60 min", "60 minutes ago"),
        (dt.timedelta(hours=2), "2 h", "2 hours ago"),
        (dt.timedelta(days=1, hours=3), "1 d", "1 day ago"),
        (dt.timedelta(days=25), "4 Nov", "4 Nov"),
        (dt.timedelta(days=400), "25 Oct 2025", "25 Oct 2025"),
        (-dt.timedelta(days=2, hours=23, minutes=59), "in 3 d", "in 3 days"),
    ],
)
def test_times_are_relative(ago, short, long):
    assert tags.relative(NOW - ago, now=NOW) == short
    assert tags.relative(NOW - ago, long=True, now=NOW) == long


def test_the_exact_time_is_always_there():
    html = tags.ago(NOW)
    assert html.startswith('<time datetime="2026-11-29T12:00:00+00:00" title="29 Nov 2026, 12:00:00 UTC">')
    assert tags.ago(None) == ""
    assert 'title="29 Nov 2026' in tags.at(NOW)


def test_icons_are_hidden_from_screen_readers_unless_they_stand_alone():
    assert 'aria-hidden="true"' in render('{% icon "inbox" %}')
    assert 'aria-label="Inbox"' in render('{% icon "inbox" label="Inbox" %}')


@pytest.mark.parametrize(
    ("numbers", "lines"),
    [([], 0), (None, 0), ([5], 1), ([1, 2, 3], 1), ([1, None, 3, 4], 2), ([0, 0, 0], 1), ([7, 7], 1)],
)
def test_a_sparkline_takes_any_numbers(numbers, lines):
    assert render("{% sparkline n %}", n=numbers).count("<polyline") == lines


@pytest.mark.parametrize(
    ("used", "limit", "more"), [(0, 0, 0), (10, 0, 5), (412, 3000, 9), (5000, 3000, 100), (-1, 10, 0)]
)
def test_a_meter_never_leaves_its_frame(used, limit, more):
    drawn = tags.meter(used, limit, more)
    assert 0 <= float(drawn["share"]) <= 100
    assert 0 <= float(drawn["share"]) + float(drawn["extra"]) <= 100.01
    assert drawn["full"] == (limit > 0 and used + more > limit)


class Sample(forms.Form):
    name = forms.CharField(help_text="As people see it.")
    note = forms.CharField(widget=forms.Textarea, required=False)
    on = forms.BooleanField(required=False, help_text="Now.")
    pick = forms.ChoiceField(choices=[("a", "A"), ("b", "B")], widget=forms.RadioSelect)


def test_a_field_names_its_help_and_its_mistake():
    form = Sample({"name": "", "pick": "a"}, prefix="x")
    form.is_valid()
    html = render("{% field form.name %}", form=form)
    assert '<label for="id_x-name">' in html
    assert 'aria-describedby="id_x-name_helptext id_x-name_error"' in html
    assert 'id="id_x-name_helptext"' in html and 'id="id_x-name_error"' in html
    assert 'aria-invalid="true"' in html and "This field is required." in html


def test_every_kind_of_field_has_a_label():
    form = Sample()
    assert 'class="field check"' in render("{% field form.on %}", form=form)
    assert "<fieldset" in render("{% field form.pick %}", form=form) and "<legend>" in render(
        "{% field form.pick %}", form=form
    )
    assert "optional" in render("{% field form.note %}", form=form)


def test_blocks_hold_markup_and_escape_their_titles():
    html = render('{% card title href="/x" link="All" %}<p>{{ body }}</p>{% endcard %}', title="A & <b>", body="<i>")
    assert "A &amp; &lt;b&gt;" in html and "<p>&lt;i&gt;</p>" in html and '<a href="/x">All</a>' in html


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("IT Agent", "IT"),
        ("Ben Okafor", "BO"),
        ("shop", "S"),
        ("", "?"),
        (None, "?"),
        ("ada@acme.example", "A"),
        ("Ольга Марин", "ОМ"),
    ],
)
def test_monograms(name, letters):
    assert tags.initials(name) == letters


def test_a_toast_without_undo_has_none_and_one_with_it_posts(rf):
    from django.contrib.messages import get_messages
    from django.contrib.messages.storage.cookie import CookieStorage

    from digitalworker.console.toasts import toast, undo_of

    request = rf.get("/")
    request._messages = CookieStorage(request)
    toast(request, "Saved <b>")
    toast(request, "Rejected", tone="warn", undo="/undo/7", label="Take it back")
    first, second = get_messages(request)
    assert undo_of(first) is None and undo_of(second) == {"href": "/undo/7", "label": "Take it back"}
    html = render('{% include "components/toasts.html" with oob=True %}', messages=[first, second])
    assert 'hx-swap-oob="beforeend:#toasts"' in html and "Saved &lt;b&gt;" in html
    assert '<form method="post" action="/undo/7">' in html and "Take it back" in html


def test_now_is_a_time():
    assert "now" in tags.ago(timezone.now())
