"""What tests of the inbox's pages share: addresses, what a form sends, and what a reader sees."""

import re

INBOX = "/app/digital-workers/learning"
HTMX = {"HX-Request": "true"}


def at(item, action: str = "") -> str:
    return f"{INBOX}/{item.pk}/{action + '/' if action else ''}"


def seen(item, **more) -> dict:
    return {"revision": item.revision, "digest": item.digest, **more}


def text_of(page) -> str:
    """What a reader sees: no tags, single spaces."""
    body = re.sub(r"<(script|style|title|template).*?</\1>", " ", page.text, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", body)).replace("&#x27;", "'")


def pane_of(page) -> str:
    """The pane alone, as a reader sees it."""
    return text_of(type("Pane", (), {"text": page.text.partition('id="work"')[2]}))
