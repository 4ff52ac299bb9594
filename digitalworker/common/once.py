"""Questions that several parts of one page ask, answered once."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest


def once_a_request[T](ask: Callable[[HttpRequest], T]) -> Callable[[HttpRequest], T]:
    """The first answer holds for as long as the request lasts."""

    @wraps(ask)
    def asked(request: HttpRequest) -> T:
        answers = vars(request).setdefault("_answers", {})
        if ask not in answers:
            answers[ask] = ask(request)
        return answers[ask]

    return asked


def answered[T](request: HttpRequest, asked: Callable[[HttpRequest], T]) -> T | None:
    """What was asked for in this request already, None where it was not."""
    return vars(request).get("_answers", {}).get(asked.__wrapped__)  # type: ignore[attr-defined]
