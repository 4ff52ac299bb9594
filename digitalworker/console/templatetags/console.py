"""Template tags of the console. Load with `{% load console %}`."""

import datetime as dt
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import heroicons
from django import template
from django.contrib.messages.storage.base import Message
from django.forms import BoundField
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from digitalworker.console import diffs, toasts
from digitalworker.console.markdown import render as rendered
from digitalworker.console.reveal import reveal as revealed

register = template.Library()


@register.simple_tag
def icon(name: str, style: str = "outline", size: int = 16, label: str = "") -> SafeString:
    """An icon of heroicons.com: `{% icon "inbox" %}`.

    `style` is outline, mini, micro or solid; `label` only for an icon that stands alone.
    """
    return _icon(str(name), str(style), int(size), str(label))


@lru_cache(maxsize=256)
def _icon(name: str, style: str, size: int, label: str) -> SafeString:
    attrs: dict[str, object] = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    if style == "outline":
        attrs["stroke_width"] = "2"  # drawn at two thirds of its size
    return mark_safe(heroicons._render_icon(style, name, size, attrs))  # noqa: S308  (drawn by the package, attributes escaped)


# --- time ---------------------------------------------------------------------------------------------------------
@register.filter
def ago(value: dt.datetime | None, style: str = "short") -> SafeString | str:
    """`<time>` with a relative text and the exact time as its title.

    `{{ at|ago }}` gives "5 min", `{{ at|ago:"long" }}` "5 minutes ago".
    """
    return _time(_local(value), relative(value, style == "long")) if value else ""


@register.filter
def at(value: dt.datetime | None, pattern: str = "j M, H:i") -> SafeString | str:
    """`<time>` with a date by `pattern` (Django's format letters): for lists where the clock time matters."""
    return _time(_local(value), date_format(_local(value), pattern)) if value else ""


def _local(value: dt.datetime) -> dt.datetime:
    return timezone.localtime(value) if timezone.is_aware(value) else value


def _time(local: dt.datetime, text: str) -> SafeString:
    exact = f"{date_format(local, 'j M Y, H:i:s')} {local.tzname() or ''}".strip()
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(timespec="seconds"), exact, text)


UNITS = ((86400, "d", "day"), (3600, "h", "hour"), (60, "min", "minute"))


