"""Who is being served right now: read by the logs and by audit rows, so that neither has to be handed a request."""

from contextvars import ContextVar

request_id_var: ContextVar[str | None] = ContextVar("request_id", default=None)
organization_var: ContextVar[str | None] = ContextVar("organization_id", default=None)
actor_var: ContextVar[str | None] = ContextVar("actor", default=None)

_VARIABLES = {"request_id": request_id_var, "organization": organization_var, "actor": actor_var}


class bind:
    """`bind(actor="user:7")` holds for the rest of the request or task; `with bind(...):` for the block only.

    Old values are put back by setting them, not by token: a request may begin in one thread and end in another.
    """

    def __init__(self, **values: object) -> None:
        self._before = {name: _VARIABLES[name].get() for name in values}
        for name, value in values.items():
            _VARIABLES[name].set(None if value is None else str(value))

    def __enter__(self) -> "bind":
        return self

    def __exit__(self, *exception: object) -> None:
        for name, value in self._before.items():
            _VARIABLES[name].set(value)


def current() -> dict[str, str | None]:
    """The three values as the logs name them."""
    return {variable.name: variable.get() for variable in _VARIABLES.values()}
