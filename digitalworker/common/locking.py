"""Taking a row for oneself, and refusing to act on a picture of it that is out of date."""

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet

from .errors import Conflict, NotFound


def lock[M: Model](queryset: QuerySet[M], **lookup) -> M:
    """The one row of `queryset` that matches, locked until the transaction ends.

    The lock is NO KEY UPDATE: rows that merely point here (a message, a proposal) can still be written meanwhile.
    The queryset must already be restricted to what the actor may see: a row outside it is NotFound.
    """
    try:
        return queryset.select_for_update(of=("self",), no_key=True).get(**lookup)
    except ObjectDoesNotExist:
        raise NotFound(f"There is no such {queryset.model._meta.verbose_name}.") from None


def lock_or_make[M: Model](model: type[M], **fields) -> M:
    """The one row with these unique fields, locked; made with its defaults the first time it is needed."""
    rows = model._default_manager.filter(**fields).select_for_update()
    row = rows.first()
    if row is None:
        model._default_manager.bulk_create([model(**fields)], ignore_conflicts=True)
        row = rows.get()
    return row


def check_revision(row, revision: int | None) -> None:
    """`revision` is what the person saw; None only where a caller never saw the row (a worker, the system)."""
    if revision is not None and row.revision != revision:
        raise Conflict(
            f"This {row._meta.verbose_name} changed since you opened it. Look at it again, then decide.",
            code="stale_revision",
            seen=revision,
            revision=row.revision,
        )