def relative(value: dt.datetime, long: bool = False, now: dt.datetime | None = None) -> str:
    now = now or (timezone.now() if timezone.is_aware(value) else dt.datetime.now())
    seconds = int((now - value).total_seconds())
    future, seconds = seconds < 0, abs(seconds)
    if seconds < 45:
        if future:
            return "soon" if not long else "in a moment"
        return "now" if not long else "just now"
    for size, short, word in UNITS:  # noqa: B007  (the unit that fits is used below)
        if seconds >= size or size == 60:
            break
    # What has passed is rounded down, what is left to the nearest: three days from now is "in 3 days" at once.
    count = max(1, round(seconds / size) if future or size == 60 else seconds // size)
    if size == 86400 and count > 6:
        local = timezone.localtime(value) if timezone.is_aware(value) else value
        return date_format(local, "j M" if abs((now - value).days) < 300 else "j M Y")
    amount = f"{count} {word}{'' if count == 1 else 's'}" if long else f"{count} {short}"
    if future:
        return f"in {amount}"
    return f"{amount} ago" if long else amount


# --- text a model wrote -------------------------------------------------------------------------------------------
@register.filter
def reveal(text: object) -> SafeString:
    """Escapes `text` and shows its invisible characters as marks."""
    return revealed("" if text is None else str(text))


@register.filter
def markdown(text: object) -> SafeString:
    """A document as HTML that can do nothing."""
    return rendered("" if text is None else str(text))


@register.simple_tag
def mark_spans(text: object, spans: Iterable[Any] | None = None) -> SafeString:
    """Escapes `text`, reveals hidden characters and wraps character ranges in `<mark>`.

    `spans` holds (start, end) pairs or dicts of start and end, in characters. Ranges outside the text are cut, broken
    ones ignored, overlapping ones joined.
    """
    text = "" if text is None else str(text)
    parts, position = [], 0
    for start, end in _clean_spans(spans, len(text)):
        parts += [revealed(text[position:start]), format_html("<mark>{}</mark>", revealed(text[start:end]))]
        position = end
    parts.append(revealed(text[position:]))
    return format_html_join("", "{}", ((part,) for part in parts))


def _clean_spans(spans: Iterable[Any] | None, length: int) -> list[tuple[int, int]]:
    good: list[tuple[int, int]] = []
    for span in spans or ():
        try:
            start, end = (span["start"], span["end"]) if isinstance(span, dict) else (span[0], span[1])
            start, end = max(0, int(start)), min(length, int(end))
        except (TypeError, ValueError, LookupError, OverflowError):
            continue
        if start < end:
            good.append((start, end))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(good):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@register.inclusion_tag("components/diff.html")
def word_diff(old: object, new: object, side: str = "") -> dict[str, Any]:
    """What changed between two pieces of prose, word by word. `side="old"` and `side="new"` show one of them each, to
    stand side by side."""
    left_out = {"old": "insert", "new": "delete"}.get(side)
    return {"ops": [op for op in diffs.word_ops(_text(old), _text(new)) if op[0] != left_out], "by": "words"}


@register.inclusion_tag("components/diff.html")
def line_diff(old: object, new: object, context: int | None = None) -> dict[str, Any]:
    """What changed between two documents, line by line. `context=3` folds longer unchanged stretches."""
    return {"ops": diffs.line_ops(_text(old), _text(new), context), "by": "lines"}


def _text(value: object) -> str:
    return "" if value is None else str(value).replace("\r\n", "\n")


# --- numbers ------------------------------------------------------------------------------------------------------
@register.inclusion_tag("components/sparkline.html")
def sparkline(
    numbers: Sequence[float | None] | None, label: str = "", width: int = 120, height: int = 34
) -> dict[str, Any]:
    """A line from numbers, oldest first. None leaves a gap. `label` says in words what it shows."""
    values = list(numbers or [])
    known = [float(value) for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    step = width / max(1, len(values) - 1)
    lines: list[list[str]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            lines.append([])
            continue
        share = (float(value) - low) / (high - low) if high > low else (0.0 if not value else 0.5)
        lines[-1].append(f"{index * step:.1f},{height - 3 - share * (height - 6):.1f}")
    if len(values) == 1 and known:
        lines = [[f"0,{height / 2:.1f}", f"{width},{height / 2:.1f}"]]
    return {"lines": [" ".join(line) for line in lines if line], "label": label, "width": width, "height": height}


@register.inclusion_tag("components/meter.html")
def meter(used: float, limit: float, more: float = 0, label: str = "") -> dict[str, Any]:
    """How full something is: `used` of `limit`, and `more` with what is about to be added. `label` says it in words."""
    limit = max(float(limit or 0), 0.0)
    share = 100 * min(1.0, max(0.0, float(used or 0)) / limit) if limit else 0.0
    extra = 100 * max(0.0, float(more or 0)) / limit if limit else 0.0
    # Less than a hundredth would not be seen.
    extra = min(max(extra, 1.0) if extra else 0.0, 100 - share)
    full = limit > 0 and float(used or 0) + float(more or 0) > limit
    return {"share": f"{share:.2f}", "extra": f"{extra:.2f}", "full": full, "label": label}


# --- forms --------------------------------------------------------------------------------------------------------
@register.simple_tag
def field(bound: BoundField, mono: bool = False, hint: str = "", plain: bool = False) -> SafeString:
    """A form field with its label, help and errors, wired for screen readers. Works for any Django bound field.

    `mono` is for prompts and code, `hint` adds a line below, `plain` leaves help text and placeholder out.
    """
    widget = bound.field.widget
    kind = getattr(widget, "input_type", "textarea")
    group = bool(widget.use_fieldset)
    context = {
        "f": bound,
        "kind": kind,
        "group": group,
        "single": kind == "checkbox" and not group,
        "mono": mono,
        "hint": hint,
        "plain": plain,
    }
    if plain:
        bound.field.help_text = ""  # or the input would be described by a text that is not there
        bound.help_text = ""
        widget.attrs.pop("placeholder", None)
    return render_to_string("components/field.html", context)


# --- components that hold something -------------------------------------------------------------------------------
@register.simple_block_tag
def card(
    content: str, title: str = "", href: str = "", link: str = "", tone: str = "", id: str = "", level: int = 2
) -> str:
    """`{% card "Soul" href=url link="Version 3" %} ... {% endcard %}`"""
    context = {"body": content, "title": title, "href": href, "link": link, "tone": tone, "id": id, "level": level}
    return render_to_string("components/card.html", context)


@register.simple_block_tag
def notice(content: str, tone: str = "plain", title: str = "", focus: bool = False) -> str:
    """`{% notice "warn" "Title" %} ... {% endnotice %}`; `focus=True` moves the focus here after a swap."""
    return render_to_string("components/notice.html", {"body": content, "tone": tone, "title": title, "focus": focus})


@register.simple_block_tag
def dialog(content: str, id: str, title: str, open: bool = False, wide: bool = False) -> str:
    """`{% dialog "forget" "Forget ABC?" %} form {% enddialog %}`; open with `command="show-modal" commandfor="forget"`."""
    context = {"body": content, "id": id, "title": title, "open": open, "wide": wide}
    return render_to_string("components/dialog.html", context)


@register.simple_block_tag
def table(content: str, label: str, dense: bool = False) -> str:
    """`{% table "Memories" %}<thead>...<tbody>...{% endtable %}`: scrolls sideways by itself when it is too wide."""
    return render_to_string("components/table.html", {"body": content, "label": label, "dense": dense})


@register.simple_block_tag
def quote(content: str, source: str = "", href: str = "", link: str = "") -> str:
    """`{% quote source="ABC, web shop" href=url %}{% mark_spans text spans %}{% endquote %}`"""
    return render_to_string("components/quote.html", {"body": content, "source": source, "href": href, "link": link})


# --- small helpers ------------------------------------------------------------------------------------------------
@register.filter
def initials(name: object) -> str:
    """One or two letters for a monogram: IT Agent -> IT, Ben Okafor -> BO, shop -> S."""
    words = [word for word in str(name or "").split() if word[:1].isalnum()]
    if not words:
        return "?"
    if words[0].isupper() and 1 < len(words[0]) <= 3:
        return words[0]
    return "".join(word[0] for word in words[:2]).upper()


@register.filter
def undo_of(message: Message) -> dict[str, str] | None:
    return toasts.undo_of(message)


@register.filter
def words(text: str) -> list[str]:
    return str(text).split()
