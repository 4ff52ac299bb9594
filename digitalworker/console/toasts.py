"""Short notes about what just happened, with a way back where there is one."""

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest

TONES = {"plain": messages.INFO, "ok": messages.SUCCESS, "warn": messages.WARNING, "bad": messages.ERROR}
_SEPARATOR = "\x1f"


def toast(request: HttpRequest, text: str, *, tone: str = "plain", undo: str = "", label: str = "Undo") -> None:
    """Shows `text` on this response if it renders the toasts, else on the next page.

    `undo` is an address that takes a POST and reverses what was done; `label` is the word on its button.
    """
    messages.add_message(
        request, TONES[tone], text, extra_tags=f"undo{_SEPARATOR}{undo}{_SEPARATOR}{label}" if undo else ""
    )


def undo_of(message: Message) -> dict[str, str] | None:
    """The address and the word of a message's undo button."""
    parts = (message.extra_tags or "").split(_SEPARATOR)
    return {"href": parts[1], "label": parts[2]} if len(parts) == 3 and parts[0] == "undo" else None
