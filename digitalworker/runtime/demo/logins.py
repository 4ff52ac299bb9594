"""The one password of all demo log-ins: made here, kept in a file only this user can read, never in the code."""

import os
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import make_password

from digitalworker.agents.models import User

from .cast import all_log_ins

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
GROUPS, GROUP_LENGTH = 4, 4


def password_file() -> Path:
    return settings.DATA_DIR / "demo_password"


def known_password() -> str | None:
    try:
        return password_file().read_text().strip() or None
    except FileNotFoundError:
        return None


def new_password() -> str:
    """Makes one and writes it to the file. Whoever calls it sets it on the accounts."""
    password = "-".join("".join(secrets.choice(_LETTERS) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    path = password_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(password + "\n")
    fresh.replace(path)
    return password


def demo_users():
    return User.objects.filter(email__in=[person.email for _, person in all_log_ins()])


def set_password(password: str) -> int:
    """On every demo account there is, with one slow hash for all of them. Returns how many."""
    return demo_users().update(password=make_password(password))


def table(password: str | None) -> str:
    """The log-ins that exist, with what each may do."""
    there = set(demo_users().values_list("email", flat=True))
    rows = [
        (company.name, person.email, f"{person.name}, {person.says}")
        for company, person in all_log_ins()
        if person.email in there
    ]
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"  {company:<{widths[0]}}  {email:<{widths[1]}}  {says}" for company, email, says in rows]
    if password:
        lines.append(f"  The password of all of them: {password}")
    else:
        lines.append(
            f"  Their password is not in {password_file()} any more. Set a new one: manage.py demo --reset-passwords"
        )
    return "\n".join(["Demo log-ins", *lines])
