"""What an action may answer instead of a result.

Actions raise these; `console.middleware` turns each into a page or a panel, `api.problems` into problem details. Nothing
else translates them, so an error reads the same on every face.
"""


class DomainError(Exception):
    status = 400
    code = "invalid"
    title = "That did not work"

    def __init__(self, detail: str = "", *, code: str = "", errors: dict[str, list[str]] | None = None, **extra):
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.code = code or type(self).code
        self.errors = errors or {}
        self.extra = extra  # JSON-ready facts about the situation, such as who decided meanwhile


class Invalid(DomainError):
    """The input can not be taken; `errors` maps field names to what to do about each."""


class Denied(DomainError):
    """The actor sees the thing but may not do this to it."""

    status, code, title = 403, "denied", "You may not do this"


class NotFound(DomainError):
    """Absent, or another organisation's: the two are never told apart."""

    status, code, title = 404, "not_found", "There is nothing here"


class Conflict(DomainError):
    """Somebody was faster, or the state does not allow it any more; `extra` says who did what."""

    status, code, title = 409, "conflict", "This changed meanwhile"


class Full(DomainError):
    """A ceiling is reached. The write is refused, nothing is dropped to make room."""

    status, code, title = 409, "full", "There is no room left"


class Refused(DomainError):
    """Screening will not let this text be stored, as known or as proposed."""

    status, code, title = 422, "refused", "This can not be stored"


class Unavailable(DomainError):
    """Something this needs is off, over its budget or down; nothing was lost."""

    status, code, title = 503, "unavailable", "Not available right now"
